"""save_contact: a contact as the form has it, all of it or nothing."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import Connection, rolled_back

pytestmark = pytest.mark.anyio

ROSSI: dict[str, Any] = {
    "type": "persona",
    "first_name": "Mario",
    "last_name": "Rossi",
    "company": "Rossi Impianti srl",
    "vat_number": "00743110157",
    "regime": "Forfettario",
    "emails": ["Mario@rossi.example", "mario@ROSSI.example", "info@rossi.example"],
    "phones": [{"value": "348 999 0001", "norm": "+393489990001"}],
    "tags": ["Cliente", "cliente", "Milano"],
}


async def _save(connection: Connection, contact: dict[str, Any], role: str = "owner") -> UUID:
    async with access.acting(connection, role):
        saved: UUID = await connection.fetchval("select public.save_contact($1::text::jsonb)", json.dumps(contact))
    return saved


async def _listed(connection: Connection, contact_id: UUID, role: str = "owner") -> Any:
    async with access.acting(connection, role):
        return await connection.fetchrow("select * from public.contact_list where id = $1", contact_id)


async def test_a_contact_comes_with_its_addresses_tags_and_company(connection: Connection) -> None:
    contact_id = await _save(connection, ROSSI)
    row = await _listed(connection, contact_id)
    assert (row["name"], row["company_name"], row["email"], row["phone"], row["tags"]) == (
        "Mario Rossi", "Rossi Impianti srl", "Mario@rossi.example", "348 999 0001", ["Cliente", "Milano"]
    )  # fmt: skip
    assert await _listed(connection, contact_id, "stranger") is None
    regime = "select regime from public.contacts where id = $1"
    assert await connection.fetchval(regime, contact_id) == "Forfettario"
    emails = "select count(*) from public.contact_emails where contact_id = $1"
    assert await connection.fetchval(emails, contact_id) == 2


async def test_saving_again_takes_away_what_is_gone_and_keeps_the_rest(connection: Connection) -> None:
    contact_id = await _save(connection, ROSSI)
    phone = await connection.fetchval("select id from public.contact_phones where contact_id = $1", contact_id)
    change = ROSSI | {"id": str(contact_id), "emails": ["info@rossi.example"], "tags": ["Milano"]}
    change |= {"company": None, "regime": None}
    assert await _save(connection, change) == contact_id
    row = await _listed(connection, contact_id)
    assert (row["email"], row["tags"], row["company_name"]) == ("info@rossi.example", ["Milano"], None)
    assert await connection.fetchval("select regime from public.contacts where id = $1", contact_id) is None
    assert phone == await connection.fetchval("select id from public.contact_phones where contact_id = $1", contact_id)


async def test_what_is_not_said_of_a_known_contact_stays(connection: Connection) -> None:
    """As another tab has written it since the form was opened."""
    contact_id = await _save(connection, ROSSI)
    before = await _listed(connection, contact_id)
    await _save(connection, {"id": str(contact_id), "last_name": "Rosso"})
    after = await _listed(connection, contact_id)
    changed = {key for key in before.keys() if before[key] != after[key]}  # noqa: SIM118 - a record is no mapping
    assert (changed - {"updated_at"}, after["name"]) == ({"last_name", "name"}, "Mario Rosso")
    columns = "select vat_number, regime, company_id is not null from public.contacts where id = $1"
    [row] = await connection.fetch(columns, contact_id)
    assert tuple(row) == ("00743110157", "Forfettario", True)
    for table in ("contact_emails", "contact_phones", "contact_tags"):
        assert await connection.fetchval(f"select count(*) from public.{table} where contact_id = $1", contact_id) > 0


async def test_what_came_into_a_list_since_the_form_was_opened_stays(connection: Connection) -> None:
    contact_id = await _save(connection, ROSSI)
    opened = {key: ROSSI[key] for key in ("emails", "phones", "tags")}
    other = {"value": "06 123456", "norm": "+3906123456"}
    # Another tab adds one of each, and takes one of each away.
    meanwhile = {"emails": ["mario@rossi.example", "altro@rossi.example"], "phones": [other], "tags": ["Milano", "Vip"]}
    await _save(connection, {"id": str(contact_id), **meanwhile})
    third = {"value": "02 654321", "norm": "+3902654321"}
    typed = {
        "emails": ["info@rossi.example", "nuovo@rossi.example"],
        "phones": [*ROSSI["phones"], third],
        "tags": ["cliente", "Nuovo"],
    }
    await _save(connection, {"id": str(contact_id), **typed, "former": opened})
    emails = "select array_agg(norm order by norm) from public.contact_emails where contact_id = $1"
    assert await connection.fetchval(emails, contact_id) == ["altro@rossi.example", "nuovo@rossi.example"]
    phones = "select array_agg(norm order by norm) from public.contact_phones where contact_id = $1"
    assert await connection.fetchval(phones, contact_id) == [third["norm"], other["norm"]]
    row = await _listed(connection, contact_id)
    assert (row["tags"], row["phone"]) == (["Nuovo", "Vip"], other["value"])


async def test_a_list_that_is_emptied_keeps_what_came_since(connection: Connection) -> None:
    contact_id = await _save(connection, ROSSI)
    await _save(connection, {"id": str(contact_id), "emails": [*ROSSI["emails"], "altro@rossi.example"]})
    await _save(connection, {"id": str(contact_id), "emails": [], "former": {"emails": ROSSI["emails"]}})
    emails = "select array_agg(norm) from public.contact_emails where contact_id = $1"
    assert await connection.fetchval(emails, contact_id) == ["altro@rossi.example"]


async def test_a_person_of_a_company_in_the_trash_becomes_a_company(connection: Connection) -> None:
    contact_id = await _save(connection, ROSSI)
    company = "select company_id from public.contacts where id = $1"
    await connection.execute(f"update public.contacts set deleted_at = now() where id = ({company})", contact_id)
    await _save(connection, {"id": str(contact_id), "type": "azienda", "business_name": "Mario Rossi ditta"})
    kept = "select type from public.contacts where id = $1 and company_id is null"
    assert await connection.fetchval(kept, contact_id) == "azienda"


async def test_a_company_is_known_however_its_name_is_written(connection: Connection) -> None:
    first = await _save(connection, ROSSI)
    second = await _save(connection, {"type": "persona", "first_name": "Ada", "company": "ROSSI impianti SRL"})
    companies = "select count(distinct company_id) from public.contacts where id = any ($1)"
    assert await connection.fetchval(companies, [first, second]) == 1


async def test_an_address_of_somebody_else_is_refused_and_nothing_is_saved(connection: Connection) -> None:
    await _save(connection, ROSSI)
    taken = {"type": "persona", "first_name": "Ermenegilda", "emails": ["INFO@rossi.example"]}
    async with rolled_back(connection):
        with pytest.raises(asyncpg.UniqueViolationError, match="contact_emails"):
            await _save(connection, taken)
    assert await connection.fetchval("select count(*) from public.contacts where first_name = 'Ermenegilda'") == 0


@pytest.mark.parametrize("gone", ["merged_into = $2", "deleted_at = now()"], ids=["merged", "in the trash"])
async def test_a_contact_that_is_gone_is_not_written(gone: str, connection: Connection) -> None:
    contact_id, other = (
        await _save(connection, ROSSI),
        await _save(connection, {"type": "persona", "first_name": "Ugo"}),
    )
    await connection.execute(
        f"update public.contacts set {gone} where id = $1 and $2::uuid is not null", contact_id, other
    )
    async with rolled_back(connection):
        with pytest.raises(asyncpg.PostgresError) as refusal:
            await _save(connection, {**ROSSI, "id": str(contact_id), "first_name": "Altro", "company": "Mai vista"})
    assert refusal.value.sqlstate == "PT404"
    names = "select count(*) from public.contacts where first_name = 'Altro' or business_name = 'Mai vista'"
    assert await connection.fetchval(names) == 0


async def test_of_two_companies_of_a_name_the_present_one_is_kept(connection: Connection) -> None:
    first, second = [
        await _save(connection, {"type": "azienda", "business_name": "Rossi Impianti srl"}) for _ in range(2)
    ]
    company = "select company_id from public.contacts where id = $1"
    await connection.execute("update public.contacts set created_at = now() - interval '1 day' where id = $1", first)
    contact_id = await _save(connection, ROSSI)
    assert await connection.fetchval(company, contact_id) == first
    await connection.execute("update public.contacts set company_id = $2 where id = $1", contact_id, second)
    await _save(connection, {**ROSSI, "id": str(contact_id), "job_title": "Titolare"})
    assert await connection.fetchval(company, contact_id) == second


async def test_another_persons_contact_is_not_written(connection: Connection) -> None:
    contact_id = await _save(connection, ROSSI)
    async with rolled_back(connection):
        with pytest.raises(asyncpg.UniqueViolationError, match="contacts_pkey"):
            await _save(connection, {**ROSSI, "id": str(contact_id), "first_name": "Altro"}, "stranger")
    assert (await _listed(connection, contact_id))["first_name"] == "Mario"
