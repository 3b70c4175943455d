"""Invoices: stored once however often their job runs, paid in parts, reminded of once, made of a scan."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from functions._shared.fatturapa.model import CREDIT_NOTES, SELF_INVOICES
from tests.db import access, crm, documents, ledger
from tests.db.access import PEOPLE
from tests.db.accounts import Connection
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
PARTS = [
    {"no": 1, "due_on": "2026-03-31", "amount_cents": 61_000, "method": "MP05", "iban": "IT60X0542811101000000123456"},
    {"no": 2, "due_on": "2026-04-30", "amount_cents": 61_000},
    {"no": 3, "due_on": None, "amount_cents": 0},
]


async def _call(connection: Connection, function: str, *arguments: Any, role: str = "owner") -> Any:
    places = ", ".join(f"${place}" for place in range(1, len(arguments) + 1))
    async with access.acting(connection, role):
        return await connection.fetchval(f"select public.{function}({places})", *arguments)


async def _invoice(connection: Connection, **columns: Any) -> UUID:
    document_id = await documents.document(connection, OWNER, kind="fattura")
    invoice = {"counterparty_name": "Rossi srl", "schedules": PARTS[:2], **columns}
    return (await documents.store_invoices(connection, document_id, invoice))[0]


async def _schedules(connection: Connection, invoice_id: UUID) -> list[asyncpg.Record]:
    return await connection.fetch(
        "select * from public.invoice_schedules where invoice_id = $1 order by no", invoice_id
    )


async def _paid_on(connection: Connection, invoice_id: UUID) -> date | None:
    paid_on: date | None = await connection.fetchval("select paid_on from public.invoices where id = $1", invoice_id)
    return paid_on


async def test_storing_again_changes_nothing_and_keeps_what_was_paid(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER)
    bodies: list[dict[str, Any]] = [{"number": "1", "schedules": PARTS}, {"number": "2"}]
    ids = await documents.store_invoices(connection, document_id, *bodies)
    schedules = await _schedules(connection, ids[0])
    await _call(connection, "mark_schedule_paid", schedules[0]["id"], date(2026, 3, 30))
    await _call(connection, "remind_of_schedules", ids[0])
    before = await connection.fetch(
        "select * from public.invoices where document_id = $1 order by body_no", document_id
    )
    paid = await _schedules(connection, ids[0])
    assert await documents.store_invoices(connection, document_id, *bodies) == ids
    after = await connection.fetch("select * from public.invoices where document_id = $1 order by body_no", document_id)
    assert (after, await _schedules(connection, ids[0])) == (before, paid)


async def test_bodies_and_parts_that_a_file_does_not_hold_any_more_go(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER)
    first, _ = await documents.store_invoices(connection, document_id, {"schedules": PARTS}, {"number": "2"})
    assert await documents.store_invoices(connection, document_id, {"schedules": PARTS[:1]}) == [first]
    assert len(await _schedules(connection, first)) == 1


async def test_an_invoice_is_paid_with_its_last_part(connection: Connection) -> None:
    invoice_id = await _invoice(connection)
    first, second = [row["id"] for row in await _schedules(connection, invoice_id)]
    await _call(connection, "mark_schedule_paid", first, date(2026, 4, 2))
    assert await _paid_on(connection, invoice_id) is None
    await _call(connection, "mark_schedule_paid", second, date(2026, 3, 1))
    assert await _paid_on(connection, invoice_id) == date(2026, 4, 2)
    assert await ledger.broken(connection) == {}
    await _call(connection, "mark_schedule_paid", first, None)
    assert await _paid_on(connection, invoice_id) is None
    assert await ledger.broken(connection) == {}


async def test_paying_an_invoice_pays_the_rest_and_does_its_tasks(connection: Connection) -> None:
    invoice_id = await _invoice(connection)
    first, _ = await _schedules(connection, invoice_id)
    await _call(connection, "remind_of_schedules", invoice_id)
    await _call(connection, "mark_schedule_paid", first["id"], date(2026, 3, 30))
    await _call(connection, "mark_invoice_paid", invoice_id, date(2026, 5, 1))
    rows = await _schedules(connection, invoice_id)
    assert [row["paid_on"] for row in rows] == [date(2026, 3, 30), date(2026, 5, 1)]
    states = await connection.fetch(
        "select distinct state::text from public.tasks where id = any ($1)", [row["task_id"] for row in rows]
    )
    assert [row["state"] for row in states] == ["fatto"]
    await _call(connection, "mark_invoice_paid", invoice_id, None)
    assert [row["paid_on"] for row in await _schedules(connection, invoice_id)] == [None, None]


async def test_a_reminder_is_a_task_of_the_contact_made_once(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    # In a year to come, however late this runs.
    parts = [{"no": no, "due_on": day, "amount_cents": 61_000} for no, day in ((1, "2099-03-31"), (2, "2099-04-30"))]
    invoice_id = await _invoice(connection, schedules=parts)
    document_id = await connection.fetchval("select document_id from public.invoices where id = $1", invoice_id)
    await _call(connection, "link_document_contact", document_id, contact_id)
    assert await _call(connection, "remind_of_schedules", invoice_id) == 2
    assert await _call(connection, "remind_of_schedules", invoice_id) == 0
    first = (await _schedules(connection, invoice_id))[0]
    task = await connection.fetchrow("select * from public.tasks where id = $1", first["task_id"])
    assert task is not None
    assert task["title"] == "Paga fattura 12/2026 di Anna Verdi: 610,00 €"
    # Midnight in Rome, where the clocks have gone forward between the two.
    assert (task["due_at"], task["due_is_allday"]) == (datetime(2099, 3, 30, 22, tzinfo=UTC), True)
    assert task["remind_at"] == [datetime(2099, 3, 28, 8, tzinfo=UTC)]
    assert task["contact_id"] == contact_id
    links = "select count(*) from public.document_links where document_id = $1 and task_id is not null"
    assert await connection.fetchval(links, document_id) == 2


async def test_a_reminder_that_is_asked_for_late_still_comes(connection: Connection) -> None:
    today = await connection.fetchval("select (now() at time zone 'Europe/Rome')::date")
    days = [today + timedelta(days=later) for later in (-5, 2, 4)]
    schedules = [{"no": no, "due_on": day.isoformat(), "amount_cents": 1} for no, day in enumerate(days, 1)]
    invoice_id = await _invoice(connection, schedules=schedules)
    await _call(connection, "remind_of_schedules", invoice_id)
    rows = await connection.fetch(
        """
        select next_remind_at - now() as waits, (next_remind_at at time zone 'Europe/Rome') as moment
        from public.invoice_schedules join public.tasks on tasks.id = task_id where invoice_id = $1 order by no
        """,
        invoice_id,
    )
    overdue, near, far = rows
    assert overdue["waits"] == timedelta(minutes=1)
    # Three days before is over for the one, to come for the other.
    nine = time(9)
    assert (near["moment"], far["moment"]) == tuple(
        datetime.combine(day, nine) for day in (days[1], days[2] - timedelta(days=3))
    )


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        ({"direction": "attiva"}, "Incassa fattura 12/2026 da Rossi srl: 1.234.567,89 €"),
        ({"type_code": "TD04"}, "Incassa nota di credito 12/2026 da Rossi srl: 1.234.567,89 €"),
        ({"direction": "attiva", "type_code": "TD04"}, "Paga nota di credito 12/2026 a Rossi srl: 1.234.567,89 €"),
        ({"counterparty_name": None, "currency": "USD"}, "Paga fattura 12/2026: 1.234.567,89 USD"),
    ],
    ids=["issued", "credit received", "credit issued", "of nobody"],
)
async def test_a_reminder_says_which_way_the_money_goes(
    columns: dict[str, str], title: str, connection: Connection
) -> None:
    schedules = [{"due_on": "2026-12-31", "amount_cents": 123_456_789}]
    invoice_id = await _invoice(connection, schedules=schedules, **columns)
    await _call(connection, "remind_of_schedules", invoice_id, 0)
    task_id = (await _schedules(connection, invoice_id))[0]["task_id"]
    assert await connection.fetchval("select title from public.tasks where id = $1", task_id) == title


async def test_what_is_paid_or_has_no_day_needs_no_reminder(connection: Connection) -> None:
    invoice_id = await _invoice(connection, schedules=PARTS)
    await _call(connection, "mark_schedule_paid", (await _schedules(connection, invoice_id))[0]["id"], date(2026, 3, 1))
    assert await _call(connection, "remind_of_schedules", invoice_id) == 1


async def test_a_scan_becomes_an_invoice_of_what_is_sure(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER, kind="fattura", supplier='{"name": "Rossi srl"}')
    for key, value, confidence in [
        ("number", "7/A", 0.9), ("issued_on", "2026-03-01", 0.9), ("total", "12200", 0.9),
        ("due_on", "2026-04-01", 0.9), ("net", "10000", 0.3), ("vat_number", "00743110157", 0.9),
    ]:  # fmt: skip
        await documents.field(connection, document_id, key, value, confidence)
    invoice_id = await _call(connection, "confirm_invoice", document_id)
    assert await _call(connection, "confirm_invoice", document_id) == invoice_id
    row = await connection.fetchrow("select * from public.invoices where id = $1", invoice_id)
    assert row is not None
    assert (row["source"], row["direction"], row["number"], row["total_cents"]) == ("campi", "passiva", "7/A", 12_200)
    assert (row["counterparty_name"], row["counterparty_vat"], row["net_cents"]) == ("Rossi srl", "00743110157", None)
    schedule = (await _schedules(connection, invoice_id))[0]
    assert (schedule["due_on"], schedule["amount_cents"]) == (date(2026, 4, 1), 12_200)


async def test_a_scan_that_shows_the_owners_own_number_is_an_issued_invoice(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER)
    async with access.acting(connection, "owner"):
        await connection.execute("update public.profiles set vat_number = '00743110157'")
    for key, value in [
        ("number", "7"), ("issued_on", "2026-03-01"), ("total", "1"), ("vat_number", "00743110157"),
        ("customer", "Bianchi spa"),
    ]:  # fmt: skip
        await documents.field(connection, document_id, key, value)
    row = await connection.fetchrow(
        "select * from public.invoices where id = $1", await _call(connection, "confirm_invoice", document_id)
    )
    assert row is not None
    assert (row["direction"], row["counterparty_name"], row["counterparty_vat"]) == ("attiva", "Bianchi spa", None)


async def _scan(connection: Connection, said: dict[str, str], **columns: Any) -> UUID:
    """A scan with these fields, all sure."""
    document_id = await documents.document(connection, OWNER, **{"kind": "fattura", **columns})
    known = {
        "number": "7",
        "issued_on": "2026-03-01",
        "total": "122000",
        "vat_number": "00743110157",
        "supplier": "Studio",
    }
    for key, value in {**known, **said}.items():
        await documents.field(connection, document_id, key, value)
    return document_id


async def _registered(connection: Connection, document_id: UUID) -> asyncpg.Record | None:
    return await connection.fetchrow("select * from public.invoices where document_id = $1", document_id)


async def test_the_owners_tax_code_on_a_paper_of_somebody_else_makes_it_not_ones_own(connection: Connection) -> None:
    async with access.acting(connection, "owner"):
        await connection.execute("update public.profiles set vat_number = '09876540155', tax_code = 'VRDNNA80A41H501H'")
    document_id = await _scan(connection, {"tax_code": "VRDNNA80A41H501H", "customer": "Anna Verdi"})
    await _call(connection, "confirm_invoice", document_id)
    row = await _registered(connection, document_id)
    assert row is not None
    assert (row["direction"], row["counterparty_name"]) == ("passiva", "Studio")
    await _call(connection, "confirm_field", document_id, "vat_number", None)
    row = await _registered(connection, document_id)
    assert row is not None
    assert row["direction"] == "attiva"


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ({"due": "102000", "withholding": "20000"}, 102_000),
        ({"withholding": "20000"}, 102_000),
        ({"due": "102000"}, 102_000),
        ({"total": "-122000", "withholding": "20000"}, -102_000),
        ({"due": "senza"}, None),
        ({}, None),
    ],
    ids=["both", "withholding", "due", "withheld of what is given back", "nonsense", "neither"],
)
async def test_of_a_scan_what_is_withheld_is_not_due(
    said: dict[str, str], due: int | None, connection: Connection
) -> None:
    invoice_id = await _call(connection, "confirm_invoice", await _scan(connection, said))
    assert await connection.fetchval("select due_cents from public.invoices where id = $1", invoice_id) == due
    assert [row["amount_cents"] for row in await _schedules(connection, invoice_id)] == [due or 122_000]


async def test_a_scan_is_of_the_type_and_currency_it_shows(connection: Connection) -> None:
    document_id = await _scan(connection, {"type_code": "TD04", "currency": "USD"})
    await _call(connection, "confirm_invoice", document_id)
    row = await _registered(connection, document_id)
    assert row is not None
    assert (row["type_code"], row["currency"]) == ("TD04", "USD")


@pytest.mark.parametrize(("key", "value"), [("type_code", "TD04"), ("currency", "USD")])
async def test_a_scan_of_a_doubtful_type_or_currency_is_not_registered(
    key: str, value: str, connection: Connection
) -> None:
    document_id = await _scan(connection, {})
    await documents.field(connection, document_id, key, value, 0.6)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction():
            await _call(connection, "confirm_invoice", document_id)
    assert refusal.value.sqlstate == "SC041"
    await _call(connection, "confirm_field", document_id, key, value)
    assert await _call(connection, "confirm_invoice", document_id)


async def test_what_is_corrected_of_a_registered_scan_reaches_the_register_and_its_reminder(
    connection: Connection,
) -> None:
    document_id = await _scan(connection, {"due": "102000", "withholding": "20000", "due_on": "2099-11-30"})
    invoice_id = await _call(connection, "confirm_invoice", document_id)
    await _call(connection, "remind_of_schedules", invoice_id)
    for key, value in {"total": "200000", "due_on": "2099-12-15", "number": "8"}.items():
        await _call(connection, "confirm_field", document_id, key, value)
    row = await _registered(connection, document_id)
    assert row is not None
    assert (row["id"], row["total_cents"], row["due_cents"], row["number"]) == (invoice_id, 200_000, 180_000, "8")
    (schedule,) = await _schedules(connection, invoice_id)
    assert (schedule["due_on"], schedule["amount_cents"]) == (date(2099, 12, 15), 180_000)
    task = await connection.fetchrow("select * from public.tasks where id = $1", schedule["task_id"])
    assert task is not None
    assert task["title"] == "Paga fattura 8 di Studio: 1.800,00 €"
    assert task["due_at"] == datetime(2099, 12, 14, 23, tzinfo=UTC)
    assert task["remind_at"] == [datetime(2099, 12, 12, 8, tzinfo=UTC)]
    # What its owner wrote or chose is theirs.
    await connection.execute(
        "update public.tasks set title = 'Chiama lo Studio', due_at = '2099-12-01' where id = $1", task["id"]
    )
    for key, value in {"total": "100000", "due_on": "2099-12-20"}.items():
        await _call(connection, "confirm_field", document_id, key, value)
    row = await connection.fetchrow("select title, due_at from public.tasks where id = $1", task["id"])
    assert row is not None
    assert (row["title"], row["due_at"].month, row["due_at"].day) == ("Chiama lo Studio", 11, 30)


async def test_a_registered_scan_that_is_no_invoice_leaves_the_register_with_its_reminder(
    connection: Connection,
) -> None:
    document_id = await _scan(connection, {"due_on": "2099-11-30"})
    invoice_id = await _call(connection, "confirm_invoice", document_id)
    await _call(connection, "remind_of_schedules", invoice_id)
    (schedule,) = await _schedules(connection, invoice_id)
    await _call(connection, "set_document_kind", document_id, "preventivo")
    assert await _registered(connection, document_id) is None
    assert await connection.fetchval(
        "select deleted_at is not null from public.tasks where id = $1", schedule["task_id"]
    )


async def test_a_reminder_goes_into_the_trash_with_its_document_and_comes_back(connection: Connection) -> None:
    schedules = [{"no": no, "due_on": "2099-12-31", "amount_cents": 1} for no in (1, 2)]
    invoice_id = await _invoice(connection, schedules=schedules)
    await _call(connection, "remind_of_schedules", invoice_id)
    gone, alive = [row["task_id"] for row in await _schedules(connection, invoice_id)]
    await connection.execute("update public.tasks set deleted_at = '2026-01-01' where id = $1", gone)
    document_id = await connection.fetchval("select document_id from public.invoices where id = $1", invoice_id)
    in_trash = "select deleted_at is not null from public.tasks where id = $1"
    for deleted_at, expected in ((datetime(2026, 5, 1, tzinfo=UTC), True), (None, False)):
        async with access.acting(connection, "owner"):
            await connection.execute(
                "update public.documents set deleted_at = $2 where id = $1", document_id, deleted_at
            )
        assert [await connection.fetchval(in_trash, task_id) for task_id in (gone, alive)] == [True, expected]


async def test_confirming_all_of_ones_own_scan_keeps_its_customer(connection: Connection) -> None:
    async with access.acting(connection, "owner"):
        await connection.execute("update public.profiles set vat_number = '00743110157'")
    fields = {"customer": "Bianchi spa", "customer_vat_number": "09876540155", "supplier": "Io"}
    document_id = await _scan(connection, fields, supplier='{"name": "Bianchi spa"}')
    for key, value in {**fields, "vat_number": "00743110157"}.items():
        await _call(connection, "confirm_field", document_id, key, value)
    supplier = await connection.fetchval("select supplier from public.documents where id = $1", document_id)
    assert json.loads(supplier) == {"name": "Bianchi spa", "vat_number": "09876540155"}
    await _call(connection, "confirm_invoice", document_id)
    row = await _registered(connection, document_id)
    assert row is not None
    assert (row["direction"], row["counterparty_name"], row["counterparty_vat"]) == (
        "attiva", "Bianchi spa", "09876540155",
    )  # fmt: skip


async def test_a_scan_is_about_the_other_side_as_soon_as_it_is_known_whose_it_is(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    theirs = {"name": "Studio", "vat_number": "00743110157"}
    ours = {"name": "Bianchi spa", "vat_number": "DE123456789"}
    said = {"customer": ours["name"], "customer_vat_number": ours["vat_number"]}
    document_id = await _scan(connection, said, supplier=json.dumps(theirs), contact_id=contact_id)
    other_id = await _scan(connection, {"vat_number": "09876540155"}, contact_id=contact_id)
    about = "select supplier, contact_id from public.documents where id = $1"
    profile = "update public.profiles set vat_number = $1"
    async with access.acting(connection, "owner"):
        await connection.execute(profile, theirs["vat_number"])
    row = await connection.fetchrow(about, document_id)
    assert row is not None
    assert (json.loads(row["supplier"]), row["contact_id"]) == (ours, None)
    row = await connection.fetchrow(about, other_id)
    assert row is not None
    assert (row["supplier"], row["contact_id"]) == (None, contact_id)
    for vat_number, expected in (("09876540155", {**theirs, "vat_number": "09876540155"}), ("00743110157", ours)):
        await _call(connection, "confirm_field", document_id, "vat_number", vat_number)
        assert json.loads(await connection.fetchval(about, document_id)) == expected
    async with access.acting(connection, "owner"):
        await connection.execute(profile, None)
    assert json.loads(await connection.fetchval(about, document_id)) == theirs


async def test_the_total_of_a_credit_note_takes_away(connection: Connection) -> None:
    document_id = await _scan(connection, {"type_code": "TD04"}, total_cents=-122_000)
    total = "select total_cents from public.documents where id = $1"
    for key, value, expected in (("total", "5000", -5_000), ("type_code", None, 5_000), ("type_code", "TD04", -5_000)):
        await _call(connection, "confirm_field", document_id, key, value)
        assert await connection.fetchval(total, document_id) == expected


@pytest.mark.parametrize(("key", "value"), [("due", "10,50"), ("currency", "euro"), ("type_code", "nota")])
async def test_a_field_that_is_no_amount_currency_or_type_is_refused(
    key: str, value: str, connection: Connection
) -> None:
    document_id = await documents.document(connection, OWNER)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, "confirm_field", document_id, key, value)
    assert refusal.value.sqlstate == "22023"


async def test_the_same_invoice_counts_once_and_the_paid_one_first(connection: Connection) -> None:
    first = await connection.fetchval("select date_trunc('month', now() at time zone 'Europe/Rome')::date")
    issued = {"direction": "attiva", "issued_on": first.isoformat(), "total_cents": 100, "source": "fatturapa"}
    private = {"counterparty_name": "Anna", "content": {"customer": {"tax_code": "VRDNNA80A41H501H"}}}
    for invoice in (
        {"number": "1", "counterparty_vat": "09876540155"}, {"number": "1", "counterparty_vat": "09876540155"},
        {"number": "2", **private}, {"number": "2", **private},
        {"number": "3", "counterparty_name": "Bar Sport"}, {"number": "3", "counterparty_name": "BAR SPORT"},
        {"number": "3", "counterparty_name": "Bar Roma"}, {"number": "4"}, {"number": "4"},
    ):  # fmt: skip
        await documents.store_invoices(connection, await documents.document(connection, OWNER), {**issued, **invoice})
    twins = "select id, public.twin(invoices) ->> 'filename' as twin from public.invoices where number = $1 order by id"
    sums = """
        select coalesce(sum(cents) filter (where paid_on is not null), 0)::bigint,
          coalesce(sum(cents) filter (where paid_on is null), 0)::bigint
        from public.invoice_parts where direction = 'attiva' and counts
    """
    async with access.acting(connection, "owner"):
        # Nobody's name is nobody's: those two may be different ones.
        assert tuple(await connection.fetchrow(sums) or ()) == (0, 600)
        counted = [sum(row["twin"] is None for row in await connection.fetch(twins, number)) for number in "1234"]
        assert counted == [1, 1, 2, 2]
        second = await connection.fetchval(f"select id from ({twins}) as found where twin is not null", "1")
    await _call(connection, "mark_invoice_paid", second, first)
    async with access.acting(connection, "owner"):
        assert tuple(await connection.fetchrow(sums) or ()) == (100, 500)
        rows = {row["id"]: row["twin"] for row in await connection.fetch(twins, "1")}
    assert rows.pop(second) is None
    assert list(rows.values()) == ["scansione.pdf"]


@pytest.mark.parametrize(
    ("electronic", "scan", "counted"),
    [
        ({"type_code": "TD24"}, {"type_code": "TD01"}, 1),
        ({"type_code": "TD24"}, {"type_code": "TD04"}, 2),
        ({"type_code": "TD24"}, {"type_code": "TD01", "source": "fatturapa"}, 2),
        ({"direction": "attiva"}, {"direction": "attiva", "counterparty_vat": None, "counterparty_name": "Anna"}, 1),
        ({}, {"counterparty_vat": "00743110157"}, 2),
    ],
    ids=["deferred", "credit note", "two files", "private customer", "another supplier"],
)
async def test_a_file_and_its_scan_count_once(
    electronic: dict[str, Any], scan: dict[str, Any], counted: int, connection: Connection
) -> None:
    known = {"counterparty_vat": "09876540155", "number": "77"}
    for invoice in ({"source": "fatturapa", **electronic}, {"source": "campi", **scan}):
        await documents.store_invoices(connection, await documents.document(connection, OWNER), {**known, **invoice})
    async with access.acting(connection, "owner"):
        rows = await connection.fetch("select public.twin(invoices) as twin from public.invoices where number = '77'")
    assert sum(row["twin"] is None for row in rows) == counted


@pytest.mark.parametrize("key", ["number", "issued_on", "total"])
async def test_a_registered_scan_keeps_what_an_invoice_needs(key: str, connection: Connection) -> None:
    document_id = await _scan(connection, {})
    await _call(connection, "confirm_invoice", document_id)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, "confirm_field", document_id, key, None)
    assert refusal.value.sqlstate == "SC041"


async def test_an_electronic_invoice_says_everything_itself(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER, kind="fattura")
    await documents.store_invoices(connection, document_id, {})
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, "confirm_field", document_id, "total", "1")
    assert refusal.value.sqlstate == "SC043"


async def test_a_placeholder_is_no_alias(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    supplier = json.dumps({"name": "Smith", "vat_number": "OO99999999999", "tax_code": "0000000"})
    document_id = await documents.document(connection, OWNER, supplier=supplier)
    await _call(connection, "link_document_contact", document_id, contact_id)
    kinds = await connection.fetch("select kind::text from public.document_aliases where contact_id = $1", contact_id)
    assert [row["kind"] for row in kinds] == ["name"]


async def test_the_browser_can_leave_out_what_counts_elsewhere(world: World) -> None:
    asked = {"select": "cents", "counts": "eq.true"}
    headers = {"authorization": f"Bearer {world.tokens['owner']}"}
    answer = await world.client.get("/invoice_parts", params=asked, headers=headers)
    assert answer.json() == [{"cents": 122_000}]


async def test_the_browser_can_ask_for_the_late_ones_first(world: World) -> None:
    asked = {"select": "number,next_due_on,state,twin", "order": "next_due_on.asc.nullslast,id.asc"}
    headers = {"authorization": f"Bearer {world.tokens['owner']}"}
    answer = await world.client.get("/invoice_register", params=asked, headers=headers)
    found = {"number": "12/2026", "next_due_on": "2026-03-31", "state": "scaduta", "twin": None}
    assert answer.json() == [found]


async def test_an_invoice_is_next_due_on_the_first_day_that_is_not_paid(connection: Connection) -> None:
    invoice_id = await _invoice(connection, schedules=[PARTS[2], PARTS[1], PARTS[0]])
    next_due = "select next_due_on from public.invoice_register where id = $1"
    for day in (date(2026, 3, 31), date(2026, 4, 30), None):
        assert await connection.fetchval(next_due, invoice_id) == day
        await connection.execute(
            "update public.invoice_schedules set paid_on = due_on where invoice_id = $1 and due_on = $2",
            invoice_id,
            day,
        )


async def _register(connection: Connection, number: str) -> asyncpg.Record:
    async with access.acting(connection, "owner"):
        row = await connection.fetchrow("select * from public.invoice_register where number = $1", number)
    assert row is not None
    return row


PAST, FUTURE = "2026-01-31", "2099-01-31"
OF_THE_NET: list[dict[str, Any]] = [
    {"no": 1, "due_on": PAST, "amount_cents": 3_608},
    {"no": 2, "due_on": PAST, "amount_cents": 794},
]


@pytest.mark.parametrize(
    ("told", "state", "amounts"),
    [
        ({"schedules": []}, "aperta", (4_402, 0, 4_402, 0)),
        ({"schedules": [], "due_cents": 3_608}, "aperta", (3_608, 0, 3_608, 0)),
        ({"schedules": OF_THE_NET}, "scaduta", (4_402, 0, 4_402, 4_402)),
        ({"schedules": [{**OF_THE_NET[0], "paid_on": PAST}, OF_THE_NET[1]]}, "scaduta", (4_402, 3_608, 794, 794)),
        (
            {"schedules": [{**OF_THE_NET[0], "paid_on": PAST}, {**OF_THE_NET[1], "due_on": FUTURE}]},
            "in_parte",
            (4_402, 3_608, 794, 0),
        ),
        ({"schedules": OF_THE_NET, "paid_on": PAST}, "pagata", (4_402, 4_402, 0, 0)),
        ({"schedules": OF_THE_NET, "type_code": "TD04"}, "scaduta", (-4_402, 0, -4_402, -4_402)),
        ({"schedules": [], "type_code": "TD08", "total_cents": -4_402}, "aperta", (-4_402, 0, -4_402, 0)),
        ({"schedules": [], "type_code": "TD17"}, "non_si_paga", (0, 0, 0, 0)),
        ({"schedules": [{"due_on": FUTURE, "amount_cents": 4_402}], "currency": "USD"}, "aperta", (4_402, 0, 4_402, 0)),
    ],
    ids=[
        "whole",
        "withheld",
        "late",
        "late in part",
        "in part",
        "paid",
        "credit note",
        "negative",
        "self-invoice",
        "dollars",
    ],
)
async def test_a_row_of_the_register_is_what_its_parts_add_up_to(
    told: dict[str, Any], state: str, amounts: tuple[int, ...], connection: Connection
) -> None:
    """The row, and the totals over it, agree to the cent whatever is asked for."""
    await _invoice(connection, **{"number": "44", "total_cents": 4_402, **told})
    row = await _register(connection, "44")
    assert (row["state"], row["twin"]) == (state, None)
    assert tuple(row[f"{name}_cents"] for name in ("payable", "paid", "open", "late")) == amounts
    async with access.acting(connection, "owner"):
        totals = await connection.fetchrow(
            """
            select coalesce(sum(cents), 0), coalesce(sum(cents) filter (where paid_on is not null), 0),
              coalesce(sum(cents) filter (where paid_on is null), 0), coalesce(sum(cents) filter (where is_late), 0)
            from public.invoice_parts where invoice_id = $1 and counts
            """,
            row["id"],
        )
    assert tuple(totals or ()) == amounts


async def test_what_a_credit_note_says_takes_away_however_it_is_signed(connection: Connection) -> None:
    content = {
        "withholdings": [{"amount_cents": 1_000}, {"amount_cents": 200}],
        "summaries": [{"tax_cents": 794, "due": "S"}, {"tax_cents": 100, "due": "I"}],
    }
    said = {"net_cents": 3_608, "vat_cents": 794, "total_cents": 4_402, "content": content}
    names = ("net_cents", "vat_cents", "total_cents", "withheld_cents", "split_vat_cents")
    for type_code, sign in (("TD01", 1), ("TD04", -1)):
        await _invoice(connection, **said, number=type_code, type_code=type_code)
        row = await _register(connection, type_code)
        assert [row[name] for name in names] == [sign * cents for cents in (3_608, 794, 4_402, 1_200, 794)]


async def test_what_is_in_the_trash_or_there_twice_counts_nowhere(connection: Connection) -> None:
    for _ in range(2):
        await _invoice(connection, number="2", counterparty_vat="09876540155")
    gone = await documents.document(connection, OWNER, deleted_at=datetime.now(UTC))
    await documents.store_invoices(connection, gone, {"number": "3"})
    async with access.acting(connection, "owner"):
        counted = "select number, counts, sum(cents) from public.invoice_parts join public.invoices on invoices.id"
        rows = await connection.fetch(f"{counted} = invoice_id where number in ('2', '3') group by 1, 2 order by 1, 2")
    assert [tuple(row) for row in rows] == [("2", False, 122_000), ("2", True, 122_000), ("3", False, 122_000)]


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (CREDIT_NOTES, "nota_di_credito"),
        (SELF_INVOICES, "autofattura"),
        ({f"TD{no:02}" for no in range(100)} - CREDIT_NOTES - SELF_INVOICES, "fattura"),
    ],
    ids=["credit notes", "self-invoices", "invoices"],
)
async def test_the_reader_and_the_register_know_the_same_kinds(
    codes: set[str], kind: str, connection: Connection
) -> None:
    kinds = "select distinct private.invoice_kind(code)::text from unnest($1::text[]) as code"
    assert [row[0] for row in await connection.fetch(kinds, sorted(codes))] == [kind]


async def test_what_is_stored_again_of_a_paid_invoice_is_paid(connection: Connection) -> None:
    invoice_id = await _invoice(connection, schedules=[])
    await _call(connection, "mark_invoice_paid", invoice_id, date(2026, 4, 1))
    document_id = await connection.fetchval("select document_id from public.invoices where id = $1", invoice_id)
    await documents.store_invoices(connection, document_id, {"schedules": [{"amount_cents": 122_000}]})
    assert [row["paid_on"] for row in await _schedules(connection, invoice_id)] == [date(2026, 4, 1)]
    assert await ledger.broken(connection) == {}


async def test_a_scan_without_a_total_is_no_invoice(connection: Connection) -> None:
    document_id = await documents.document(connection, OWNER)
    await documents.field(connection, document_id, "number", "7")
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, "confirm_invoice", document_id)
    assert refusal.value.sqlstate == "SC041"


@pytest.mark.parametrize("function", ["mark_invoice_paid", "remind_of_schedules", "mark_schedule_paid"])
async def test_nobody_touches_another_persons_invoice(function: str, connection: Connection) -> None:
    invoice_id = await _invoice(connection)
    arguments: list[Any] = [invoice_id]
    if function == "mark_schedule_paid":
        arguments = [(await _schedules(connection, invoice_id))[0]["id"]]
    if function != "remind_of_schedules":
        arguments.append(date(2026, 1, 1))
    with pytest.raises(asyncpg.PostgresError) as refusal:
        await _call(connection, function, *arguments, role="stranger")
    assert refusal.value.sqlstate == "PT404"


async def test_each_month_shows_what_came_in_what_is_open_and_what_is_late(connection: Connection) -> None:
    first = await connection.fetchval("select date_trunc('month', now() at time zone 'Europe/Rome')::date")
    issued = {"direction": "attiva", "issued_on": first.isoformat()}
    before = (first - timedelta(days=1)).replace(day=1)
    yesterday, later = (first + timedelta(days=days) for days in (-1, 60))
    parts = [
        {"no": 1, "due_on": yesterday.isoformat(), "amount_cents": 100, "paid_on": yesterday.isoformat()},
        {"no": 2, "due_on": yesterday.isoformat(), "amount_cents": 20},
        {"no": 3, "due_on": later.isoformat(), "amount_cents": 3},
    ]
    for invoice in (
        {"schedules": parts},
        {"type_code": "TD04", "schedules": [{"amount_cents": 1, "due_on": later.isoformat()}]},
        {"issued_on": before.isoformat(), "due_cents": 4_000, "total_cents": 5_000, "paid_on": yesterday.isoformat()},
        # None of these is income: received, of another currency, to oneself, too long ago.
        {"direction": "passiva"},
        {"currency": "USD"},
        {"type_code": "TD27"},
        {"issued_on": (first - timedelta(days=400)).isoformat()},
    ):
        await documents.store_invoices(connection, await documents.document(connection, OWNER), {**issued, **invoice})
    gone = await documents.document(connection, OWNER, deleted_at=datetime.now(UTC))
    await documents.store_invoices(connection, gone, issued)
    page = json.loads(await _call(connection, "home_overview"))
    rows = [(row["month"], row["paid_cents"], row["open_cents"], row["late_cents"]) for row in page["months"]]
    assert len(rows) == 6
    assert rows[-2:] == [(before.isoformat(), 4_100, 20, 20), (first.isoformat(), 0, 0, 0)]
    page = json.loads(await _call(connection, "home_overview", role="stranger"))
    assert {row["paid_cents"] + row["open_cents"] for row in page["months"]} == {0}
