"""Invoices: what is to be paid and to be cashed, what is late, as the register of /documents/fatture counts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from pydantic import Field

from backend.edge import api
from functions._shared.assistant.tools import resolving, wording
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, foreign, listed, present
from functions._shared.assistant.tools.tasks import named
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import model, money

Direction = Literal["attiva", "passiva"]
State = Literal["da_pagare", "scadute", "pagate", "tutte"]

INVOICES = """
    select invoices.id, invoices.document_id, invoices.direction::text, invoices.number, invoices.issued_on,
      invoices.counterparty_name, invoices.currency, invoices.paid_on, kinds.kind,
      contacts.id as contact_id, contacts.name as contact, contacts.origin::text as contact_origin,
      dates.next_due, kinds.sign * invoices.total_cents as total_cents,
      kinds.sign * coalesce(dates.late_cents, 0) as late_cents,
      -- Without dates it is due as a whole.
      case when invoices.paid_on is not null then 0
        else kinds.sign * coalesce(dates.open_cents, invoices.due_cents, invoices.total_cents) end as open_cents
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
    -- As public.invoiced_by_month counts: a credit note takes away, however it is signed; a self-invoice is no money.
    cross join lateral (
      select case when invoices.type_code = any ($7) then 'nota di credito'
          when invoices.type_code = any ($8) then 'autofattura' end as kind,
        case when invoices.type_code = any ($7) and invoices.total_cents > 0 then -1 else 1 end as sign
    ) as kinds
    where ($1::text is null or invoices.direction::text = $1) and ($2::uuid is null or invoices.contact_id = $2)
      and ($3::date is null or invoices.issued_on >= $3) and ($4::date is null or invoices.issued_on <= $4)
      and case $6::text
        when 'tutte' then true when 'pagate' then invoices.paid_on is not null
        else invoices.paid_on is null and kinds.kind is distinct from 'autofattura'
          and ($6 = 'da_pagare' or dates.late_cents is not null)
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
            list(model.CREDIT_NOTES),
            list(model.SELF_INVOICES),
        )
    )


def summed(turn: Turn, rows: list[Any], state: State, most: int) -> Answer:
    """The first rows, and what all of them add up to."""
    return listed([invoice_row(turn, row) for row in rows[:most]], len(rows), **totals(rows, state))


def totals(rows: Sequence[Mapping[str, Any]], state: State) -> Answer:
    """The total of what is asked for, and the totals of each direction, which are never to be mixed; of rows as the
    query or as the tool gives them."""
    # Of what is late only the late part; of what is open the open one.
    cents = {"da_pagare": "open_cents", "scadute": "late_cents"}.get(state, "total_cents")
    return {
        **_added(rows, cents),
        "to_cash": _side(rows, "attiva", state),
        "to_pay": _side(rows, "passiva", state),
    }


def _side(rows: Sequence[Mapping[str, Any]], direction: Direction, state: State) -> Answer:
    own = [row for row in rows if row.get("direction") == direction and row.get("kind") != "autofattura"]
    credit = [row for row in own if row.get("kind") == "nota di credito"]
    cents = "late_cents" if state == "scadute" else "open_cents"
    return {"count": len(own) - len(credit), **present({"credit_notes": len(credit) or None}), **_added(own, cents)}


def _added(rows: Sequence[Mapping[str, Any]], name: str) -> Answer:
    """Each currency by itself; `total_cents` are of the euros."""
    counted = [(row.get(name) or 0, row.get("currency") or "EUR") for row in rows if row.get("kind") != "autofattura"]
    return {
        "total_cents": sum(cents for cents, currency in counted if currency == "EUR"),
        "amount": wording.amounts(counted),
    }


def invoice_row(turn: Turn, row: Any) -> Answer:
    """An invoice as models see it."""
    today, due = turn.local_now.date(), row["next_due"]
    who = row["counterparty_name"] or row["contact"] or ""
    label = f"{(row['kind'] or 'fattura').capitalize()} {row['number']}" + (f" · {who}" if who else "")
    is_open = row["paid_on"] is None and row["kind"] != "autofattura"
    return present(
        {
            "ref": turn.refs.add("invoice", row["id"], label),
            "kind": row["kind"],
            "number": foreign(turn, "documento", row["number"]),
            "direction": row["direction"],
            "counterparty": foreign(turn, "documento", who, 200),
            "issued_on": row["issued_on"].isoformat(),
            "due": due.isoformat() if due and is_open else None,
            "days_late": (today - due).days if due and is_open and due < today and not row["kind"] else None,
            "paid_on": row["paid_on"] and row["paid_on"].isoformat(),
            "total": money.euros(row["total_cents"], row["currency"]),
            "open": money.euros(row["open_cents"], row["currency"]) if is_open else None,
            "open_cents": row["open_cents"] if is_open else None,
            "late_cents": row["late_cents"] if is_open and row["late_cents"] else None,
            "currency": row["currency"] if row["currency"] != "EUR" else None,
            "document_ref": turn.refs.add("document", row["document_id"], label),
            **named(turn, row),
        }
    ) | {"total_cents": row["total_cents"]}


READS = (Read("list_invoices", "Cerco fra le fatture…", ListInvoices, list_invoices),)
