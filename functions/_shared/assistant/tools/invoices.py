"""Invoices: what is to be paid and to be cashed, what is late, as the register of /documents/fatture counts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from pydantic import Field

from backend.edge import api
from functions._shared.assistant.tools import counterparts, resolving, unregistered, wording
from functions._shared.assistant.tools.answers import (
    FOREIGN_ORIGINS,
    Answer,
    Arguments,
    Read,
    foreign,
    listed,
    present,
)
from functions._shared.assistant.tools.tasks import named
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money

Direction = Literal["attiva", "passiva"]
State = Literal["da_pagare", "scadute", "pagate", "tutte"]
By = Literal["issued", "due", "paid"]
Order = Literal["urgent", "largest", "smallest", "newest", "oldest"]
# Which days a state is asked about, unless they are named.
_DAYS_OF: Mapping[State, By] = {"da_pagare": "due", "scadute": "due", "pagate": "paid", "tutte": "issued"}
# What of an invoice a total adds: of what is late only the late part, of what is open the open one.
_CENTS_OF: Mapping[State, str] = {"da_pagare": "open_cents", "scadute": "late_cents", "pagate": "paid_cents"}
# Counterparties of unlinked invoices with a similar name that an answer names.
MAX_SIMILAR = 5
# Both directions, as a total of each state calls them.
_SIDES: Mapping[State, tuple[str, str]] = {
    "da_pagare": ("to_cash", "to_pay"),
    "scadute": ("to_cash", "to_pay"),
    "pagate": ("cashed", "spent"),
    "tutte": ("issued", "received"),
}

# public.invoice_register says how an invoice counts. Days of payment choose among its parts, days of issue among all.
INVOICES = """
    select register.id, document_id, register.direction::text, number, register.issued_on, counterparty_name,
      register.currency, register.paid_on, parts.last_paid, nullif(replace(kind::text, '_', ' '), 'fattura') as kind,
      contacts.id as contact_id, contacts.name as contact, contacts.origin::text as contact_origin, parts.next_due,
      register.net_cents, total_cents, coalesce(parts.late_cents, 0) as late_cents,
      coalesce(parts.open_cents, 0) as open_cents, coalesce(parts.paid_cents, 0) as paid_cents
    from public.invoice_register as register
    left join public.contacts on contacts.user_id = register.user_id and contacts.id = register.contact_id
    cross join lateral (
      select (sum(cents) filter (where is_late))::bigint as late_cents,
        (sum(cents) filter (where paid_on is null))::bigint as open_cents,
        (sum(cents) filter (where paid_on is not null))::bigint as paid_cents,
        min(due_on) filter (where paid_on is null) as next_due, max(paid_on) as last_paid, count(*) > 0 as has_any
      from public.invoice_parts as part
      where part.user_id = register.user_id and part.invoice_id = register.id and (
        $6::text = 'issued' or ($3::date is null and $4::date is null)
        or case $6 when 'due' then due_on else paid_on end
          between coalesce($3, '-infinity') and coalesce($4, 'infinity')
      )
    ) as parts
    where ($1::text is null or register.direction::text = $1)
      and ($2::uuid[] is null or register.contact_id = any ($2) or register.id = any ($7::uuid[]))
      and case when $6 = 'issued' then register.issued_on between coalesce($3, '-infinity') and coalesce($4, 'infinity')
        else has_any or ($3 is null and $4 is null) end
      and case $5::text when 'da_pagare' then parts.open_cents when 'scadute' then parts.late_cents
        when 'pagate' then parts.paid_cents else 0 end is not null
      and ($8::text is null or starts_with(lower(register.number) || '/', lower($8) || '/'))
      and (not $9::boolean or parts.next_due is null)
      and register.deleted_at is null and twin is null
    order by case $5 when 'pagate' then null else parts.next_due end nulls last, register.issued_on desc, register.id
    limit 5000
