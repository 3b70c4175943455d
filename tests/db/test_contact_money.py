"""What contacts owe: every invoice counts for exactly one contact, and all of them add up to the register."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.db import access, crm, documents
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
TODAY = datetime.now(UTC).date()
LATE, SOON = (TODAY - timedelta(days=21)).isoformat(), (TODAY + timedelta(days=30)).isoformat()


async def _invoice(connection: Connection, contact_id: UUID | None, **columns: Any) -> UUID:
    """Insert an issued invoice of a document about this contact."""
    deleted_at = columns.pop("deleted_at", None)
    document_id = await documents.document(
        connection, OWNER, kind="fattura", contact_id=contact_id, deleted_at=deleted_at
    )
    invoice = {"direction": "attiva", "issued_on": LATE, "counterparty_name": "Rossi srl", **columns}
    return (await documents.store_invoices(connection, document_id, invoice))[0]


async def _rows(connection: Connection, contact_id: UUID, role: str = "owner") -> list[dict[str, Any]]:
    async with access.acting(connection, role):
        rows = await connection.fetch("select * from public.contact_money($1) order by currency", contact_id)
    return [dict(row) for row in rows]


async def _fill(connection: Connection) -> Mapping[str, UUID]:
    """Invoices of every sort, of a person, of their company, of nobody, of a contact in the trash."""
    company = await crm.contact(connection, OWNER, type="azienda", business_name="Rossi srl")
    person = await crm.contact(connection, OWNER, company_id=company)
    gone = await crm.contact(connection, OWNER, deleted_at=datetime.now(UTC))
    halves = [
        {"no": 1, "due_on": LATE, "amount_cents": 50_000},
        {"no": 2, "due_on": SOON, "amount_cents": 72_000},
        {"no": 3, "due_on": LATE, "amount_cents": 1_001, "paid_on": TODAY.isoformat()},
    ]
    await _invoice(connection, person, number="1", schedules=halves, total_cents=123_001, net_cents=100_000)
    await _invoice(connection, person, number="2", type_code="TD04", total_cents=10_000, net_cents=9_000)
    # Withheld tax is not owed.
    await _invoice(connection, company, number="3", total_cents=122_000, due_cents=102_000)
    await _invoice(connection, company, number="4", currency="USD", total_cents=77_700)
    await _invoice(connection, company, number="5", direction="passiva", total_cents=36_600)
    await _invoice(connection, company, number="6", type_code="TD27", total_cents=5_500)
    await _invoice(connection, company, number="7", deleted_at=datetime.now(UTC), total_cents=6_600)
    paid = {"paid_on": TODAY.isoformat(), "issued_on": LATE}
    await _invoice(connection, company, number="8", total_cents=2_440, net_cents=2_000, **paid)
    await _invoice(connection, None, number="9", total_cents=1_234)
    await _invoice(connection, gone, number="10", total_cents=4_321)
    await _invoice(connection, None, number="9", total_cents=1_234)
    return {"company": company, "person": person, "gone": gone}


async def test_what_contacts_owe_and_what_is_unlinked_is_the_registers_open_total(connection: Connection) -> None:
    contacts = await _fill(connection)
    counted = """
        select direction, currency, sum(open_cents)::bigint as cents from public.invoice_register
        where deleted_at is null and twin is null and kind <> 'autofattura' {} group by 1, 2
    """
    ids = await connection.fetch("select id from public.contacts where user_id = $1", OWNER)
    sums: dict[tuple[str, str], int] = {}
    async with access.acting(connection, "owner"):
        unlinked = await connection.fetch(counted.format("and contact_id is null"))
        register = await connection.fetch(counted.format(""))
        listed = await connection.fetchval("select sum(owed_cents) from public.contact_list")
    for row in unlinked:
        sums[row["direction"], row["currency"]] = row["cents"]
    for contact in ids:
        for amounts in await _rows(connection, contact["id"]):
            if amounts["relation"] == "stesso":
                key = amounts["direction"], amounts["currency"]
                sums[key] = sums.get(key, 0) + amounts["open_cents"]
    assert sums == {(row["direction"], row["currency"]): row["cents"] for row in register}
    own = {name: await _own(connection, contact_id) for name, contact_id in contacts.items()}
    assert own == {"company": 102_000, "person": 112_000, "gone": 4_321}
    # The list shows nobody who is in the trash.
    assert listed == 102_000 + 112_000


async def _own(connection: Connection, contact_id: UUID) -> int:
    rows = await _rows(connection, contact_id)
    return next(
        int(row["open_cents"])
        for row in rows
        if (row["relation"], row["direction"], row["currency"]) == ("stesso", "attiva", "EUR")
    )


async def test_amounts_of_a_person_and_of_their_company_stay_apart(connection: Connection) -> None:
    contacts = await _fill(connection)
    person = {row["relation"]: row for row in await _rows(connection, contacts["person"]) if row["currency"] == "EUR"}
    assert sorted(person) == ["azienda", "stesso"]
    shown = {key: person["stesso"][key] for key in ("open_cents", "late_cents", "late_since", "paid_cents")}
    assert shown == {
        "open_cents": 112_000,
        "late_cents": 50_000,
        "late_since": date.fromisoformat(LATE),
        "paid_cents": 1_001,
    }
    company = [row for row in await _rows(connection, contacts["company"]) if row["direction"] == "attiva"]
    assert sorted((row["relation"], row["currency"], row["open_cents"]) for row in company) == [
        ("persona", "EUR", 112_000),
        ("stesso", "EUR", 102_000),
        ("stesso", "USD", 77_700),
    ]
    own = next(row for row in company if (row["relation"], row["currency"]) == ("stesso", "EUR"))
    assert (own["paid_days"], own["paid_count"]) == (21, 1)
    assert await _rows(connection, contacts["company"], role="stranger") == []


async def test_this_year_counts_net_and_gross_and_subtracts_credit_notes(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    this_year = f"{TODAY.year}-01-01"
    issued: list[dict[str, Any]] = [
        {"total_cents": 122_000, "net_cents": 100_000},
        {"total_cents": 12_200, "net_cents": 10_000, "type_code": "TD04"},
        {"total_cents": 1_220, "vat_cents": 220},
        {"total_cents": 9_999, "issued_on": f"{TODAY.year - 1}-12-31"},
    ]
    for number, columns in enumerate(issued):
        await _invoice(connection, contact_id, **{"number": str(number), "issued_on": this_year, **columns})
    [row] = await _rows(connection, contact_id)
    assert (row["invoiced_net_cents"], row["invoiced_cents"]) == (91_000, 111_020)


async def test_the_same_invoice_in_two_files_is_owed_once(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    for _ in range(2):
        await _invoice(connection, contact_id, total_cents=122_000)
    async with access.acting(connection, "owner"):
        owed = await connection.fetchrow(
            "select owed_cents, owed_currencies from public.contact_list where id = $1", contact_id
        )
    assert owed is not None
    assert tuple(owed) == (122_000, None)
    assert await _own(connection, contact_id) == 122_000


async def test_the_list_names_other_currencies_and_the_next_task(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    await _invoice(connection, contact_id, currency="USD")
    due = datetime(2029, 12, 31, 23, tzinfo=UTC)
    await connection.execute(
        "insert into public.tasks (user_id, title, contact_id, due_at) values ($1, 'Chiama', $2, $3)",
        OWNER, contact_id, due,
    )  # fmt: skip
    async with access.acting(connection, "owner"):
        row = await connection.fetchrow("select * from public.contact_list where id = $1", contact_id)
    assert row is not None
    assert (row["owed_cents"], row["owed_currencies"], row["next_task_at"]) == (None, ["USD"], due)


MANY = f"""
select setseed(0.5);
set local session_replication_role = replica;
create temporary table many on commit drop as
  select gen_random_uuid() as id, gen_random_uuid() as paper, n from generate_series(1, 5000) as n;
