"""Clients and suppliers by what is invoiced, owed, late or how soon it is paid; how many there are; averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from pydantic import Field

from backend.edge import api
from functions._shared.assistant.tools import counterparts, parties, resolving, unregistered
from functions._shared.assistant.tools.answers import FOREIGN_ORIGINS, Answer, Arguments, Read, foreign, listed, present
from functions._shared.assistant.tools.invoices import Direction
from functions._shared.assistant.tools.parties import Party
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money

Measure = Literal["invoiced", "open", "late", "payment_days", "delay", "invoices"]


class RankCounterparties(Arguments):
    """Take what to rank by, in which direction, and of which days."""

    direction: Direction = Field(default="attiva", description="attiva: clients; passiva: suppliers")
    by: Measure = Field(
        default="invoiced",
        description="invoiced: net amounts; open: what is still owed; late: what of it is late; payment_days: days "
        "from issue to payment; delay: days after the due date; invoices: how many invoices",
    )
    order: Literal["most", "least"] = Field(default="most", description="Which end of the ranking comes first")
    starts_on: date | None = Field(default=None, alias="from", description="First day of issue, like 2026-01-31")
    ends_on: date | None = Field(default=None, alias="to", description="Last day of issue")


class PaymentAverages(Arguments):
    """Take whose invoices, in which direction, and of which days."""

    direction: Direction = Field(default="attiva", description="attiva: issued; passiva: received")
    contact: str | None = Field(default=None, max_length=200, description="A name, or a handle like r3")
    starts_on: date | None = Field(default=None, alias="from", description="First day of issue, like 2026-01-31")
    ends_on: date | None = Field(default=None, alias="to", description="Last day of issue")


@dataclass(frozen=True)
class _Figures:
    """What is known of one client or supplier."""

    party: Party
    habit: parties.Habit

    def value(self, by: Measure) -> float | None:
        """Return what it is ranked by; None keeps it out of the ranking."""
        cents = {"invoiced": "net_cents", "open": "open_cents", "late": "late_cents"}.get(by)
        if cents == "net_cents":
            return self.party.cents(cents)
        if cents:
            return self.party.cents(cents) or None
        if by == "invoices":
            return sum(not row["is_credit"] for row in self.party.invoices)
        return self.habit.days if by == "payment_days" else self.habit.delay


async def rank_counterparties(turn: Turn, given: RankCounterparties) -> Answer:
    """Count and rank clients (`attiva`) or suppliers (`passiva`): best client, who owes most, who pays late or soonest.

    `count` is how many are in the ranking, `parties` how many have any invoice of these days, `ever` of any day, `new`
    those whose first invoice is of these days. A company and its people are one. Invoiced amounts are net and credit
    notes are taken off; open and late amounts are what is still to be paid. Only amounts in euros are ranked: say it
    where `foreign_currency` or `without_net` invoices are left out."""
    today = turn.local_now.date()
    async with turn.database() as connection:
        every = await parties.find(connection, given.direction)
        contacts = await connection.fetch(
            "select count(*) as count from public.contacts where deleted_at is null and merged_into is null"
        )
        waiting = await unregistered.left_out(connection, given.direction, days=(given.starts_on, given.ends_on))
    chosen = parties.within(every, given.starts_on, given.ends_on)
    figures = [_Figures(party, parties.habit(party.invoices, today)) for party in chosen]
    ranked = [(each, value) for each in figures if (value := each.value(given.by)) is not None]
    ranked.sort(key=lambda one: one[1], reverse=given.order == "most")
    total = sum(each.party.cents("net_cents") for each in figures)
    first = {id(party): min(row["issued_on"] for row in party.invoices) for party in every}
    is_new = [(given.starts_on or date.min) <= day <= (given.ends_on or date.max) for day in first.values()]
    return listed(
        [_row(turn, each, total, given.by) for each, _ in ranked[:50]],
        len(ranked),
        **_sums([each.party for each in figures]),
        parties=len(chosen),
        ever=len(every),
        new=sum(is_new),
        contacts=contacts[0]["count"],
        **_left_out(chosen, every),
        **waiting,
    )


async def payment_averages(turn: Turn, given: PaymentAverages) -> Answer:
    """Say in how many days invoices are paid on average, what the average invoice is, and what a month brings.

    `payment_days` are from issue to full payment, of `paid` invoices; `delay` is after the due date, of `dated`
    invoices, where one that is late and unpaid counts until today. `month_net` is what a month brings, over `months`
    begun months. Of one contact or of all; credit notes only count in `month_net`."""
    today = turn.local_now.date()
    async with turn.database() as connection:
        contact = await resolving.id_of(connection, turn, "contact", given.contact)
        every = await parties.find(connection, given.direction)
        own = await _own(connection, contact, given.contact or "") if contact else None
    chosen = parties.within(every, given.starts_on, given.ends_on)
    rows = [row for party in chosen for row in party.invoices if own is None or own.holds(row)]
    habit = parties.habit(rows, today)
    invoices = [row for row in rows if not row["is_credit"] and row["currency"] == "EUR"]
    net = [row["net_cents"] for row in invoices if row["net_cents"] is not None]
    return present(
        {
            "of": own and own.name,
            "payment_days": _rounded(habit.days),
            "paid": habit.paid,
            "delay": _rounded(habit.delay),
            "dated": habit.dated,
            "average_net": money.euros(round(sum(net) / len(net)), "EUR") if net else None,
            "average": money.euros(round(sum(row["total_cents"] for row in invoices) / len(invoices)), "EUR")
            if invoices
            else None,
            **_by_month(rows, given, today),
        }
    ) | {"count": len(invoices), "unpaid": sum(not row["paid_on"] for row in invoices), **_left_out(chosen, every)}


def _by_month(rows: Sequence[Any], given: PaymentAverages, today: date) -> Answer:
    """Divide the net amounts by the months that have begun, from the first invoice or the first day that is given."""
    euros = [row for row in rows if row["currency"] == "EUR"]
    if not euros or any(row["net_cents"] is None for row in euros):
        return {}
    first = given.starts_on or min(row["issued_on"] for row in euros)
    last = min(given.ends_on or today, today)
    months = max(1, (last.year - first.year) * 12 + last.month - first.month + 1)
    net = sum(row["net_cents"] for row in euros)
    return {"month_net": money.euros(round(net / months), "EUR"), "months": months, "net": money.euros(net, "EUR")}


@dataclass(frozen=True)
class _Own:
    """The invoices of one contact."""

    name: str
    contact_ids: Sequence[Any]
    invoice_ids: Sequence[Any]

    def holds(self, row: Mapping[str, Any]) -> bool:
        return row["contact_id"] in self.contact_ids or row["id"] in self.invoice_ids


async def _own(connection: api.Connection, contact: str, asked: str) -> _Own:
    found = await counterparts.find(connection, contact, asked)
    return _Own(found.name, found.contact_ids, found.invoice_ids) if found else _Own(asked, (), ())


def _row(turn: Turn, each: _Figures, total: int, by: Measure) -> Answer:
    """Return a client as models see it, with a handle of the contact, else of the latest invoice."""
    party, cents = each.party, each.party.cents
    is_foreign = party.contact is None or party.contact["origin"] in FOREIGN_ORIGINS
    latest = party.invoices[0]
    ref = (
        turn.refs.add("contact", party.contact["id"], party.name)
        if party.contact
        else turn.refs.add("invoice", latest["id"], f"Fattura {latest['number']} · {party.name}")
    )
    origin = "contatto" if party.contact else "documento"
    share = round(cents("net_cents") * 100 / total) if total > 0 and by == "invoiced" else None
    return {
        "ref": ref,
        "name": (foreign(turn, origin, party.name, 200) if is_foreign else party.name) or "senza nome",
        "invoices": sum(not row["is_credit"] for row in party.invoices),
    } | present(
        {
            **{
                name: money.euros(cents(f"{key}_cents"), "EUR")
                for name, key in (("net", "net"), ("amount", "total"), ("open", "open"), ("late", "late"))
                if cents(f"{key}_cents")
            },
            "net_cents": cents("net_cents"),
            "open_cents": cents("open_cents"),
            "late_cents": cents("late_cents"),
            "share_percent": share,
            "payment_days": _rounded(each.habit.days),
            "paid": each.habit.paid or None,
            "delay": _rounded(each.habit.delay),
            "last_issued_on": latest["issued_on"].isoformat(),
        }
    )


def _sums(chosen: Sequence[Party]) -> Answer:
    """Return what all of them add up to, in euros."""
    sums = {name: sum(party.cents(f"{name}_cents") for party in chosen) for name in ("net", "total", "open", "late")}
    told = {name: money.euros(cents, "EUR") for name, cents in sums.items()}
    return {**told, **{f"{name}_cents": cents for name, cents in sums.items()}}


def _left_out(chosen: Sequence[Party], every: Sequence[Party]) -> Answer:
    """Return how many invoices the figures leave out."""
    rows = [row for party in chosen for row in party.invoices]
    return present(
        {
            "foreign_currency": sum(row["currency"] != "EUR" for row in rows) or None,
            "without_net": sum(row["currency"] == "EUR" and row["net_cents"] is None for row in rows) or None,
            "only_latest": sum(len(party.invoices) for party in every) >= parties.MOST_INVOICES or None,
        }
    )


def _rounded(days: float | None) -> int | None:
    return None if days is None else round(days)


READS = (
    Read("rank_counterparties", "Confronto clienti e fornitori…", RankCounterparties, rank_counterparties),
    Read("payment_averages", "Calcolo le medie…", PaymentAverages, payment_averages),
)
