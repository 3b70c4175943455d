"""Demo data: the same believable year for everybody, gone with one click and without a row of one's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.db import access, crm
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
TABLES = ("contacts", "contact_emails", "contact_phones", "contact_tags", "tags", "notes", "interactions", "consents",
          "deals", "projects", "tasks", "contact_channels", "whatsapp_messages")  # fmt: skip


async def _call(connection: Connection, function: str) -> Any:
    async with access.acting(connection, "owner"):
        return json.loads(await connection.fetchval(f"select public.{function}()"))


async def _rows(connection: Connection) -> dict[str, list[str]]:
    """Everybody's rows, so that a touched row of somebody else would be noticed as well."""
    return {
        table: [
            row["row"] for row in await connection.fetch(f"select t::text as row from public.{table} as t order by 1")
        ]
        for table in TABLES
    }


async def test_demo_data_comes_once_and_goes_without_a_trace(connection: Connection) -> None:
    before = await _rows(connection)
    counts = await _call(connection, "add_demo_data")
    assert (counts["contacts"], counts["deals"], counts["projects"], counts["tasks"]) == (65, 12, 4, 45)
    assert counts["notes"] == 25
    assert counts["interactions"] > 100
    assert await _call(connection, "add_demo_data") == counts
    assert await _call(connection, "remove_demo_data") == counts
    assert await _rows(connection) == before


async def test_demo_data_shows_every_screen_at_work(connection: Connection) -> None:
    await _call(connection, "add_demo_data")
    seen = await connection.fetchrow(
        """
        select
          (select count(distinct stage_id) from public.deals where user_id = $1 and origin = 'demo') as stages,
          (select bool_and(stage_since <= now()) from public.deals where user_id = $1) as past,
          (select count(*) from public.deal_stage_log where user_id = $1 and left_at is not null) > 15 as stays,
          (select count(*) from public.contact_list where user_id = $1 and next_touch_at < now()) > 5 as to_call,
          (select count(*) from public.tasks where user_id = $1 and state <> 'fatto' and due_at < now()) > 3 as late,
          (select count(distinct kind) from public.timeline where user_id = $1) > 5 as timeline,
          -- Names that the client knows.
          (select bool_and(color in ('verde', 'terracotta', 'blu', 'giallo', 'rosso')) from public.projects
           where user_id = $1 and origin = 'demo') as coloured,
          (select count(*) from public.tasks join public.projects on projects.id = project_id
           where tasks.user_id = $1 and status = 'chiuso' and state <> 'fatto') as left_over
        """,
        OWNER,
    )
    assert tuple(seen or ()) == (6, True, True, True, True, True, True, 0)


async def test_what_own_rows_stand_on_becomes_ones_own(connection: Connection) -> None:
    await _call(connection, "add_demo_data")
    deal = await connection.fetchrow(
        "select id, contact_id from public.deals where user_id = $1 and origin = 'demo' limit 1", OWNER
    )
    assert deal is not None
    await connection.execute(
        "insert into public.tasks (user_id, title, deal_id) values ($1, 'Mia', $2)", OWNER, deal["id"]
    )
    await _call(connection, "remove_demo_data")
    kept = await connection.fetch(
        "select origin::text from public.deals where id = $1"
        " union all select origin::text from public.contacts where id = $2"
        " union all select origin from public.tasks where title = 'Mia' and deal_id = $1",
        deal["id"],
        deal["contact_id"],
    )
    assert [row["origin"] for row in kept] == ["manuale"] * 3
    assert not await connection.fetchval(
        "select count(*) from public.contacts where user_id = $1 and origin = 'demo'", OWNER
    )


async def _write(connection: Connection, statement: str, *arguments: Any) -> None:
    """As the owner's browser does."""
    async with access.acting(connection, "owner"):
        assert not (await connection.execute(statement, *arguments)).endswith(" 0")


