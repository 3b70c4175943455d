"""Which invoices are those of a contact.

Counted are the linked invoices, and the unlinked ones with the contact's VAT number, tax code or name. An unlinked
invoice with a name that is only similar is named in an answer, never counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from backend.edge import api
from functions._shared import names
from functions._shared.assistant.tools import resolving

# Papers of a person are often made out to the company, and those of a company linked to one of its people.
_RELATED = """
    select contacts.id, contacts.name, contacts.business_name::text, contacts.vat_number, contacts.tax_code,
      contacts.id = asked.id as is_asked, contacts.origin::text,
      coalesce(contacts.company_id = asked.id, false) as is_employee
    from public.contacts as asked
    join public.contacts on contacts.user_id = asked.user_id
      and (contacts.id in (asked.id, asked.company_id) or contacts.company_id = asked.id)
    where asked.id = $1 and contacts.deleted_at is null and contacts.merged_into is null
"""
# One row for each counterparty; `is_anothers`: the number is that of a contact outside $1.
_UNLINKED = """
    select coalesce(counterparty_name, '') as name, counterparty_vat as vat, party.tax_code, array_agg(id) as ids,
      exists (
        select from public.contacts where contacts.user_id = invoices.user_id and contacts.id <> all ($1::uuid[])
          and contacts.deleted_at is null and contacts.merged_into is null
          and (contacts.vat_number = counterparty_vat or contacts.tax_code in (counterparty_vat, party.tax_code))
      ) as is_anothers
    from (select * from public.invoices where contact_id is null order by issued_on desc limit 5000) as invoices
    cross join lateral (
      select content -> case direction when 'attiva' then 'customer' else 'supplier' end ->> 'tax_code' as tax_code
    ) as party
    group by invoices.user_id, counterparty_name, counterparty_vat, party.tax_code
"""


@dataclass(frozen=True)
class Counterpart:
    """A contact as a counterparty of invoices."""

    name: str
    origin: str
    contact_ids: tuple[Any, ...]
    invoice_ids: tuple[Any, ...] = ()
    similar_ids: tuple[Any, ...] = ()


async def find(connection: api.Connection, contact_id: str, asked: str) -> Counterpart | None:
    """Return the invoices of a contact that was asked for with these words; None if the contact is gone."""
    related = await connection.fetch(_RELATED, contact_id)
    contact = next((row for row in related if row["is_asked"]), None)
    if contact is None:
        return None
    ids = tuple(row["id"] for row in related)
    identities = [row for row in related if not row["is_employee"]]
    own, similar = [], []
    for row in await connection.fetch(_UNLINKED, ids):
        if _is_same(row, identities):
            own += row["ids"]
        elif any(_is_similar(row["name"], name) for name in (asked, *_names(identities))):
            similar += row["ids"]
    return Counterpart(contact["name"], contact["origin"], ids, tuple(own), tuple(similar))


def _is_same(row: Any, identities: Iterable[Any]) -> bool:
    """Compare the numbers first: a name counts only where no number contradicts it."""
    numbers = {row["vat"], row["tax_code"]} - {None}
    for each in identities:
        if numbers & {each["vat_number"], each["tax_code"]}:
            return True
        differs = row["vat"] and each["vat_number"]
        if not differs and not row["is_anothers"] and any(names.same(row["name"], name) for name in _names([each])):
            return True
    return False


def _names(identities: Iterable[Any]) -> list[str]:
    return [name for each in identities for name in (each["name"], each["business_name"]) if name]


def _is_similar(one: str, other: str) -> bool:
    first, second = _core(one), _core(other)
    if not first or not second:
        return False
    return first <= second or second <= first or resolving.likeness(one, other) >= resolving.NEARLY_THE_SAME


def _core(name: str) -> set[str]:
    """Return the words that tell a name from others: no company form, no single letter."""
    return {word for word in names.words(name).split() if len(word) > 1} - names.COMPANY_FORMS
