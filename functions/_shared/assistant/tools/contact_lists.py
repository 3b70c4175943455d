"""Contacts by place, kind, tag, and by when they were last heard: how many, and who."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from pydantic import Field

from functions._shared import names
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, listed, present
from functions._shared.assistant.tools.contacts import COLUMNS, contact_row
from functions._shared.assistant.tools.stems import fits, stems
from functions._shared.assistant.turn import Turn

MOST = 20_000
SHOWN = 50
CONTACTS = f"""
    select {COLUMNS}, address, (last_interaction_at at time zone 'Europe/Rome')::date as heard_on
    from public.contact_list
    where ($1::text is null or type::text = $1)
      and ($2::date is null or (last_interaction_at at time zone 'Europe/Rome')::date >= $2)
      and ($3::date is null or (last_interaction_at at time zone 'Europe/Rome')::date <= $3)
    order by last_interaction_at desc nulls last, name limit {MOST}
"""  # noqa: S608 - constants


class ListContacts(Arguments):
    """Take which contacts are wanted; everything that is left out counts for all."""

    place: str | None = Field(default=None, max_length=100, description="A town, or a province by name or sign (BO)")
    type: Literal["persona", "azienda"] | None = Field(default=None, description="People or companies only")
    tag: str | None = Field(default=None, max_length=100, description="A tag like Cliente or Fornitore")
    company: str | None = Field(default=None, max_length=200, description="Words of the company that they work for")
    never_heard: bool = Field(default=False, description="Only those who were never heard")
    heard_from: date | None = Field(default=None, description="Last heard on this day or later, like 2026-01-31")
    heard_until: date | None = Field(default=None, description="Last heard on this day or earlier; never is left out")


async def list_contacts(turn: Turn, given: ListContacts) -> Answer:
    """List and count contacts by town or province, type, tag, company, and the days on which they were last heard.

    `contacts` is how many there are in all; `without_place` says how many of those asked for have no town on file, and
    `never_heard` how many were never heard: name them where a place or a day was asked for."""
    async with turn.database() as connection:
        rows = await connection.fetch(CONTACTS, given.type, given.heard_from, given.heard_until)
        known = await connection.fetchrow(
            "select count(*) as contacts, count(*) filter (where last_interaction_at is null) as never_heard"
            " from public.contact_list where $1::text is null or type::text = $1",
            given.type,
        )
    own = [row for row in rows if given.tag is None or names.fold(given.tag) in map(names.fold, row["tags"])]
    found = [row for row in own if given.place is None or _is_in(row["address"] or {}, given.place)]
    found = [row for row in found if not given.never_heard or row["last_interaction_at"] is None]
    if given.company:
        found = [row for row in found if row["company_name"] and fits(stems(given.company), row["company_name"])]
    without = sum(not (row["address"] or {}).get("city") for row in own) if given.place else 0
    assert known is not None
    return listed(
        [_row(turn, row) for row in found[:SHOWN]],
        len(found),
        contacts=known["contacts"],
        never_heard=known["never_heard"],
        **present({"without_place": without or None}),
    )


def _row(turn: Turn, row: Any) -> Answer:
    address = row["address"] or {}
    return contact_row(turn, row) | present({"city": address.get("city"), "province": address.get("province")})


def _is_in(address: dict[str, Any], place: str) -> bool:
    wanted = names.words(place)
    return wanted in {names.words(str(address.get(key) or "")) for key in ("city", "province")} - {""}


READS = (Read("list_contacts", "Guardo i contatti…", ListContacts, list_contacts),)
