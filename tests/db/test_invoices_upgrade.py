"""A register of before: nothing told of payment was due, the trash left reminders alone, nobody had a number."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from backend.core import migrate
from tests.db import accounts, crm, documents, ledger
from tests.db.accounts import Connection
from tests.db.test_ledger_upgrade import MIGRATIONS, before

pytestmark = pytest.mark.anyio

__all__ = ["before"]

INVOICE_REGISTER = "20261129100000"
WHOSE_AND_TWICE = "20261202100000"


@pytest.mark.parametrize("before", [INVOICE_REGISTER], indirect=True)
async def test_what_was_registered_is_due_on_the_right_side_and_the_trash_is_quiet(before: Connection) -> None:
    owner = await accounts.create(before)
    await before.execute("update public.profiles set vat_number = '00743110157' where user_id = $1", owner)
    known = {
        "content": {
            "supplier": {"name": "Io", "vat_country": "IT", "vat_number": "00743110157"},
            "customer": {"name": "Bianchi spa", "vat_country": "DE", "vat_number": "123"},
        },
        "findings": [{"code": "non_tua"}, {"code": "x"}],
    }
    bodies: list[dict[str, Any]] = [
        {"due_cents": 100}, {"paid_on": "2026-04-01"}, {"type_code": "TD17"},
        {"schedules": [{"amount_cents": 1, "due_on": "2099-01-01"}]}, known,
    ]  # fmt: skip
    document_id = await documents.document(before, owner, kind="fattura")
    await documents.store_invoices(before, document_id, *bodies)
    await before.execute(
        """
        with task as (insert into public.tasks (user_id, title) values ($1, 'Paga fattura') returning id)
        update public.invoice_schedules set task_id = task.id from task where user_id = $1
        """,
        owner,
    )
    await before.execute("update public.documents set deleted_at = now() where id = $1", document_id)
    await migrate.product(before, MIGRATIONS)
    due = await before.fetch(
        """
        select body_no, amount_cents, part.paid_on, due_on
        from public.invoice_schedules as part join public.invoices on invoices.id = invoice_id order by body_no
        """
    )
    assert [tuple(row) for row in due] == [
        (1, 100, None, None), (2, 122_000, date(2026, 4, 1), None), (4, 1, None, date(2099, 1, 1)),
        (5, 122_000, None, None),
    ]  # fmt: skip
    row = await before.fetchrow(
        "select direction::text, counterparty_name, counterparty_vat, findings::text"
        " from public.invoices where body_no = 5"
    )
    assert tuple(row or ()) == ("attiva", "Bianchi spa", "DE123", '[{"code": "x"}]')
    assert await before.fetchval("select deleted_at is not null from public.tasks where user_id = $1", owner)
    assert await ledger.broken(before) == {}


@pytest.mark.parametrize("before", [WHOSE_AND_TWICE], indirect=True)
async def test_what_was_known_by_a_placeholder_or_by_ones_own_number_is_forgotten(before: Connection) -> None:
    owner, other = await accounts.create(before), await accounts.create(before)
    await before.execute(
        "update public.profiles set vat_number = '00743110157', tax_code = 'VRDNNA80A41H501H' where user_id = $1", owner
    )
    values = [
        ("vat_number", "OO99999999999"), ("tax_code", "0000000"), ("vat_number", "00743110157"),
        ("tax_code", "VRDNNA80A41H501H"), ("vat_number", "DE123456789"), ("name", "xxx"),
    ]  # fmt: skip
    for user_id in (owner, other):
        contact_id = await crm.contact(before, user_id)
        await before.executemany(
            "insert into public.document_aliases (user_id, contact_id, kind, value, state)"
            " values ($1, $2, $3, $4, 'confermato')",
            [(user_id, contact_id, *each) for each in values],
        )
    parties: list[dict[str, Any]] = [
        {"vat_country": "DE", "vat_number": "DE123456789"}, {"vat_country": "OO", "vat_number": "99999999999"},
        {"vat_country": "IT", "vat_number": "01234560157"},
    ]  # fmt: skip
    bodies = [{"content": {"supplier": each}, "counterparty_vat": "X1"} for each in parties]
    await documents.store_invoices(before, await documents.document(before, owner), *bodies)
    scan = {"source": "campi", "counterparty_vat": "00743110157"}
    await documents.store_invoices(before, await documents.document(before, owner), scan)
    await migrate.product(before, MIGRATIONS)
    known = "select value from public.document_aliases where user_id = $1 order by value"
    assert [row["value"] for row in await before.fetch(known, owner)] == ["DE123456789", "xxx"]
    # Of somebody else the same numbers are a contact's.
    assert [row["value"] for row in await before.fetch(known, other)] == [
        "00743110157", "DE123456789", "VRDNNA80A41H501H", "xxx",
    ]  # fmt: skip
    rows = await before.fetch("select source::text, counterparty_vat from public.invoices order by source, body_no")
    assert [tuple(row) for row in rows] == [
        ("campi", "00743110157"), ("fatturapa", "DE123456789"), ("fatturapa", None), ("fatturapa", "01234560157"),
    ]  # fmt: skip
