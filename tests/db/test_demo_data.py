"""Demo data: the same believable year for everybody, gone with one click and without a row of one's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.db import access
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
TABLES = ("contacts", "contact_emails", "contact_phones", "contact_tags", "tags", "notes", "interactions", "consents",
          "deals", "projects", "tasks")  # fmt: skip


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
    assert (counts["contacts"], counts["deals"], counts["projects"], counts["tasks"]) == (120, 25, 5, 80)
    assert counts["notes"] > 20
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
          (select count(*) from public.deal_stage_log where user_id = $1 and left_at is not null) > 40 as stays,
          (select count(*) from public.contact_list where user_id = $1 and next_touch_at < now()) > 5 as to_call,
          (select count(*) from public.tasks where user_id = $1 and state <> 'fatto' and due_at < now()) > 3 as late,
          (select count(distinct kind) from public.timeline where user_id = $1) > 5 as timeline
        """,
        OWNER,
    )
    assert tuple(seen or ()) == (6, True, True, True, True, True)


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
