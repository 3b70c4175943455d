"""Two periods next to each other: what was issued, received, cashed or spent, with the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, Literal

from pydantic import Field

from backend.edge import api
from functions._shared.assistant.tools import counterparts, invoices, resolving, unregistered
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, listed, present
from functions._shared.assistant.tools.invoices import Direction, Wish
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money

_FEBRUARY_29 = (2, 29)
_MOST_MONTHS = 48


class ComparePeriods(Arguments):
    """Take what to compare, and the days of both periods."""

    direction: Direction = Field(default="attiva", description="attiva: issued; passiva: received")
    state: Literal["tutte", "pagate"] = Field(
        default="tutte", description="tutte: by day of issue, net; pagate: what was paid, by day of payment"
    )
    contact: str | None = Field(default=None, max_length=200, description="A name, or a handle like r3")
    starts_on: date = Field(alias="from", description="First day of the later period")
    ends_on: date = Field(alias="to", description="Its last day")
    other_starts_on: date = Field(alias="other_from", description="First day of the period to compare with")
    other_ends_on: date = Field(alias="other_to", description="Its last day")


class InvoicesByMonth(Arguments):
    """Take which invoices are added up by month."""

    direction: Direction = Field(default="attiva", description="attiva: issued; passiva: received")
    contact: str | None = Field(default=None, max_length=200, description="A name, or a handle like r3")
    starts_on: date | None = Field(default=None, alias="from", description="First day of issue, like 2026-01-31")
    ends_on: date | None = Field(default=None, alias="to", description="Last day of issue")


async def invoices_by_month(turn: Turn, given: InvoicesByMonth) -> Answer:
    """Add up what was invoiced, or spent, by month of issue, oldest first: the best month, the trend of turnover.

    Months without an invoice are left out; `foreign_currency` invoices are in no sum."""
    async with turn.database() as connection:
        contact = await resolving.id_of(connection, turn, "contact", given.contact)
        found = await counterparts.find(connection, contact, given.contact or "") if contact else None
        wish = Wish("tutte", given.direction, starts_on=given.starts_on, ends_on=given.ends_on)
        if found:
            wish = replace(wish, contact_ids=found.contact_ids, invoice_ids=found.invoice_ids)
        rows = await invoices.matching(connection, wish)
        days = (given.starts_on, given.ends_on)
        waiting = await unregistered.left_out(connection, wish.direction, wish.contact_ids, days)
    months: dict[str, list[Any]] = {}
    for row in sorted(rows, key=lambda each: each["issued_on"]):
        if row["kind"] != "autofattura" and row["currency"] == "EUR":
            months.setdefault(f"{row['issued_on']:%Y-%m}", []).append(row)
    others = sum(row["currency"] != "EUR" for row in rows)
    listed_months = [{"month": month, **_total(own, wish)} for month, own in months.items()]
    return {
        **listed(listed_months[-_MOST_MONTHS:], len(listed_months)),
        **present({"of": found and found.name, "foreign_currency": others or None}),
        **waiting,
    }


async def compare_periods(turn: Turn, given: ComparePeriods) -> Answer:
    """Compare two periods: «more or less than last year», month against month.

    A period that is not over is compared up to today, with the other one up to the same day; `other_whole` is then the
    whole other period. `difference` and `percent` are of net amounts where `basis` is netto. Say the days of both,
    and the `unregistered` papers that a period leaves out."""
    today = turn.local_now.date()
    async with turn.database() as connection:
        contact = await resolving.id_of(connection, turn, "contact", given.contact)
        found = await counterparts.find(connection, contact, given.contact or "") if contact else None
        wish = Wish(given.state, given.direction)
        if found:
            wish = replace(wish, contact_ids=found.contact_ids, invoice_ids=found.invoice_ids)
        is_open = given.starts_on <= today < given.ends_on
        ends_on, other_ends_on = given.ends_on, given.other_ends_on
        if is_open:
            ends_on, other_ends_on = today, _same_day(given, today)
        first = await _period(connection, wish, given.starts_on, ends_on)
        other = await _period(connection, wish, given.other_starts_on, other_ends_on)
        whole = await _period(connection, wish, given.other_starts_on, given.other_ends_on) if is_open else None
    return {
        **present({"of": found and found.name, "other_whole": whole}),
        "period": first,
        "other": other,
        **_difference(first, other),
    }


def _same_day(given: ComparePeriods, today: date) -> date:
    """Return the day of the other period that today corresponds to: the same day of its month, else as many days in."""
    start, other = given.starts_on, given.other_starts_on
    months = (other.year - start.year) * 12 + other.month - start.month
    if start.day == other.day:
        year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
        last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
        return min(date(year, month + 1, min(today.day, last)), given.other_ends_on)
    return min(other + (today - start), given.other_ends_on)


async def _period(connection: api.Connection, wish: Wish, first: date, last: date) -> Answer:
    rows = await invoices.matching(connection, replace(wish, starts_on=first, ends_on=last))
    waiting = {}
    if wish.state != "pagate":
        waiting = await unregistered.left_out(connection, wish.direction, wish.contact_ids, (first, last))
    return {"from": first.isoformat(), "to": last.isoformat(), **_total(rows, wish), **waiting}


def _total(rows: Sequence[Any], wish: Wish) -> Answer:
    """Add the euros of a period: net where every invoice says it, else with VAT."""
    own = [row for row in rows if row["kind"] != "autofattura"]
    euros = [row for row in own if row["currency"] == "EUR"]
    paid = wish.state == "pagate"
    says_net = not paid and all(row["net_cents"] is not None for row in euros)
    name = "paid_cents" if paid else "total_cents"
    gross = sum(row[name] or 0 for row in euros)
    net = sum(row["net_cents"] for row in euros) if says_net else None
    return present(
        {
            "net": None if net is None else money.euros(net, "EUR"),
            "net_cents": net,
            "foreign_currency": len(own) - len(euros) or None,
        }
    ) | {
        "count": sum(row["kind"] != "nota di credito" for row in own),
        "amount": money.euros(gross, "EUR"),
        "total_cents": gross,
    }


def _difference(first: Answer, other: Answer) -> Answer:
    """Return the difference, net where both periods say net amounts; without a percentage of nothing."""
    is_net = "net_cents" in first and "net_cents" in other
    name = "net_cents" if is_net else "total_cents"
    change = first[name] - other[name]
    gross = first["total_cents"] - other["total_cents"]
    percent = round(change * 100 / other[name]) if other[name] > 0 else None
    return present({"percent": percent}) | {
        "difference": money.euros(change, "EUR"),
        "difference_cents": change,
        "gross_difference": money.euros(gross, "EUR"),
        "basis": "netto" if is_net else "",
    }


READS = (
    Read("compare_periods", "Confronto i due periodi…", ComparePeriods, compare_periods),
    Read("invoices_by_month", "Sommo mese per mese…", InvoicesByMonth, invoices_by_month),
)
