"""A register of before: nothing told of payment was due, the trash left reminders alone, nobody had a number."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from backend.core import migrate
from tests.db import accounts, documents, ledger
from tests.db.accounts import Connection
from tests.db.test_ledger_upgrade import MIGRATIONS, before

pytestmark = pytest.mark.anyio

__all__ = ["before"]

INVOICE_REGISTER = "20261129100000"


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
