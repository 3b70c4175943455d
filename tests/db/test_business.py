"""Attività e dati fiscali: what a business is on paper is checked, and its own invoices propose the rest."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from backend.core import config
from tests.db import access, documents, goals
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
OWN, OTHER = "09876540155", "00743110157"
IBAN, SECOND, THIRD = "IT60X0542811101000000123456", "IT07X0542811101000000654321", "IT40S0542811101000000123456"
VECTORS = json.loads((config.ROOT / "tests" / "vectors" / "tax_ids.json").read_text())
SUPPLIER = {
    "name": "Studio Verdi", "vat_country": "IT", "vat_number": OWN, "regime": "RF19", "phone": "051 123456",
    "address": {"street": "Via Po", "number": "3", "postal_code": "40121", "city": "Bologna", "province": "BO"},
}  # fmt: skip
US = {"name": "Studio Verdi", "vat_country": "IT", "vat_number": OWN}
THEM = {"name": "Aruba S.p.A.", "vat_country": "IT", "vat_number": OTHER}


async def _save(connection: Connection, column: str, value: str | None) -> None:
    async with access.acting(connection, "owner"):
        await connection.execute(
            f"update public.profiles set {column} ="
            f" (jsonb_populate_record(null::public.profiles, $1::text::jsonb)).{column}"
            " where user_id = auth.uid()",
            json.dumps({column: json.loads(value) if value and value.startswith("{") else value}),
        )


async def _suggested(connection: Connection, role: str = "owner") -> dict[str, list[Any]]:
    async with access.acting(connection, role):
        rows = await connection.fetch("select * from public.business_suggestions()")
    told: dict[str, list[Any]] = {}
    for row in rows:
        told.setdefault(row["field"], []).append(json.loads(row["value"]))
    return told


async def _issued(connection: Connection, number: str = "12/2026", **told: Any) -> UUID:
    schedule = {"due_on": "2026-03-31", "amount_cents": 1, "iban": told.pop("iban", IBAN)}
    invoice = {
        "direction": "attiva", "number": number, "content": {"supplier": SUPPLIER, "customer": THEM},
        "schedules": [schedule], **told,
    }  # fmt: skip
    return (await documents.store_invoices(connection, await documents.document(connection, OWNER), invoice))[0]


@pytest.mark.parametrize("field", ["iban", "ateco"])
async def test_the_examples_of_the_client_hold_in_the_database(field: str, connection: Connection) -> None:
    examples = VECTORS[field]
    good = set(examples["valid"].values())
    for text in [*good, *examples["valid"], *examples["invalid"]]:
        assert await connection.fetchval(f"select private.is_{field}($1)", text) == (text in good), text


@pytest.mark.parametrize(
    ("column", "value", "constraint"),
    [
        ("iban", "IT60X0542811101000000123457", "iban_is_one"),
        ("iban", "IT60 X054 2811 1010 0000 0123 456", "iban_is_one"),
        ("account_holder", "x" * 121, "account_holder_fits"),
        ("pec", "studio", "pec_is_an_address"),
        ("pec", "Studio@pec.example", "pec_is_an_address"),
        ("sdi_code", "ABC", "sdi_code_is_one"),
        ("ateco", "741201", "ateco_is_one"),
        ("business_phone", "051 123456", "business_phone_is_one"),
        ("logo_url", "https://elsewhere.example/logo.png", "logo_url_is_an_address"),
        ("address", '{"note": "x"}', "address_has_known_parts"),
        ("address", '{"street": {"a": "b"}}', "address_has_known_parts"),
        ("address", '{"postal_code": "4012"}', "address_is_italian"),
        ("address", '{"province": "Bologna"}', "address_is_italian"),
    ],
)
async def test_what_is_no_such_value_is_refused(
    column: str, value: str, constraint: str, connection: Connection
) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refusal:
        async with connection.transaction():
            await _save(connection, column, value)
    assert refusal.value.constraint_name == constraint


async def test_owners_keep_what_their_business_is_and_take_it_away(connection: Connection) -> None:
    told = {
        "iban": IBAN, "account_holder": "Verdi snc", "pec": "studio@pec.example", "sdi_code": "M5UXCR1",
        "ateco": "74.12.01", "business_phone": "+39051123456", "address": '{"city": "Bologna", "province": "BO"}',
    }  # fmt: skip
    for column, value in told.items():
        await _save(connection, column, value)
    row = await connection.fetchrow("select * from public.profiles where user_id = $1", OWNER)
    assert row is not None
    assert {column: row[column] for column in told} == told
    for column in told:
        await _save(connection, column, None)
    row = await connection.fetchrow("select * from public.profiles where user_id = $1", OWNER)
    assert row is not None
    assert {row[column] for column in told} == {None}


async def test_issued_and_received_invoices_propose_what_the_profile_lacks(connection: Connection) -> None:
    await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", OWNER, OWN)
    await _issued(connection, "11/2026", issued_on="2026-02-01", iban=SECOND)
    await _issued(connection, issued_on="2026-03-01")
    sent = {"recipient_code": "M5UXCR1", "recipient_pec": "Studio@Pec.example"}
    received = {
        "content": {"supplier": THEM, "customer": US, "transmission": sent}, "counterparty_name": "Aruba S.p.A.",
        "schedules": [{"due_on": "2026-03-31", "amount_cents": 1, "iban": "DE89370400440532013000"}],
    }  # fmt: skip
    await documents.store_invoices(connection, await documents.document(connection, OWNER), received)
    address = {"street": "Via Po 3", "postal_code": "40121", "city": "Bologna", "province": "BO"}
    assert await _suggested(connection) == {
        "address": [address], "business_name": ["Studio Verdi"], "business_phone": ["051 123456"],
        "iban": [IBAN, SECOND], "pec": ["studio@pec.example"], "sdi_code": ["M5UXCR1"], "tax_regime": ["forfettario"],
    }  # fmt: skip
    async with access.acting(connection, "owner"):
        rows = await connection.fetch("select field, number, sender from public.business_suggestions()")
    sources = {row["field"]: (row["number"], row["sender"]) for row in reversed(rows)}
    assert (sources["iban"], sources["pec"]) == (("12/2026", None), ("12/2026", "Aruba S.p.A."))
    assert await _suggested(connection, "stranger") == {}
    # What is known is not proposed again.
    for column, value in [("iban", IBAN), ("pec", "studio@pec.example"), ("address", json.dumps(address))]:
        await _save(connection, column, value)
    left = await _suggested(connection)
    assert (left["iban"], set(left) & {"pec", "address"}) == ([SECOND], set())


async def test_invoices_of_others_in_the_trash_and_of_nobody_propose_nothing(connection: Connection) -> None:
    # Without one's own number no invoice is known as one's own.
    content = {"supplier": SUPPLIER, "customer": THEM, "transmission": {"recipient_code": "ABCDEF7"}}
    await documents.store_invoices(
        connection, await documents.document(connection, OWNER), {"content": content, "schedules": []}
    )
    assert await _suggested(connection) == {}
    await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", OWNER, OWN)
    told = await _suggested(connection)
    assert "business_name" in told
    assert "sdi_code" not in told
    await connection.execute("update public.documents set deleted_at = now()")
    assert await _suggested(connection) == {}


async def test_placeholders_and_wrong_numbers_are_not_proposed(connection: Connection) -> None:
    await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", OWNER, OWN)
    wrong = {"postal_code": "4012", "province": "Bologna", "country": "IT"}
    person = {**US, "first_name": "Anna", "last_name": "Verdi", "address": wrong}
    await _issued(connection, iban="IT60X0542811101000000123457", content={"supplier": person, "customer": THEM})
    sent = {"recipient_code": "0000000", "recipient_pec": "nessuna"}
    received = {"content": {"supplier": THEM, "customer": US, "transmission": sent}, "schedules": []}
    await documents.store_invoices(connection, await documents.document(connection, OWNER), received)
    assert await _suggested(connection) == {}


async def test_the_account_of_the_business_is_ones_own_and_offered_to_the_mandate_first(connection: Connection) -> None:
    await _issued(connection, iban=SECOND)
    await _save(connection, "iban", IBAN)
    assert await connection.fetchval("select private.own_ibans($1)", OWNER) == [IBAN, SECOND]
    assert await connection.fetchval("select private.own_ibans($1)", STRANGER) == []
    async with access.acting(connection, "owner"):
        rows = await connection.fetch("select * from public.own_ibans()")
    assert [tuple(row) for row in rows] == [(IBAN, 0), (SECOND, 1)]


async def test_a_reminder_names_the_account_of_the_business_only_where_the_mandate_approves_it(
    connection: Connection,
) -> None:
    contact_id = await goals.client(connection, OWNER, "Rossi srl", "info@rossi.example")
    today = await connection.fetchval("select private.today()")
    await goals.invoice(connection, OWNER, contact_id, "1", today, iban=None)
    await goals.invoice(connection, OWNER, contact_id, "2", today, iban=SECOND)
    await _save(connection, "iban", THIRD)

    async def named() -> list[str | None]:
        rows = await connection.fetch("select iban from private.recovery_items($1, $2) order by number", OWNER, today)
        return [row["iban"] for row in rows]

    assert await named() == [None, SECOND]
    await goals.mandate(connection, OWNER, ibans=[SECOND])
    assert await named() == [None, SECOND]
    await goals.mandate(connection, OWNER, ibans=[THIRD])
    assert await named() == [THIRD, SECOND]
    # Another account in the profile is no approved one.
    await _save(connection, "iban", IBAN)
    assert await named() == [None, SECOND]


@pytest.mark.parametrize(
    "change",
    ["work_days = '{}'", "work_days = '{0}'", "work_days = '{8}'", "work_days = '{1,null}'", "work_from = '18:00'"],
)
async def test_a_week_has_days_of_work_and_a_day_ends_after_it_began(change: str, connection: Connection) -> None:
    good = "update public.profiles set work_days = '{2,4}', work_from = '07:30' where user_id = auth.uid()"
    async with access.acting(connection, "owner"):
        assert await connection.execute(good) == "UPDATE 1"
    with pytest.raises(asyncpg.CheckViolationError):
        async with access.acting(connection, "owner"):
            await connection.execute(f"update public.profiles set {change} where user_id = auth.uid()")
