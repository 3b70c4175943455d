"""What papers say: the lines of electronic invoices, and the days and amounts of contracts, quotes and other papers."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Field

from functions._shared.assistant.tools.answers import Answer, Arguments, Read, foreign, listed, present, quoted
from functions._shared.assistant.tools.invoices import Direction
from functions._shared.assistant.tools.stems import fits, stems
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money

MOST_LINES = 20_000
MOST_PAPERS = 2_000
LINES = """
    select register.id, register.document_id, register.direction::text, number, issued_on, kind::text, sign,
      counterparty_name, contacts.name as contact, currency, line ->> 'description' as description,
      (line ->> 'total_cents')::bigint as cents
    from public.invoice_register as register
    left join public.contacts on contacts.user_id = register.user_id and contacts.id = register.contact_id
    cross join lateral jsonb_path_query(content, '$.lines[*]') as line
    where register.deleted_at is null and twin is null
      and ($1::text is null or register.direction::text = $1)
      and ($2::text is null or starts_with(lower(number) || '/', lower($2) || '/'))
      and issued_on between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')
    order by issued_on desc, register.id limit $5
"""
# Until when a paper holds stands in the first of these that is there.
PAPERS = """
    select documents.id, filename::text, title, documents.kind::text, documents.issued_on, documents.total_cents,
      documents.currency, contacts.name as contact, coalesce(contacts.name, supplier ->> 'name') as party,
      coalesce((ending.value)::date, documents.due_on) as ends_on,
      coalesce(ending.confirmed_at is not null or ending.confidence >= public.sure_confidence(), true) as is_sure,
      (select string_agg(value, ' ') from public.document_fields as said
       where said.document_id = documents.id and key in ('subject', 'party', 'supplier', 'customer')) as said
    from public.documents
    left join public.contacts on contacts.user_id = documents.user_id and contacts.id = documents.contact_id
    left join lateral (
      select value, confidence, confirmed_at from public.document_fields as field
      where field.document_id = documents.id and key in ('expires_on', 'valid_until', 'due_on')
        and value ~ '^\\d{4}-\\d{2}-\\d{2}$'
      order by array_position(array['expires_on', 'valid_until', 'due_on'], key) limit 1
    ) as ending on true
    where documents.deleted_at is null and documents.kind <> 'fattura'
    order by documents.issued_on desc nulls last, documents.created_at desc limit $1
"""


class FindInvoiceLines(Arguments):
    """What `find_invoice_lines` may be told."""

    query: str | None = Field(default=None, max_length=200, description="Words of what was sold; left out: all lines")
    party: str | None = Field(default=None, max_length=200, description="Words of the client's or supplier's name")
    number: str | None = Field(default=None, max_length=100, description="Of one invoice, like 12/2026 or 12")
    direction: Direction | None = Field(default=None, description="attiva: issued; passiva: received")
    starts_on: date | None = Field(default=None, alias="from", description="First day of issue, like 2026-01-31")
    ends_on: date | None = Field(default=None, alias="to", description="Last day of issue")


class FindPapers(Arguments):
    """What `find_papers` may be told."""

    query: str = Field(
        default="", max_length=200, description="Words of its name, subject or other party; empty: all of the kind"
    )
    kind: str | None = Field(
        default=None,
        max_length=30,
        description="contratto, preventivo, ricevuta, f24, durc, visura, documento_identita",
    )


async def find_invoice_lines(turn: Turn, given: FindInvoiceLines) -> Answer:
    """Find what was sold or bought in the lines of electronic invoices, with the net amount of each line.

    `searched` is how many invoices have lines; scans have none, so say that only electronic invoices were searched."""
    async with turn.database() as connection:
        rows = await connection.fetch(LINES, given.direction, given.number, given.starts_on, given.ends_on, MOST_LINES)
    wanted, party = stems(given.query or ""), stems(given.party or "")
    found = [
        row
        for row in rows
        if fits(wanted, row["description"] or "")
        and fits(party, f"{row['counterparty_name'] or ''} {row['contact'] or ''}")
    ]
    cents = sum((row["cents"] or 0) for row in found if row["currency"] == "EUR")
    return listed(
        [_line(turn, row) for row in found[:50]],
        len(found),
        invoices=len({row["id"] for row in found}),
        searched=len({row["id"] for row in rows}),
        net=money.euros(cents, "EUR"),
    )


def _line(turn: Turn, row: Any) -> Answer:
    who = row["counterparty_name"] or row["contact"] or ""
    label = f"Fattura {row['number']}" + (f" · {who}" if who else "")
    return present(
        {
            "ref": turn.refs.add("document", row["document_id"], label),
            "number": foreign(turn, "documento", row["number"]),
            "kind": None if row["kind"] == "fattura" else row["kind"].replace("_", " "),
            "direction": row["direction"],
            "counterparty": foreign(turn, "documento", who, 200),
            "issued_on": row["issued_on"].isoformat(),
            "text": quoted(turn, "documento", row["description"] or ""),
            "net": None if row["cents"] is None else money.euros(row["cents"], row["currency"]),
        }
    )


async def find_papers(turn: Turn, given: FindPapers) -> Answer:
    """Find contracts, quotes, receipts, F24, DURC and other papers by their words: until when they hold, their total.

    `ends_on` is the day on which a paper expires or until which it is valid; without `is_sure` it has to be checked."""
    async with turn.database() as connection:
        rows = await connection.fetch(PAPERS, MOST_PAPERS)
    wanted = stems(given.query)
    own = [row for row in rows if given.kind is None or row["kind"] == given.kind]
    found = [row for row in own if fits(wanted, _words_of(row))]
    return listed([_paper(turn, row) for row in found[:50]], len(found), searched=len(own))


def _words_of(row: Any) -> str:
    parts = (row["filename"], row["title"], row["party"], row["said"], row["kind"])
    return " ".join(part for part in parts if part)


def _paper(turn: Turn, row: Any) -> Answer:
    ends_on = row["ends_on"]
    return present(
        {
            "ref": turn.refs.add("document", row["id"], row["filename"]),
            "name": foreign(turn, "documento", row["filename"]),
            "kind": row["kind"],
            "party": foreign(turn, "documento", row["party"] or "", 200),
            "issued_on": row["issued_on"] and row["issued_on"].isoformat(),
            "ends_on": ends_on and ends_on.isoformat(),
            "is_over": ends_on < turn.local_now.date() if ends_on else None,
            "is_sure": row["is_sure"] if ends_on else None,
            "total": None if row["total_cents"] is None else money.euros(row["total_cents"], row["currency"]),
        }
    )


READS = (
    Read("find_invoice_lines", "Cerco nelle righe delle fatture…", FindInvoiceLines, find_invoice_lines),
    Read("find_papers", "Cerco fra i documenti…", FindPapers, find_papers),
)
