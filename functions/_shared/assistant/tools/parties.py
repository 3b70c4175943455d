"""Invoices by client or supplier: a company and its people are one, unlinked invoices count by number, then by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from statistics import fmean
from typing import Any

from backend.edge import api
from functions._shared import names
from functions._shared.assistant.tools.invoices import Direction

MOST_INVOICES = 5000
# How an invoice counts is said by public.invoice_register. Self-invoices have no client.
_INVOICES = """
    select register.id, document_id, number, contact_id, coalesce(counterparty_name, '') as name,
      counterparty_vat as vat, register.currency, register.issued_on, kind = 'nota_di_credito' as is_credit,
      content -> case direction when 'attiva' then 'customer' else 'supplier' end ->> 'tax_code' as tax_code,
      net_cents, total_cents, open_cents, late_cents, parts.due_on, parts.paid_on
    from public.invoice_register as register
    cross join lateral (
      select case when bool_and(part.paid_on is not null) then max(part.paid_on) end as paid_on,
        case when bool_and(part.paid_on is not null) then max(due_on) else min(due_on) filter (where is_late) end
          as due_on
      from public.invoice_parts as part
      where part.user_id = register.user_id and part.invoice_id = register.id
    ) as parts
    where direction = $1::public.invoice_direction and register.deleted_at is null and twin is null
      and kind <> 'autofattura'
    order by register.issued_on desc, register.id
    limit $2
"""
_CONTACTS = """
    select id, name, business_name::text, company_id, vat_number, tax_code, origin::text from public.contacts
    where deleted_at is null and merged_into is null
"""


@dataclass(frozen=True)
class Party:
    """A client or supplier with their invoices; `contact` is their row, None if no contact is theirs."""

    name: str
    contact: Any | None
    invoices: list[Any] = field(default_factory=list)

    def cents(self, name: str) -> int:
        """Add an amount of the invoices in euros."""
        return sum(row[name] or 0 for row in self.invoices if row["currency"] == "EUR")


@dataclass(frozen=True)
class Habit:
    """Days from issue to payment and after the due date, each of `paid` and `dated` invoices."""

    days: float | None
    paid: int
    delay: float | None
    dated: int


async def find(connection: api.Connection, direction: Direction) -> list[Party]:
    """Return every client or supplier who has invoices, those of the latest invoice first."""
    rows = await connection.fetch(_INVOICES, direction, MOST_INVOICES)
    contacts = {row["id"]: row for row in await connection.fetch(_CONTACTS)}
    return _grouped(rows, contacts)


def within(parties: Iterable[Party], first: date | None, last: date | None) -> list[Party]:
    """Return the clients with only the invoices that were issued in these days."""
    chosen = [
        Party(
            party.name,
            party.contact,
            [row for row in party.invoices if (first or date.min) <= row["issued_on"] <= (last or date.max)],
        )
        for party in parties
    ]
    return [party for party in chosen if party.invoices]


def habit(rows: Sequence[Any], today: date) -> Habit:
    """Return how long paid invoices took; one that is late and unpaid is as late as it is today."""
    counted = [row for row in rows if not row["is_credit"]]
    days = [(row["paid_on"] - row["issued_on"]).days for row in counted if row["paid_on"]]
    delays = [
        ((row["paid_on"] or today) - row["due_on"]).days
        for row in counted
        if row["due_on"] and (row["paid_on"] or row["late_cents"])
    ]
    return Habit(fmean(days) if days else None, len(days), fmean(delays) if delays else None, len(delays))


def _grouped(rows: Sequence[Any], contacts: dict[Any, Any]) -> list[Party]:
    contact_of, parties = _matcher(contacts), dict[Any, Party]()
    numbered = {_plain(row["name"]): row["vat"] for row in rows if row["vat"] and row["name"]}
    for row in rows:
        contact = contact_of(row)
        # Without a number an invoice joins those of the same name.
        key = contact or row["vat"] or row["tax_code"] or numbered.get(_plain(row["name"])) or _plain(row["name"])
        name = contacts[contact]["name"] if contact else row["name"]
        parties.setdefault(key, Party(name, contacts.get(contact))).invoices.append(row)
    return list(parties.values())


def _matcher(contacts: dict[Any, Any]) -> Callable[[Any], Any]:
    """Return what finds the contact of an invoice: the linked one, that of its numbers, that of its name."""

    def whole(contact_id: Any) -> Any:
        company = contacts[contact_id]["company_id"] if contact_id in contacts else None
        return company if company in contacts else contact_id if contact_id in contacts else None

    by_number, by_name = dict[str, set[Any]](), dict[str, set[Any]]()
    for each in contacts.values():
        for number in filter(None, (each["vat_number"], each["tax_code"])):
            by_number.setdefault(number, set()).add(whole(each["id"]))
        for name in filter(None, (each["name"], each["business_name"])):
            by_name.setdefault(_plain(name), set()).add(whole(each["id"]))

    def contact_of(row: Any) -> Any:
        if linked := whole(row["contact_id"]):
            return linked
        numbers = {row["vat"], row["tax_code"]} - {None}
        found = set[Any]().union(*(by_number.get(number, set()) for number in numbers))
        if not found:
            found = {
                contact
                for contact in by_name.get(_plain(row["name"]), set())
                if not (row["vat"] and contacts[contact]["vat_number"])
            }
        return next(iter(found)) if len(found) == 1 else None

    return contact_of


def _plain(name: str) -> str:
    return names.words(name).replace(" ", "")
