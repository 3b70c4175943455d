"""One search over everything, and the day at a glance."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pydantic import Field

from backend.edge import api
from functions._shared.assistant.tools import contacts, documents, invoices, mails, tasks, whatsapp
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, listed
from functions._shared.assistant.tools.tasks import Nothing
from functions._shared.assistant.turn import RefKind, Turn

EACH = 5
SOON_DAYS = 7
# As the command palette looks for names: what was changed last stands first.
BY_NAME: tuple[tuple[RefKind, str], ...] = (
    (
        "task",
        """
        select id, title as label
        from (values (false), (true)) as states (is_done)
        cross join public.search_tasks($1, 5, is_done) with ordinality as found (id, title, place)
        order by is_done, place limit 5
        """,
    ),
    (
        "deal",
        """
        select id, title::text as label from public.deals
        where deleted_at is null and strpos(lower(title), lower($1)) > 0 order by stage_since desc limit 5
        """,
    ),
    (
        "project",
        """
        select id, name::text as label from public.projects
        where deleted_at is null and strpos(lower(name), lower($1)) > 0 order by status, name limit 5
        """,
    ),
)


class SearchAll(Arguments):
    """What `search_all` may be told."""

    query: str = Field(min_length=1, max_length=200, description="A name or a few words")


async def search_all(turn: Turn, given: SearchAll) -> Answer:
    """Searches contacts, tasks, deals, projects, documents, e-mails and WhatsApp at once, the best five of each."""
    async with turn.database() as connection:
        rows = await _people(connection, turn, given.query)
        for kind, query in BY_NAME:
            found = await connection.fetch(query, given.query)
            rows += [
                {"kind": kind, "ref": turn.refs.add(kind, row["id"], row["label"]), "label": row["label"]}
                for row in found
            ]
        pages = await connection.fetch("select * from public.search_documents($1, $2)", given.query, EACH)
        letters = await connection.fetch("select * from public.search_mails($1, $2)", given.query, EACH)
        messages = await connection.fetch("select * from public.search_whatsapp($1, $2)", given.query, EACH)
    rows += [{**documents.hit(turn, row), "kind": "document"} for row in pages]
    rows += [{"kind": "mail", **mails.hit(turn, row)} for row in letters]
    rows += [{"kind": "whatsapp", **whatsapp.hit(turn, row)} for row in messages]
    return listed(rows)


async def _people(connection: api.Connection, turn: Turn, query: str) -> list[Answer]:
    rows = await connection.fetch(
        f"""
        select {contacts.COLUMNS} from public.contact_list join ({contacts.FOUND}) as found using (id) order by place
        """,  # noqa: S608  # constants only
        query,
        EACH,
    )
    return [{"kind": "contact", **contacts.contact_row(turn, row)} for row in rows]


async def today(turn: Turn, _given: Nothing) -> Answer:
    """The person's day: tasks of today and tomorrow, late ones, whom to call, and invoices late or due in a week."""
    async with turn.database() as connection:
        due = await tasks.open_tasks(connection, turn, tasks.Wish("oggi"), most=15)
        tomorrow = await tasks.open_tasks(connection, turn, tasks.Wish("domani"), most=8)
        overdue = await tasks.open_tasks(connection, turn, tasks.Wish("scaduti"), most=8)
        undated = await tasks.open_tasks(connection, turn, tasks.Wish("senza_data"), most=1)
        touches, touch_count = await contacts.due_contacts(connection, turn, EACH)
        unpaid = await invoices.matching(connection, invoices.Wish(state="da_pagare"))
    day = turn.local_now.date()
    urgent = [row for row in unpaid if row["next_due"] and row["next_due"] <= day + timedelta(days=SOON_DAYS)]
    return {
        "date": day.isoformat(),
        **due,
        "tomorrow": tomorrow,
        "overdue": overdue,
        "undated_count": undated["count"],
        "touches": listed([contacts.contact_row(turn, row) for row in touches], touch_count),
        "invoices": _due(turn, urgent),
    }


def _due(turn: Turn, rows: list[Any]) -> Answer:
    late = [row for row in rows if row["next_due"] < turn.local_now.date()]
    return invoices.summed(turn, rows, "da_pagare", EACH) | {"late": invoices.totals(late, "scadute")}


READS = (
    Read("today", "Guardo la tua giornata…", Nothing, today),
    Read("search_all", "Cerco dappertutto…", SearchAll, search_all),
)
