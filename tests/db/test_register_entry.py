"""Register entry: sure papers enter by themselves, the others wait and are named, and none counts twice."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from functions._shared import extraction
from tests.db import access, crm, documents
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
OWN, SUPPLIER, CUSTOMER = "09876540155", "00743110157", "12345670017"
RECEIVED = {
    "number": "7/A",
    "issued_on": "2026-03-01",
    "total": "12200",
    "vat_number": SUPPLIER,
    "supplier": "Neri S.r.l.",
    "due_on": "2026-04-01",
}
ISSUED = {**RECEIVED, "vat_number": OWN, "supplier": "Io", "customer": "Bianchi spa", "customer_vat_number": CUSTOMER}


@pytest.fixture(autouse=True)
async def known_owner(connection: Connection) -> None:
    """Give the owner a VAT number."""
    await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", OWNER, OWN)


async def _paper(
    connection: Connection, said: Mapping[str, str] = RECEIVED, doubtful: tuple[str, ...] = (), **columns: Any
) -> UUID:
    """Insert a paper as the end of a reading leaves it, and let it enter."""
    told = {"kind": "fattura", "kind_confidence": 0.95, "state": "da_verificare", **columns}
    if "total" in said:
        told.setdefault("total_cents", int(said["total"]))
    document_id = await documents.document(connection, OWNER, **told)
    for key, value in said.items():
        await documents.field(connection, document_id, key, value, 0.6 if key in doubtful else 0.95)
    await _enter(connection, document_id)
    return document_id


async def _enter(connection: Connection, document_id: UUID) -> None:
    await connection.execute("select private.enter_scan($1)", document_id)


async def _entry(connection: Connection, document_id: UUID) -> asyncpg.Record | None:
    return await connection.fetchrow("select * from public.invoice_register where document_id = $1", document_id)


async def _call(connection: Connection, function: str, *arguments: Any) -> Any:
    places = ", ".join(f"${place}" for place in range(1, len(arguments) + 1))
    async with access.acting(connection, "owner"):
        return await connection.fetchval(f"select public.{function}({places})", *arguments)


async def _waiting(
    connection: Connection, contact_ids: list[UUID] | None = None, role: str = "owner"
) -> list[asyncpg.Record]:
    async with access.acting(connection, role):
        return await connection.fetch("select * from public.unregistered_documents($1)", contact_ids)


async def test_a_paper_whose_needed_fields_are_sure_enters_once(connection: Connection) -> None:
    document_id = await _paper(connection)
    await _enter(connection, document_id)
    row = await _entry(connection, document_id)
    assert row is not None
    assert (row["source"], row["direction"], row["is_automatic"]) == ("campi", "passiva", True)
    assert (row["number"], row["total_cents"], row["open_cents"]) == ("7/A", 12_200, 12_200)
    assert (row["counterparty_name"], row["next_due_on"].isoformat()) == ("Neri S.r.l.", "2026-04-01")
    assert await _waiting(connection) == []
    issued = await _entry(connection, await _paper(connection, {**ISSUED, "number": "8"}))
    assert issued is not None
    assert (issued["direction"], issued["counterparty_name"]) == ("attiva", "Bianchi spa")


def _without(*keys: str) -> dict[str, str]:
    return {key: value for key, value in RECEIVED.items() if key not in keys}


@pytest.mark.parametrize(
    ("said", "doubtful", "columns", "gaps"),
    [
        (_without("number"), (), {}, ["no_number"]),
        (RECEIVED, ("number",), {}, ["number"]),
        (RECEIVED, ("issued_on", "total"), {}, ["issued_on", "total"]),
        (_without("total"), (), {}, ["no_total"]),
        ({**RECEIVED, "issued_on": "2199-01-01"}, (), {}, ["issued_on"]),
        ({**RECEIVED, "total": "-12200"}, (), {}, ["total"]),
        (_without("supplier"), (), {}, ["no_supplier"]),
        ({**ISSUED}, ("customer",), {}, ["customer"]),
        (_without("vat_number"), (), {}, ["direction"]),
        (RECEIVED, ("vat_number",), {}, ["direction"]),
        ({**RECEIVED, "customer_vat_number": CUSTOMER}, (), {}, ["direction"]),
        ({**RECEIVED, "type_code": "TD04"}, ("type_code",), {}, ["type_code"]),
        ({**RECEIVED, "currency": "USD"}, ("currency",), {}, ["currency"]),
        ({**RECEIVED, "withholding": "2000", "due": "10200"}, ("withholding",), {}, ["withholding"]),
        (RECEIVED, ("due_on",), {}, ["due_on"]),
        (RECEIVED, (), {"kind_confidence": 0.7}, ["kind"]),
        (RECEIVED, (), {"kind_confidence": None}, ["kind"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
async def test_a_paper_with_a_doubtful_or_missing_field_waits_and_says_which(
    said: dict[str, str], doubtful: tuple[str, ...], columns: dict[str, Any], gaps: list[str], connection: Connection
) -> None:
    document_id = await _paper(connection, said, doubtful, **columns)
    assert await _entry(connection, document_id) is None
    assert [row["gaps"] for row in await _waiting(connection)] == [gaps]


async def test_without_the_owners_vat_number_nobody_knows_who_pays(connection: Connection) -> None:
    await connection.execute("update public.profiles set vat_number = null where user_id = $1", OWNER)
    document_id = await _paper(connection)
    assert await _entry(connection, document_id) is None
    assert [(row["direction"], row["gaps"]) for row in await _waiting(connection)] == [(None, ["own_vat"])]


async def test_a_page_that_was_not_read_may_hold_another_total(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER, kind="fattura", kind_confidence=0.95)
    await connection.execute(
        "insert into public.document_pages (user_id, document_id, no, state) values ($1, $2, 2, 'errore')",
        OWNER,
        document_id,
    )
    for key, value in RECEIVED.items():
        await documents.field(connection, document_id, key, value, 0.95)
    await _enter(connection, document_id)
    assert await _entry(connection, document_id) is None
    assert [row["gaps"] for row in await _waiting(connection)] == [["pages"]]


@pytest.mark.parametrize("kind", ["preventivo", "contratto", "ricevuta", "f24", "durc", "altro"])
async def test_what_nobody_owes_never_becomes_a_debt(kind: str, connection: Connection) -> None:
    document_id = await _paper(connection, kind=kind)
    assert await _entry(connection, document_id) is None
    assert await _waiting(connection) == []


async def test_what_the_owner_confirms_last_enters_by_itself(connection: Connection) -> None:
    document_id = await _paper(connection, RECEIVED, ("total", "due_on"))
    await _call(connection, "confirm_field", document_id, "total", "12300")
    assert await _entry(connection, document_id) is None
    await _call(connection, "confirm_field", document_id, "due_on", "2026-04-01")
    row = await _entry(connection, document_id)
    assert row is not None
    assert (row["total_cents"], row["is_automatic"]) == (12_300, True)
    await _call(connection, "set_document_kind", document_id, "preventivo")
    assert await _entry(connection, document_id) is None
    await _call(connection, "set_document_kind", document_id, "fattura")
    assert await _entry(connection, document_id) is not None


async def test_a_contact_that_the_owner_links_says_who_the_other_side_is(connection: Connection) -> None:
    document_id = await _paper(connection, RECEIVED, ("supplier",))
    contact_id = await crm.contact(connection, OWNER)
    await _call(connection, "link_document_contact", document_id, contact_id)
    row = await _entry(connection, document_id)
    assert row is not None
    assert (row["contact_id"], row["is_automatic"]) == (contact_id, True)


async def test_what_the_owner_takes_out_stays_out(connection: Connection) -> None:
    document_id = await _paper(connection)
    await _call(connection, "leave_out_of_register", document_id)
    for again in range(2):
        assert await _entry(connection, document_id) is None, again
        assert await _waiting(connection) == []
        await _enter(connection, document_id)
        await _call(connection, "confirm_field", document_id, "number", "7/B")
    await _call(connection, "leave_out_of_register", document_id, False)
    row = await _entry(connection, document_id)
    assert row is not None
    assert row["number"] == "7/B"
    await _call(connection, "leave_out_of_register", document_id)
    await _call(connection, "confirm_invoice", document_id)
    row = await _entry(connection, document_id)
    assert row is not None
    assert row["is_automatic"] is False


async def test_an_electronic_invoice_stays_in_the_register(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER, kind="fattura")
    await documents.store_invoices(connection, document_id, {})
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, "leave_out_of_register", document_id)
    assert refusal.value.sqlstate == "SC043"


async def test_another_reading_that_is_not_sure_takes_out_what_entered_by_itself(connection: Connection) -> None:
    untouched, confirmed, paid = [
        await _paper(connection, {**RECEIVED, "number": number}) for number in ("1", "2", "3")
    ]
    await _call(connection, "confirm_invoice", confirmed)
    entry = await _entry(connection, paid)
    assert entry is not None
    await _call(connection, "mark_invoice_paid", entry["id"], datetime.now(UTC).date())
    await connection.execute("update public.document_fields set confidence = 0.5 where key = 'total'")
    for document_id in (untouched, confirmed, paid):
        await _enter(connection, document_id)
    assert await _entry(connection, untouched) is None
    assert await _entry(connection, confirmed) is not None
    assert await _entry(connection, paid) is not None
    assert [row["document_id"] for row in await _waiting(connection)] == [untouched]


async def test_an_invoice_that_is_there_from_its_file_is_not_entered_again(connection: Connection) -> None:
    file = {"number": "7/A", "issued_on": "2026-03-01", "counterparty_name": "NERI SRL", "counterparty_vat": SUPPLIER}
    await documents.store_invoices(connection, await documents.document(connection, OWNER, kind="fattura"), file)
    for said in (RECEIVED, _without("vat_number")):
        document_id = await _paper(connection, said)
        assert await _entry(connection, document_id) is None
    assert await _waiting(connection) == []
    await _paper(connection, {**RECEIVED, "number": "8/A"}, ("number",))
    assert len(await _waiting(connection)) == 1


async def test_copies_are_neither_entered_nor_named(connection: Connection) -> None:
    first = await _paper(connection, RECEIVED, ("total",))
    copy = await _paper(connection, duplicate_of=first)
    file = await documents.document(connection, OWNER, kind="fattura")
    await documents.store_invoices(connection, file, {"number": "99"})
    inside = await _paper(connection, {**RECEIVED, "number": "98"}, parent_id=file)
    assert [await _entry(connection, each) for each in (copy, inside)] == [None, None]
    assert [row["document_id"] for row in await _waiting(connection)] == [first]
    await connection.execute("update public.documents set deleted_at = now() where id = $1", first)
    assert [row["document_id"] for row in await _waiting(connection)] == [copy]


async def test_what_waits_is_named_with_side_and_total_to_its_owner_alone(connection: Connection) -> None:
    start = datetime.now(UTC)
    received = await _paper(connection, RECEIVED, ("number",), created_at=start)
    issued = await _paper(connection, {**ISSUED, "total": "90080"}, ("number",), created_at=start + timedelta(1))
    unread = await _paper(connection, _without("total", "vat_number"), created_at=start + timedelta(2))
    await _paper(connection, RECEIVED, ("number",), deleted_at=start)
    rows = await _waiting(connection)
    assert [(row["document_id"], row["direction"], row["total_cents"], row["counterparty"]) for row in rows] == [
        (received, "passiva", 12_200, "Neri S.r.l."),
        (issued, "attiva", 90_080, "Bianchi spa"),
        (unread, None, None, "Neri S.r.l."),
    ]
    assert await _waiting(connection, role="stranger") == []
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await _waiting(connection, role="anon")


async def test_what_waits_belongs_to_the_contact_with_its_number_else_with_its_name(connection: Connection) -> None:
    numbered = await crm.contact(connection, OWNER, type="azienda", business_name="Altro nome", vat_number=SUPPLIER)
    named = await crm.contact(connection, OWNER, type="azienda", business_name="NERI SRL")
    other = await crm.contact(connection, OWNER, type="azienda", business_name="Neri srl", vat_number=CUSTOMER)
    linked = await crm.contact(connection, OWNER)
    one = await _paper(connection, RECEIVED, ("number",))
    bare = await _paper(connection, {**_without("vat_number"), "number": "9"})
    theirs = await _paper(connection, {**RECEIVED, "number": "10"}, ("total",), contact_id=linked)
    found = {
        contact: {row["document_id"] for row in await _waiting(connection, [contact])}
        for contact in (numbered, named, other, linked)
    }
    assert found == {numbered: {one}, named: {one, bare}, other: {bare}, linked: {theirs}}


@pytest.mark.parametrize(
    ("scan", "is_twin"),
    [
        ({"counterparty_name": "Neri S.r.l."}, True),
        ({"counterparty_name": "Neri"}, False),
        ({"counterparty_name": "Neri S.r.l.", "counterparty_vat": CUSTOMER}, False),
        ({"counterparty_name": "N. e figli", "counterparty_vat": SUPPLIER}, True),
    ],
    ids=["same name", "another name", "another number", "same number"],
)
async def test_a_twin_is_known_by_number_else_by_the_name_as_names_are_compared(
    scan: dict[str, str], is_twin: bool, connection: Connection
) -> None:
    known = {"counterparty_name": "NERI SRL", "counterparty_vat": SUPPLIER, "source": "fatturapa"}
    for invoice in (known, {"source": "campi", **scan}):
        await documents.store_invoices(connection, await documents.document(connection, OWNER), invoice)
    async with access.acting(connection, "owner"):
        rows = await connection.fetch("select twin from public.invoice_register")
    assert sum(row["twin"] is not None for row in rows) == int(is_twin)


async def test_the_reader_and_the_register_are_sure_of_the_same(connection: Connection) -> None:
    sure = await connection.fetchval("select public.sure_confidence()")
    assert sure == pytest.approx(extraction.SURE)
    client = (ROOT / "web/src/data/document-fields.ts").read_text()
    assert f"export const SURE = {extraction.SURE}\n" in client
