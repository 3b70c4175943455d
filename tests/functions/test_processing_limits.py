"""Limitation of processing (GDPR, art. 18): what Socio would do by itself waits, and goes on afterwards."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.db import accounts, channels, work
from tests.functions import signed_in

pytestmark = pytest.mark.anyio


@pytest.fixture
async def anna(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        user_id = await accounts.create(connection)
        await channels.connect(connection, user_id)
        await channels.open_inbox(connection, user_id)
        contact_id = await channels.reachable(connection, user_id)
    async with acting(resources, user_id) as connection:
        mail = await channels.queue(connection, contact_id)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update public.outgoing_mails set not_before = now() where id = $1", mail["id"])
    return user_id


@asynccontextmanager
async def acting(resources: Resources, user_id: UUID) -> AsyncIterator[db.Connection]:
    async with db.connection(resources.pool) as connection, connection.transaction():
        claims = json.dumps({"sub": str(user_id), "role": "authenticated"})
        await connection.execute("select set_config('request.jwt.claims', $1, true)", claims)
        await connection.execute("set local role authenticated")
        yield connection


async def limit(resources: Resources, user_id: UUID, is_limited: bool) -> Any:
    async with acting(resources, user_id) as connection:
        return await connection.fetchval("select public.limit_processing($1)", is_limited)


async def done_for(resources: Resources, user_id: UUID) -> dict[str, bool]:
    """Which of the things that Socio does by itself it would do now."""
    async with db.connection(resources.pool) as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("delete from private.home_pages where user_id = $1", user_id)
        await connection.execute("select private.refresh_home($1)", user_id)
        found = {
            "insights": await connection.fetchval("select count(*) from private.home_pages where user_id = $1", user_id)
            > 0,
            "notices": await connection.fetchval("select private.notify($1, 'avviso', 'Titolo', 'Testo')", user_id)
            is not None,
            "sending": bool(await connection.fetch("select id from private.claim_mail($1)", user_id)),
            "reading": user_id in [row[0] for row in await connection.fetch("select private.mail_readers()")],
        }
        await transaction.rollback()
    return found


async def test_what_socio_does_by_itself_waits_and_goes_on(resources: Resources, anna: UUID) -> None:
    everything = dict.fromkeys(("insights", "notices", "sending", "reading"), True)
    assert await done_for(resources, anna) == everything
    since = await limit(resources, anna, True)
    assert since is not None
    assert await limit(resources, anna, True) == since
    assert await done_for(resources, anna) == dict.fromkeys(everything, False)
    async with db.connection(resources.pool) as connection:
        security = await connection.fetchval("select private.notify($1, 'sicurezza', 'Accesso', 'Da dove')", anna)
        account = await connection.fetchval("select count(*) from public.mail_accounts where user_id = $1", anna)
    assert (security is not None, account) == (True, 1)
    assert await limit(resources, anna, False) is None
    assert await done_for(resources, anna) == everything


async def test_the_assistant_says_why_it_does_not_answer(
    client: httpx.AsyncClient, resources: Resources, anna: UUID
) -> None:
    await limit(resources, anna, True)
    answer = await client.post(
        "/functions/v1/chat",
        json={"content": "Chi mi deve dei soldi?", "mode": "locale", "client_key": str(uuid4()), "max_credits": 0},
        headers=signed_in.headers(resources, anna),
    )
    assert (answer.status_code, answer.json().get("code")) == (403, "frozen"), answer.text


async def test_nobody_else_sets_the_limit_and_the_own_rows_stay_usable(resources: Resources, anna: UUID) -> None:
    await limit(resources, anna, True)
    async with acting(resources, anna) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with connection.transaction():
                await connection.execute("update public.profiles set limited_since = null")
    async with db.connection(resources.pool) as connection:
        await work.task(connection, anna)
