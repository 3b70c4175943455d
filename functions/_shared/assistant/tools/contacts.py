"""Contacts: who fits, all that matters of one, and whom to call back."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from backend.edge import api
from functions._shared import names
from functions._shared.assistant.tools import deals, invoices, resolving, tasks, wording
from functions._shared.assistant.tools.answers import (
    FOREIGN_ORIGINS,
    Answer,
    Arguments,
    Read,
    foreign,
    listed,
    present,
    quoted,
)
from functions._shared.assistant.turn import Turn

COLUMNS = """
    id, type::text, name, company_id, company_name, job_title::text, email, phone, vat_number, tags, origin::text,
    last_interaction_at, next_touch_at
"""
DETAILS = "consents, tax_code, sdi_code, pec, website, address"
FOUND = "select id, ordinality as place from public.search_contacts($1, $2) with ordinality"
# Whose cadence says that it is time: as the banner of /crm counts them.
DUE = "next_touch_at <= $1 and (snoozed_until is null or snoozed_until <= $1)"
MAX_SHOWN = 20
# «Richiamare Elena», «sentire il notaio», «telefonata a Luca».
_TO_CALL = re.compile(
    r"\b(?:ri)?(?:chiam(?:a|are|ar[ei]?l[aoie])|telefon(?:a|are|ata)|sent(?:i|ire|irl[aoie])|contatta(?:re|rl[aoie])?)\b"
)


class FindContacts(Arguments):
    """What `find_contacts` may be told."""

    query: str = Field(min_length=1, max_length=200, description="A name or a part of it, an address, a number, a tag")


class OneContact(Arguments):
    """What names a contact."""

    contact: str = Field(min_length=1, max_length=200, description="A name, or a handle like r3")


class ToCall(Arguments):
    """What `contacts_to_call` may be told."""

    limit: int = Field(default=10, ge=1, le=50)


async def find_contacts(turn: Turn, given: FindContacts) -> Answer:
    """Searches the person's contacts, people and companies, by words, parts of words, near misses or numbers."""
    async with turn.database() as connection:
        rows = await connection.fetch(
            f"""
            select {COLUMNS} from public.contact_list join ({FOUND}) as found using (id) order by place
            """,  # noqa: S608  # constants only
            given.query,
            100,
        )
    return listed([contact_row(turn, row) for row in rows[:MAX_SHOWN]], len(rows))


async def contacts_to_call(turn: Turn, given: ToCall) -> Answer:
    """Lists whom the person should get in touch with again, by the cadence they chose; the most overdue first.

    `tasks` are open tasks to call somebody that are due by today. Say that nobody was missed only where contacts have a
    cadence, nothing is listed, and none is snoozed or was never heard."""
    async with turn.database() as connection:
        rows, count = await due_contacts(connection, turn, given.limit)
        calls = await tasks.open_tasks(connection, turn, tasks.Wish(ends_on=turn.local_now.date()))
        (known,) = await connection.fetch(
            f"""
            select count(*) as contacts, count(next_touch_at) as with_cadence,
              count(*) filter (where last_interaction_at is null) as never_heard,
              count(*) filter (where next_touch_at <= $1 and not ({DUE})) as snoozed
            from public.contact_list
            """,  # noqa: S608  # constants only
            turn.now,
        )
    due = [row for row in calls["rows"] if _TO_CALL.search(names.fold(row["title"]))]
    return listed([contact_row(turn, row) for row in rows], count, **known, tasks=listed(due))


async def due_contacts(connection: api.Connection, turn: Turn, limit: int) -> tuple[list[Any], int]:
    """Those who wait the longest, and how many there are."""
    rows = await connection.fetch(
        f"select {COLUMNS} from public.contact_list where {DUE} order by next_touch_at, id limit $2",  # noqa: S608
        turn.now,
        limit,
    )
    count = await connection.fetchval(f"select count(*) from public.contact_list where {DUE}", turn.now)  # noqa: S608
    return list(rows), count


def contact_row(turn: Turn, row: Any) -> Answer:
    """A contact as models see it."""
    values = present(
        {
            "ref": turn.refs.add("contact", row["id"], row["name"]),
            "name": row["name"],
            "type": row["type"],
            "company": row["company_name"],
            "job": row["job_title"],
            "email": row["email"],
            "phone": row["phone"],
            "vat_number": row["vat_number"],
            "tags": list(row["tags"]),
            "last_heard": wording.wall(row["last_interaction_at"]),
            "call_by": wording.wall(row["next_touch_at"]),
        }
    )
    if row["origin"] in FOREIGN_ORIGINS:
        for text in (row["name"], row["company_name"], row["job_title"], row["email"], *row["tags"]):
            foreign(turn, "contatto", text)
    return values