async def _lonely(connection: Connection, table: str, condition: str = "true") -> Any:
    """A demo row of the table that nothing of one's own stands on."""
    return await connection.fetchval(
        f"select id from public.{table} where user_id = $1 and origin = 'demo' and {condition} limit 1", OWNER
    )


WRITTEN = {
    "contacts": "update public.contacts set note = 'Preventivo accordato' where id = $1",
    "deals": "update public.deals set title = 'Il mio cliente' where id = $1",
    "projects": "update public.projects set budget_cents = 120000 where id = $1",
    "tasks": "update public.tasks set notes = 'Scritto a mano' where id = $1",
}
PARTS = {
    "email": "insert into public.contact_emails (contact_id, value) values ($1, 'vera@cliente.it')",
    "phone": "insert into public.contact_phones (contact_id, value, norm) values ($1, '02 1234567', '+39021234567')",
    "tag": "with tag as (insert into public.tags (name) values ('Vero cliente') returning id)"
    " insert into public.contact_tags (contact_id, tag_id) select $1, id from tag",
    "note": "insert into public.notes (contact_id, body) values ($1, 'Mia')",
    "demo note": "update public.notes set body = 'Mia' where contact_id = $1",
    "label": "update public.contact_emails set label = 'Ufficio' where contact_id = $1",
}


@pytest.mark.parametrize(
    ("table", "statement"),
    [*WRITTEN.items(), *(("contacts", statement) for statement in PARTS.values())],
    ids=[*WRITTEN, *PARTS],
)
async def test_what_was_written_into_becomes_ones_own(connection: Connection, table: str, statement: str) -> None:
    await _call(connection, "add_demo_data")
    # One that has addresses and notes, for a contact.
    wanted = "exists (select from public.notes where contact_id = contacts.id)" if table == "contacts" else "true"
    row_id = await _lonely(connection, table, wanted)
    await _write(connection, statement, row_id)
    await _call(connection, "remove_demo_data")
    left = await connection.fetch(f"select id, origin::text from public.{table} where user_id = $1", OWNER)
    assert (row_id, "manuale") in [tuple(row) for row in left]
    assert await _lonely(connection, "contacts") is None
    mine = "select count(*) > 0 from public.notes where user_id = $1 and body = 'Mia'"
    assert await connection.fetchval(mine, OWNER) == ("'Mia'" in statement)


async def test_trying_out_makes_nothing_ones_own(connection: Connection) -> None:
    before = await _rows(connection)
    await _call(connection, "add_demo_data")
    contact_id = await _lonely(connection, "contacts")
    await _write(connection, "update public.contacts set snoozed_until = now(), note = note where id = $1", contact_id)
    task_id = await _lonely(connection, "tasks", "state = 'da_fare'")
    await _write(connection, "update public.tasks set state = 'fatto', position = 'zz' where id = $1", task_id)
    await _write(
        connection,
        "update public.deals set stage_id = (select id from public.stages where kind = 'vinta') where id = $1",
        await _lonely(connection, "deals", "won_at is null"),
    )
    await _write(connection, "update public.contact_emails set is_primary = is_primary where contact_id is not null")
    # Who is erased leaves the others as they were.
    company_id = await _lonely(connection, "contacts", "type = 'azienda'")
    await _write(connection, f"select {crm.ERASE}", company_id)
    await _call(connection, "remove_demo_data")
    after = await _rows(connection)
    assert after == before


async def test_removing_reads_each_row_a_few_times_only(connection: Connection) -> None:
    rows = sum((await _call(connection, "add_demo_data")).values())
    # Of this transaction, which also holds what was added.
    read = (
        "select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables"
        " where relid in ('private.demo_rows'::regclass, 'public.tasks'::regclass, 'public.contacts'::regclass)"
    )
    before = await connection.fetchval(read)
    await _call(connection, "remove_demo_data")
    assert await connection.fetchval(read) - before < 150 * rows