"""


@dataclass(frozen=True)
class Wish:
    """Which invoices are wanted; days as the state, or `by`, means them, both included."""

    state: State = "tutte"
    direction: Direction | None = None
    # Those linked to one of these contacts, or with one of these ids; None: all.
    contact_ids: Sequence[Any] | None = None
    invoice_ids: Sequence[Any] = ()
    starts_on: date | None = None
    ends_on: date | None = None
    by: By | None = None
    # As on the paper; «12» is «12/2026», too.
    number: str | None = None
    without_due: bool = False


class ListInvoices(Arguments):
    """What `list_invoices` may be told."""

    direction: Direction | None = Field(
        default=None, description="attiva: issued by the person, to be cashed; passiva: received, to be paid"
    )
    state: State = Field(
        default="tutte",
        description="da_pagare: not paid yet; scadute: not paid and late; pagate: paid, instalments too; tutte",
    )
    contact: str | None = Field(default=None, max_length=200, description="A name, or a handle like r3")
    starts_on: date | None = Field(default=None, alias="from", description="First day, like 2026-01-31")
    ends_on: date | None = Field(default=None, alias="to", description="Last day")
    by: By | None = Field(
        default=None,
        description="Which days from and to are; left out: due for da_pagare and scadute, paid for pagate, issued for "
        "tutte. With due and paid only the instalments of these days count",
    )
    number: str | None = Field(default=None, max_length=100, description="Of one invoice, like 12/2026 or 12")
    order: Order = Field(default="urgent", description="Which stand first; credit notes stand last in all but urgent")
    without_due: bool = Field(default=False, description="With da_pagare: those without a due date only")


async def list_invoices(turn: Turn, given: ListInvoices) -> Answer:
    """Lists the person's invoices with what is still open, what is due first standing first, and the totals: of all,
    where they are of one direction, and of each direction.

    Invoices of a contact are the linked ones and the unlinked ones with the same VAT number, tax code or name.
    `similar` are unlinked ones with a name that is only similar: they are in no total, so name them. `unregistered`
    are papers that no total counts, because their data are not sure yet: name them with their amount. Say that
    everything is paid only where `all_paid` is true; without invoices on file nothing is known. Of due days, invoices
    without a due date are left out: `undated` says how many are open.

    Amounts of issued and received invoices include VAT, their `net` does not: say which one you tell. «Fatturato» is
    net. Where `without_net` is given, so many invoices say no net amount."""
    wish = Wish(given.state, given.direction, starts_on=given.starts_on, ends_on=given.ends_on, by=given.by)
    wish = replace(wish, number=given.number, without_due=given.without_due)
    async with turn.database() as connection:
        contact = await resolving.id_of(connection, turn, "contact", given.contact)
        return await collect(connection, turn, wish, contact, given.contact or "", order=given.order)


async def collect(
    connection: api.Connection,
    turn: Turn,
    wish: Wish,
    contact: str | None,
    asked: str,
    most: int = 50,
    *,
    order: Order = "urgent",
) -> Answer:
    """Return the invoices that are wanted, of a contact if one is given, and what an answer has to say about them."""
    found = await counterparts.find(connection, contact, asked) if contact else None
    if found:
        wish = replace(wish, contact_ids=found.contact_ids, invoice_ids=found.invoice_ids)
    rows = ordered(await matching(connection, wish), order, wish.state)
    answer = summed(turn, rows, wish.state, most) | await _left_out(connection, wish)
    if found:
        if found.origin in FOREIGN_ORIGINS:
            foreign(turn, "contatto", found.name)
        alike = await matching(connection, replace(wish, contact_ids=(), invoice_ids=found.similar_ids))
        answer |= {"of": found.name, **present({"similar": _similar(turn, alike, wish.state)})}
    if not rows and wish.state in ("da_pagare", "scadute"):
        answer |= await _known(connection, wish, is_sure="similar" not in answer and "unregistered" not in answer)
    return answer


async def _left_out(connection: api.Connection, wish: Wish) -> Answer:
    """Return what the totals leave out: papers that are not registered, and of due days what has none."""
    if wish.state == "pagate" or wish.number is not None:
        return {}
    by, days = wish.by or _DAYS_OF[wish.state], (wish.starts_on, wish.ends_on)
    answer = await unregistered.left_out(connection, wish.direction, wish.contact_ids, days, by)
    if by != "due" or days == (None, None) or wish.state == "scadute":
        return answer
    every = await matching(connection, replace(wish, starts_on=None, ends_on=None))
    undated = [row for row in every if row["next_due"] is None and row["open_cents"]]
    return answer | present({"undated": len(undated) or None})


async def _known(connection: api.Connection, wish: Wish, *, is_sure: bool) -> Answer:
    """Return what «nothing is open» or «nothing is late» rests on: the invoices on file, of whatever day."""
    every = await matching(connection, Wish("tutte", wish.direction, wish.contact_ids, wish.invoice_ids))
    every = [row for row in every if row["kind"] != "autofattura"]
    is_open = [row for row in every if row["paid_on"] is None and row["open_cents"]]
    undated = sum(row["next_due"] is None for row in is_open)
    return {
        "on_file": {"count": len(every), "open": len(is_open), "open_without_due_date": undated},
        "all_paid": bool(every) and not is_open and is_sure,
    }


def _similar(turn: Turn, rows: Sequence[Any], state: State) -> list[Answer]:
    """Add up unlinked invoices by counterparty and direction."""
    groups: dict[tuple[str, Direction], list[Any]] = {}
    for row in (each for each in rows if each["kind"] != "autofattura"):
        groups.setdefault((row["counterparty_name"] or "", row["direction"]), []).append(row)
    return [
        {
            "counterparty": foreign(turn, "documento", name, 200),
            "direction": direction,
            **_side(group, direction, counted(state)),
        }
        for (name, direction), group in list(groups.items())[:MAX_SIMILAR]
    ]


async def matching(connection: api.Connection, wish: Wish) -> list[Any]:
    """The invoices that are wanted, the most urgent first."""
    return list(
        await connection.fetch(
            INVOICES,
            wish.direction,
            wish.contact_ids,
            wish.starts_on,
            wish.ends_on,
            wish.state,
            wish.by or _DAYS_OF[wish.state],
            wish.invoice_ids,
            wish.number,
            wish.without_due,
        )
    )


def ordered(rows: list[Any], order: Order, state: State) -> list[Any]:
    """Put what is wanted first: of paid invoices by day of payment. Amounts in other currencies stand last."""
    if order == "urgent":
        return rows

    def place(row: Any) -> tuple[bool, int]:
        day = row["last_paid"] if state == "pagate" else row["issued_on"]
        by = day.toordinal() if order in ("newest", "oldest") else row["total_cents"]
        is_other = row["kind"] is not None or (order in ("largest", "smallest") and row["currency"] != "EUR")
        return is_other, -by if order in ("largest", "newest") else by

    return sorted(rows, key=place)


def summed(turn: Turn, rows: list[Any], state: State, most: int) -> Answer:
    """The first rows, and what all of them add up to."""
    return listed([invoice_row(turn, row, state) for row in rows[:most]], len(rows), **totals(rows, state))


def totals(rows: Sequence[Mapping[str, Any]], state: State) -> Answer:
    """The totals of each direction, which are never to be mixed, and that of all where it mixes none; of rows as the
    query or as the tool gives them."""
    cents = counted(state)
    mixed = {row.get("direction") for row in rows if row.get("kind") != "autofattura"} == {"attiva", "passiva"}
    cashed, spent = _SIDES[state]
    return {
        **({} if mixed else _added(rows, cents)),
        cashed: _side(rows, "attiva", cents),
        spent: _side(rows, "passiva", cents),
    }


def counted(state: State) -> str:
    """Which amount of a row a total adds."""
    return _CENTS_OF.get(state, "total_cents")


def _side(rows: Sequence[Mapping[str, Any]], direction: Direction, cents: str) -> Answer:
    own = [row for row in rows if row.get("direction") == direction and row.get("kind") != "autofattura"]
    credit = [row for row in own if row.get("kind") == "nota di credito"]
    return {"count": len(own) - len(credit), **present({"credit_notes": len(credit) or None}), **_added(own, cents)}


def _added(rows: Sequence[Mapping[str, Any]], name: str) -> Answer:
    """Each currency by itself; `total_cents` are of the euros."""
    own = [row for row in rows if row.get("kind") != "autofattura"]
    added = _sum_of(own, name)
    if name != "total_cents" or not own:
        return added
    without_net = sum(row.get("net_cents") is None for row in own)
    if without_net:
        return {**added, "without_net": without_net}
    net = _sum_of(own, "net_cents")
    vat = _sum_of([{**row, "vat_cents": row["total_cents"] - row["net_cents"]} for row in own], "vat_cents")
    return {**added, "net_cents": net["total_cents"], "net": net["amount"], "vat": vat["amount"]}


def _sum_of(rows: Sequence[Mapping[str, Any]], name: str) -> Answer:
    counted = [(row.get(name) or 0, row.get("currency") or "EUR") for row in rows]
    return {
        "total_cents": sum(cents for cents, currency in counted if currency == "EUR"),
        "amount": wording.amounts(counted),
    }


def invoice_row(turn: Turn, row: Any, state: State) -> Answer:
    """An invoice as models see it, with what of it the total of this state adds."""
    today, due = turn.local_now.date(), row["next_due"]
    who = row["counterparty_name"] or row["contact"] or ""
    label = f"{(row['kind'] or 'fattura').capitalize()} {row['number']}" + (f" · {who}" if who else "")
    is_open = row["paid_on"] is None and row["kind"] != "autofattura"
    says_net = state == "tutte" and row["net_cents"] is not None
    paid_on = row["last_paid"] if state == "pagate" else row["paid_on"]
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
            "paid_on": paid_on and paid_on.isoformat(),
            "total": money.euros(row["total_cents"], row["currency"]),
            "net": money.euros(row["net_cents"], row["currency"]) if says_net else None,
            "net_cents": row["net_cents"] if says_net else None,
            "open": money.euros(row["open_cents"], row["currency"]) if is_open else None,
            "open_cents": row["open_cents"] if is_open else None,
            "late": money.euros(row["late_cents"], row["currency"]) if state == "scadute" else None,
            "late_cents": row["late_cents"] if is_open and row["late_cents"] else None,
            "paid": money.euros(row["paid_cents"], row["currency"]) if state == "pagate" else None,
            "paid_cents": row["paid_cents"] if state == "pagate" else None,
            "currency": row["currency"] if row["currency"] != "EUR" else None,
            "document_ref": turn.refs.add("document", row["document_id"], label),
            **named(turn, row),
        }
    ) | {"total_cents": row["total_cents"]}


READS = (Read("list_invoices", "Cerco fra le fatture…", ListInvoices, list_invoices),)
