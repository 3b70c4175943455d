"""The people of the access matrix in the session's database, and PostgREST with a token for each of them.

The people are committed once; every test undoes what it does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg
import httpx
import pytest

from backend.core import jwt
from backend.core.config import Settings
from tests.db import access, accounts, channels, crm, documents, goals, ledger, pipeline, talks, work


@dataclass(frozen=True)
class World:
    """The database as its owner, the same through PostgREST, and the names that the matrix uses."""

    connection: accounts.Connection
    client: httpx.AsyncClient
    tokens: Mapping[str, str | None]
    values: Mapping[str, str]


@pytest.fixture(scope="session")
async def world(postgrest: Settings) -> AsyncIterator[World]:
    keys = jwt.load(postgrest.home)
    expiry = int((datetime.now(UTC) + timedelta(hours=1)).timestamp())
    tokens = {role: keys.sign({**access.claims(role), "exp": expiry}) for role in access.ACTORS if role != "anon"}
    transport = httpx.AsyncHTTPTransport(uds=str(postgrest.postgrest_socket))
    connection = await asyncpg.connect(postgrest.database_url)
    async with httpx.AsyncClient(transport=transport, base_url="http://postgrest") as client:
        yield World(connection, client, {"anon": None, **tokens}, await populate(connection))
    await connection.close()


@pytest.fixture
async def connection(world: World) -> AsyncIterator[accounts.Connection]:
    """The database as its owner, in a transaction that is undone after the test."""
    async with accounts.rolled_back(world.connection):
        yield world.connection


@pytest.fixture
async def pool(database: str) -> AsyncIterator[accounts.Pool]:
    """As many connections as a busy server has, to a database of its own."""
    async with asyncpg.create_pool(database, min_size=10, max_size=10) as connections:
        yield connections


@pytest.fixture
async def anna(connection: accounts.Connection) -> UUID:
    """Somebody with ten credits."""
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 10)
    return user_id


async def populate(connection: accounts.Connection) -> Mapping[str, str]:
    """Makes the people and a row of each table for the owner and for nobody; answers the names moves.csv uses."""
    for user_id in access.PEOPLE.values():
        await accounts.create(connection, user_id)
    await connection.executemany(
        "insert into public.user_roles (user_id, role) values ($1, 'admin')",
        [(access.PEOPLE["admin"],), (access.PEOPLE["other_admin"],)],
    )
    owner = access.PEOPLE["owner"]
    await connection.executemany(
        """
        with event as (
          insert into public.analytics_events (event_name, user_id, session_id, user_agent)
          values ('page_view', $1, 'session', 'test')
        )
        insert into public.error_logs (user_id, session_id, error_message) values ($1, 'session', 'boom')
        """,
        [(owner,), (None,)],
    )
    await connection.execute(
        "insert into public.catalog_versions (version, note) values ($1, 'A draft')", access.DRAFT_VERSION
    )
    for table in ("plans", "packs", "credit_prices", "claims"):
        await connection.execute(
            f"""
            insert into public.{table}
              select copied.* from public.{table} as original,
                jsonb_populate_record(original, jsonb_build_object('version', $1::int)) as copied
              where original.version = 1
            """,
            access.DRAFT_VERSION,
        )
    await connection.execute(
        "insert into public.admin_actions (admin_id, subject_id, action, reason) values ($1, $2, 'user.note', 'Test')",
        access.PEOPLE["admin"],
        owner,
    )
    await connection.execute("select private.take_snapshot('database', interval '10 minutes'), private.group_errors()")
    await connection.execute("insert into public.site_settings (key, value) values ('internal.old', 'true')")
    await connection.execute(
        "insert into public.waiting_list (email, consent_at, consent_version, token_hash, mailed_at) "
        "values ('old@example.com', now(), '1', sha256('old'), now())"
    )
    await connection.execute(
        "insert into public.admin_views (user_id, name, screen, query) values ($1, 'Mese', '/admin', 'periodo=30g')",
        owner,
    )
    order_id = await _order(connection, owner)
    rows = await connection.fetchrow(
        """
        select (select id::text from public.notifications where user_id = $1) as owner_notification,
          (select id::text from public.credit_lots where user_id = $1) as owner_lot,
          (select id::text from private.hold_credits($1, 1, 'hold')) as owner_hold
        """,
        owner,
    )
    assert rows is not None
    people = {name: str(user_id) for name, user_id in access.PEOPLE.items()}
    work_of_owner = {
        **await crm.populate(connection, owner, access.PEOPLE["stranger"]),
        **await pipeline.populate(connection),
        **await work.populate(connection, owner),
    }
    mails = await channels.populate(connection, owner, UUID(work_of_owner["owner_contact"]))
    return {
        **mails,
        **people,
        **dict(rows),
        "owner_order": order_id,
        **work_of_owner,
        **await documents.populate(connection, owner, work_of_owner),
        **await talks.populate(connection, owner, work_of_owner),
        **await goals.populate(connection, owner, UUID(work_of_owner["owner_contact"])),
    }


async def _order(connection: accounts.Connection, owner: UUID) -> str:
    """An order with all that can follow one."""
    order_id = await connection.fetchval("select id::text from private.open_order($1, null, 'pro', true, null)", owner)
    await connection.execute(
        f"""
        insert into public.payment_events (id, type, payload) values ('evt_old', 'charge.refunded', '{{}}');
        insert into public.payment_alerts (kind, order_id, event_id) values ('mismatch', '{order_id}', 'evt_old');
        insert into public.order_refunds (order_id, amount_cents, credits) values ('{order_id}', 1, 1);
        insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
          values ('{order_id}', 'invoice', 1, 'order');
        """
    )
    return str(order_id)