insert into public.contacts (id, user_id, first_name) select id, '{OWNER}', 'Anna ' || n from many;
insert into public.documents (id, user_id, storage_path, filename, state, contact_id)
  select paper, '{OWNER}', '{OWNER}/' || paper || '.xml', 'x.xml', 'pronto', id from many;
insert into public.invoices (user_id, document_id, direction, number, issued_on, total_cents, source, contact_id)
  select '{OWNER}', paper, 'attiva', n::text, '2026-03-02', n * 100, 'fatturapa', id from many;
insert into public.invoice_schedules (user_id, invoice_id, due_on, amount_cents)
  select user_id, id, '2026-04-01', total_cents from public.invoices
  where user_id = '{OWNER}' and issued_on = '2026-03-02';
drop table many;
set local session_replication_role = origin;
analyze public.contacts, public.documents, public.invoices, public.invoice_schedules;
"""
BY_DEBT = "select * from public.contact_list where type = 'persona' order by owed_cents desc nulls last, id limit 100"


async def _rows_read(connection: Connection) -> int:
    """Return how many rows the scans of the list by debt read."""
    async with access.acting(connection, "owner"):
        plan = json.loads(await connection.fetchval("explain (analyze, format json) " + BY_DEBT))[0]["Plan"]

    def rows(node: Mapping[str, Any]) -> int:
        is_scan = "Scan" in node["Node Type"] and node["Node Type"] != "Subquery Scan"
        own = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        return int(own) * is_scan + sum(rows(child) for child in node.get("Plans", ()))

    return rows(plan)


async def test_debt_orders_five_thousand_contacts_and_reads_each_row_once(connection: Connection) -> None:
    """Bound the rows of contacts, invoices, documents, twins and parts; test_plans.py adds those of other users."""
    await connection.execute(MANY)
    assert await _rows_read(connection) <= 7 * 5_000
