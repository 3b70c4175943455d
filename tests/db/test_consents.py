"""Consents and their proof, the copy of what is kept about a contact, and its erasure."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, accounts, crm, work
from tests.db.access import PEOPLE
from tests.db.accounts import Connection
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
RECORD = "select (public.record_consent($1, 'whatsapp', 'marketing', $2, 'consenso', 'Sì, scrivimi', $3)).*"


async def _record(connection: Connection, contact_id: UUID, state: str, source: str = "modulo") -> Any:
    async with access.acting(connection, "owner"):
        return await connection.fetchrow(RECORD, contact_id, state, source)


async def test_a_consent_is_what_was_said_last_and_its_proof_is_everything(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    assert (await _record(connection, contact_id, "dato"))["state"] == "dato"
    assert (await _record(connection, contact_id, "dato"))["state"] == "dato"
    assert (await _record(connection, contact_id, "revocato", "telefonata"))["source"] == "telefonata"
    now = await connection.fetch("select state from public.consents where contact_id = $1", contact_id)
    proof = await connection.fetch(
        "select state, wording from public.consent_events where contact_id = $1 order by state", contact_id
    )
    assert [row["state"] for row in now] == ["revocato"]
    assert [tuple(row) for row in proof] == [("dato", "Sì, scrivimi"), ("revocato", "Sì, scrivimi")]


async def test_a_revocation_told_to_a_merged_contact_counts_for_the_one_that_is_left(connection: Connection) -> None:
    oldest, middle, left = [await crm.contact(connection, OWNER) for _ in range(3)]
    await _record(connection, oldest, "dato")
    async with access.acting(connection, "owner"):
        for winner, loser in ((middle, oldest), (left, middle)):
            await connection.execute("select public.merge_contacts($1, $2)", winner, loser)
    assert (await _record(connection, oldest, "revocato", "telefonata"))["contact_id"] == left
    for table in ("consents", "consent_events"):
        rows = await connection.fetch(
            f"select contact_id, source from public.{table} where state = 'revocato' and contact_id = any ($1)",
            [oldest, middle, left],
        )
        assert [tuple(row) for row in rows] == [(left, "telefonata")]
    given = "select count(*) from public.consents where state = 'dato' and contact_id = any ($1)"
    assert await connection.fetchval(given, [oldest, middle, left]) == 0


@pytest.mark.parametrize(
    "attempt",
    [
        "update public.consent_events set state = 'dato'",
        "delete from public.consent_events",
        "truncate public.consent_events",
    ],
    ids=["changed", "deleted", "emptied"],
)
async def test_proof_is_never(attempt: str, connection: Connection) -> None:
    """Not even by the owner of the database."""
    await _record(connection, await crm.contact(connection, OWNER), "negato")
    with pytest.raises(asyncpg.RestrictViolationError):
        await connection.execute(attempt)


async def test_proof_follows_a_merge_and_goes_with_the_account(connection: Connection) -> None:
    winner, loser = await crm.contact(connection, OWNER), await crm.contact(connection, OWNER)
    await _record(connection, loser, "dato")
    await connection.execute("update public.consent_events set contact_id = $1 where contact_id = $2", winner, loser)
    events = "select count(*) from public.consent_events where contact_id = $1"
    assert await connection.fetchval(events, winner) == 1
    await connection.execute("delete from auth.users where id = $1", OWNER)
    assert await connection.fetchval(events, winner) == 0


@pytest.mark.parametrize(
    "call",
    [
        "select public.record_consent($1, 'email', 'marketing', 'dato')",
        "select public.export_contact($1)",
        f"select {crm.ERASE}",
    ],
    ids=["consent", "export", "erasure"],
)
async def test_nobody_acts_for_a_stranger(call: str, world: World, connection: Connection) -> None:
    with pytest.raises(asyncpg.PostgresError, match="no such contact"):
        async with connection.transaction(), access.acting(connection, "stranger"):
            await connection.execute(call, UUID(world.values["owner_contact"]))


async def test_the_copy_of_a_contact_holds_every_table(world: World, connection: Connection) -> None:
    contact_id = UUID(world.values["owner_contact"])
    await crm.contact(connection, OWNER, first_name="Annina", merged_into=contact_id)
    await work.task(connection, OWNER, title="Aspetto Anna", waiting_for=contact_id)
    async with access.acting(connection, "owner"):
        answer = await connection.fetchval("select public.export_contact($1)", contact_id)
    copy = json.loads(answer)
    assert [row["first_name"] for row in copy["merged"]] == ["Annina"]
    assert copy["contact"]["name"] == "Anna Verdi"
    assert copy["tags"] == ["Cliente"]
    assert [row["value"] for row in copy["contact_emails"]] == ["anna@example.it"]
    for table in ("contact_phones", "notes", "consents", "consent_events"):
        assert len(copy[table]) == 1
    assert sorted(row["kind"] for row in copy["interactions"]) == ["chiamata", "email"]
    assert [row["title"] for row in copy["tasks"]] == ["Aspetto Anna"]
    del copy["controller"]
    assert str(OWNER) not in json.dumps(copy)


async def test_erasing_a_contact_takes_all_but_the_proof_and_says_so(connection: Connection) -> None:
    company_id = await crm.contact(connection, OWNER, type="azienda", business_name="Acme")
    contact_id = await crm.contact(connection, OWNER, first_name="Zoe", company_id=company_id)
    merged = await crm.contact(connection, OWNER, first_name="Zoe", merged_into=contact_id)
    await _record(connection, contact_id, "dato")
    async with access.acting(connection, "owner"):
        await connection.execute("insert into public.notes (contact_id, body) values ($1, 'x')", contact_id)
        answer = await crm.erase(connection, contact_id)
    assert answer == {"via": {"contacts": 2, "consents": 1, "notes": 1}, "resta": {"consent_events": 1}}
    left = await connection.fetch(
        "select id from public.contacts where id = any ($1)", [company_id, contact_id, merged]
    )
    assert [row["id"] for row in left] == [company_id]


async def test_erasing_a_company_leaves_its_people(connection: Connection) -> None:
    company_id = await crm.contact(connection, OWNER, type="azienda", business_name="Acme")
    contact_id = await crm.contact(connection, OWNER, company_id=company_id)
    async with access.acting(connection, "owner"):
        await crm.erase(connection, company_id)
    row = await connection.fetchrow("select user_id, company_id from public.contacts where id = $1", contact_id)
    assert row is not None
    assert tuple(row) == (OWNER, None)


async def test_an_account_goes_with_all_its_contacts(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    contact_id = await crm.contact(connection, user_id, touch_days=30)
    await connection.execute(
        "insert into public.interactions (user_id, contact_id, kind) values ($1, $2, 'altro')", user_id, contact_id
    )
    await connection.execute(
        "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, 'x@example.it')",
        user_id,
        contact_id,
    )
    await connection.execute("delete from auth.users where id = $1", user_id)
    assert await connection.fetchval("select count(*) from public.contacts where user_id = $1", user_id) == 0
    assert await connection.fetchval("select count(*) from private.contact_search where user_id = $1", user_id) == 0