async def contact_summary(turn: Turn, given: OneContact) -> Answer:
    """All that matters of one contact: open tasks, deals and invoices, documents, memories, consents, last events."""
    async with turn.database() as connection:
        found = await resolving.find(connection, turn, "contact", given.contact)
        row = await connection.fetchrow(
            f"select {COLUMNS}, {DETAILS} from public.contact_list where id = $1",  # noqa: S608  # constants only
            found.id,
        )
        if row is None:
            return {"none": True, "query": given.contact}
        pipeline = await deals.matching(connection, turn, deals.Wish(contact_id=found.id))
        answer = contact_row(turn, row) | _details(turn, row)
        answer["tasks"] = await tasks.open_tasks(connection, turn, tasks.Wish(contact_id=found.id), most=10)
        answer["deals"] = deals.summed(turn, pipeline, 10)
        unpaid = invoices.Wish("da_pagare")
        answer["invoices"] = await invoices.collect(connection, turn, unpaid, found.id, given.contact, 10)
        answer["documents"] = await _documents(connection, turn, found.id)
        answer["memories"] = await _memories(connection, turn, found.id) if turn.uses_memory else listed([])
        answer["events"] = await _events(connection, turn, found.id)
        answer["note"] = await _own_note(connection, turn, found.id)
    return {key: value for key, value in answer.items() if value is not None}


def _details(turn: Turn, row: Any) -> Answer:
    """What only a summary tells."""
    address = row["address"] or {}
    town = " ".join(filter(None, (address.get("postal_code"), address.get("city"), address.get("province"))))
    details = present(
        {
            "tax_code": row["tax_code"],
            "sdi_code": row["sdi_code"],
            "pec": row["pec"],
            "website": row["website"],
            "address": ", ".join(filter(None, (address.get("street"), town))),
            "consents_to_marketing": row["consents"],
        }
    )
    if row["origin"] in FOREIGN_ORIGINS:
        foreign(turn, "contatto", details.get("address"))
    return details


async def _documents(connection: api.Connection, turn: Turn, contact_id: str) -> Answer:
    rows = await connection.fetch(
        """
        select id, filename::text, kind::text, created_at, count(*) over () as total from public.documents
        where contact_id = $1 and deleted_at is null order by created_at desc, id desc limit 5
        """,
        contact_id,
    )
    return listed(
        [
            {
                "ref": turn.refs.add("document", row["id"], row["filename"]),
                "name": foreign(turn, "documento", row["filename"]),
                "kind": row["kind"],
                "added": wording.wall(row["created_at"]),
            }
            for row in rows
        ],
        rows[0]["total"] if rows else 0,
    )


async def _memories(connection: api.Connection, turn: Turn, contact_id: str) -> Answer:
    rows = await connection.fetch(
        """
        select id, body from public.memories where contact_id = $1 and state = 'attiva'
        order by updated_at desc, id limit 5
        """,
        contact_id,
    )
    turn.memories += [str(row["id"]) for row in rows if str(row["id"]) not in turn.memories]
    return listed([{"ref": turn.refs.add("memory", row["id"], row["body"]), "fact": row["body"]} for row in rows])


async def _events(connection: api.Connection, turn: Turn, contact_id: str) -> Answer:
    rows = await connection.fetch(
        """
        select kind, at, title, body, ref_type, ref_id from public.timeline
        where contact_id = $1 order by at desc, id desc limit 6
        """,
        contact_id,
    )
    return listed([_event(turn, row) for row in rows])


def _event(turn: Turn, row: Any) -> Answer:
    ref_type, text = row["ref_type"], f"{row['title']}: {row['body'] or ''}"
    known = ref_type if ref_type in ("note", "deal", "task", "document") else None
    return present(
        {
            "ref": turn.refs.add(known, row["ref_id"], text[:80]) if known else None,
            "kind": row["kind"],
            "at": wording.wall(row["at"]),
            # Notes, what was said on the phone, names of deals and of files hold other people's words.
            "title": foreign(turn, "nota", row["title"]),
            "text": quoted(turn, "nota", row["body"], 300),
        }
    )


async def _own_note(connection: api.Connection, turn: Turn, contact_id: str) -> str | None:
    note = await connection.fetchval("select note from public.contacts where id = $1", contact_id)
    return quoted(turn, "nota", note)


READS = (
    Read("find_contacts", "Cerco fra i contatti…", FindContacts, find_contacts),
    Read("contact_summary", "Raccolgo quello che so del contatto…", OneContact, contact_summary),
    Read("contacts_to_call", "Guardo chi devi richiamare…", ToCall, contacts_to_call),
)
