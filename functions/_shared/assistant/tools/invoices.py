"""Invoices: what is to be paid and to be cashed, what is late, as the register of /documents/fatture counts it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from pydantic import Field

from backend.edge import api
from functions._shared.assistant.tools import resolving
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, foreign, listed, present
from functions._shared.assistant.tools.tasks import named
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money

Direction = Literal["attiva", "passiva"]
State = Literal["da_pagare", "scadute", "pagate", "tutte"]

INVOICES = """
    select invoices.id, invoices.document_id, invoices.direction::text, invoices.number, invoices.issued_on,
      invoices.counterparty_name, invoices.total_cents, invoices.currency, invoices.paid_on,
      contacts.id as contact_id, contacts.name as contact, contacts.origin::text as contact_origin,
      dates.next_due, coalesce(dates.late_cents, 0) as late_cents,
      -- Without dates it is due as a whole.
      case when invoices.paid_on is not null then 0
        else coalesce(dates.open_cents, invoices.due_cents, invoices.total_cents) end as open_cents
    from public.invoices
    join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
      and documents.deleted_at is null
    left join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
    left join lateral (
      select coalesce(sum(amount_cents) filter (where paid_on is null), 0)::bigint as open_cents,
        (sum(amount_cents) filter (where paid_on is null and due_on < $5))::bigint as late_cents,
        min(due_on) filter (where paid_on is null) as next_due
      from public.invoice_schedules
      where invoice_schedules.user_id = invoices.user_id and invoice_id = invoices.id having count(*) > 0
    ) as dates on true
    where ($1::text is null or invoices.direction::text = $1) and ($2::uuid is null or invoices.contact_id = $2)
      and ($3::date is null or invoices.issued_on >= $3) and ($4::date is null or invoices.issued_on <= $4)
      and case $6::text
        when 'da_pagare' then invoices.paid_on is null
        when 'scadute' then invoices.paid_on is null and dates.late_cents is not null
        when 'pagate' then invoices.paid_on is not null else true
      end
    order by case when invoices.paid_on is null then dates.next_due end nulls last, invoices.issued_on desc, invoices.id
    limit 5000
"""


@dataclass(frozen=True)
class Wish:
    """Which invoices are wanted; days of issue, both included."""

    state: State = "tutte"
    direction: Direction | None = None
    contact_id: str | None = None
    starts_on: date | None = None
    ends_on: date | None = None


class ListInvoices(Arguments):
    """What `list_invoices` may be told."""

    direction: Direction | None = Field(
        default=None, description="attiva: issued by the person, to be cashed; passiva: received, to be paid"
    )
    state: State = Field(
        default="tutte", description="da_pagare: not paid yet; scadute: not paid and late; pagate; tutte"
    )
    contact: str | None = Field(default=None, max_length=200, description="A name, or a handle like r3")
    starts_on: date | None = Field(default=None, alias="from", description="First day of issue, like 2026-01-31")
    ends_on: date | None = Field(default=None, alias="to", description="Last day of issue")


async def list_invoices(turn: Turn, given: ListInvoices) -> Answer:
    """Lists the person's invoices with what is still open, what is due first standing first, and the totals."""
    async with turn.database() as connection:
        contact = await resolving.id_of(connection, turn, "contact", given.contact)
        wish = Wish(given.state, given.direction, contact, given.starts_on, given.ends_on)
        rows = await matching(connection, turn, wish)
    return summed(turn, rows, given.state, 50)


async def matching(connection: api.Connection, turn: Turn, wish: Wish) -> list[Any]:
    """The invoices that are wanted, the most urgent first."""
    return list(
        await connection.fetch(
            INVOICES,
            wish.direction,
            wish.contact_id,
            wish.starts_on,
            wish.ends_on,
            turn.local_now.date(),
            wish.state,
        )
    )


def summed(turn: Turn, rows: list[Any], state: State, most: int) -> Answer:
    """The first rows; the total of what is asked for; and the totals of each direction, which are never to be mixed."""
    total = sum(_counted(row, state) for row in rows)
    answer = listed(
        [invoice_row(turn, row) for row in rows[:most]], len(rows), total_cents=total, amount=money.euros(total)
    )
    for direction, name in (("attiva", "to_cash"), ("passiva", "to_pay")):
        own = [row for row in rows if row["direction"] == direction]
        cents = sum(row["late_cents" if state == "scadute" else "open_cents"] for row in own)
        answer[name] = {"count": len(own), "total_cents": cents, "amount": money.euros(cents)}
    return answer


def _counted(row: Any, state: State) -> int:
    """Of what is late only the late part; of what is open the open one."""
    cents: int = row[{"da_pagare": "open_cents", "scadute": "late_cents"}.get(state, "total_cents")]
    return cents


def invoice_row(turn: Turn, row: Any) -> Answer:
    """An invoice as models see it."""
    today, due = turn.local_now.date(), row["next_due"]
    who = row["counterparty_name"] or row["contact"] or ""
    label = f"Fattura {row['number']}" + (f" · {who}" if who else "")
    is_open = row["paid_on"] is None
    return present(
        {
            "ref": turn.refs.add("invoice", row["id"], label),
            "number": foreign(turn, "documento", row["number"]),
            "direction": row["direction"],
            "counterparty": foreign(turn, "documento", who, 200),
            "issued_on": row["issued_on"].isoformat(),
            "due": due.isoformat() if due and is_open else None,
            "days_late": (today - due).days if due and is_open and due < today else None,
            "paid_on": row["paid_on"] and row["paid_on"].isoformat(),
            "total": money.euros(row["total_cents"], row["currency"]),
            "open": money.euros(row["open_cents"], row["currency"]) if is_open else None,
            "open_cents": row["open_cents"] if is_open else None,
            "document_ref": turn.refs.add("document", row["document_id"], label),
            **named(turn, row),
        }
    ) | {"total_cents": row["total_cents"]}


READS = (Read("list_invoices", "Cerco fra le fatture…", ListInvoices, list_invoices),)
