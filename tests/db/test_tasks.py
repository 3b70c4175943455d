"""Tasks and projects: two levels, nobody else's rows, and the columns that follow from others."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, crm, work
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]


async def _put_into(connection: Connection, child: UUID, parent: UUID) -> None:
    await connection.execute("update public.tasks set parent_id = $2 where id = $1", child, parent)


async def test_tasks_have_two_levels_and_no_circles(connection: Connection) -> None:
    top, middle, other = [(await work.task(connection, OWNER))["id"] for _ in range(3)]
    await _put_into(connection, middle, top)
    for child, parent, why in (
        (top, top, "dentro sé stessa"),
        (top, middle, "una dentro l’altra"),
        (other, middle, "i livelli sono due"),
        (top, other, "i livelli sono due"),
    ):
        with pytest.raises(asyncpg.CheckViolationError, match=why):
            async with connection.transaction():
                await _put_into(connection, child, parent)


@pytest.mark.parametrize("column", ["project_id", "parent_id", "contact_id", "waiting_for", "deal_id", "previous_id"])
async def test_a_task_never_refers_to_a_row_of_somebody_else(connection: Connection, column: str) -> None:
    theirs = {
        "project_id": (await work.project(connection, STRANGER))["id"],
        "parent_id": (await work.task(connection, STRANGER))["id"],
        "previous_id": (await work.task(connection, STRANGER))["id"],
        "contact_id": await crm.contact(connection, STRANGER),
        "waiting_for": await crm.contact(connection, STRANGER),
        "deal_id": (await _deal(connection))["id"],
    }[column]
    mine = (await work.task(connection, OWNER))["id"]
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        async with connection.transaction():
            await work.task(connection, OWNER, **{column: theirs})
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await connection.execute(f"update public.tasks set {column} = $2 where id = $1", mine, theirs)


async def _deal(connection: Connection) -> asyncpg.Record:
    async with access.acting(connection, "stranger"):
        row = await connection.fetchrow(
            "insert into public.deals (title, stage_id) select 'D', id from public.ensure_stages() limit 1 returning id"
        )
    assert row is not None
    return row


@pytest.mark.parametrize("verb", ["complete_task", "reopen_task", "skip_occurrence", "add_subtasks"])
async def test_no_verb_reaches_a_task_of_somebody_else(connection: Connection, verb: str) -> None:
    mine = await work.task(connection, OWNER, rrule="FREQ=DAILY", due_at=datetime.now(UTC))
    arguments = "$1, array['Rubata']" if verb == "add_subtasks" else "$1"
    async with access.acting(connection, "stranger"):
        with pytest.raises(asyncpg.PostgresError) as caught:
            async with connection.transaction():
                await connection.fetch(f"select public.{verb}({arguments})", mine["id"])
    assert caught.value.sqlstate == "PT404"
    assert await work.read(connection, mine["id"]) == mine


async def test_nobody_stops_a_series_of_somebody_else(connection: Connection) -> None:
    mine = await work.task(connection, OWNER, rrule="FREQ=DAILY", due_at=datetime.now(UTC))
    assert await work.call(connection, "stop_series", mine["id"], "stranger") == 0
    assert await work.read(connection, mine["id"]) == mine


async def test_an_allday_task_is_due_at_midnight_in_italy(connection: Connection) -> None:
    at = datetime(2026, 7, 3, 15, 30, tzinfo=UTC)
    allday = await work.task(connection, OWNER, due_at=at, someday=True)
    assert (allday["due_at"], allday["someday"]) == (datetime(2026, 7, 2, 22, tzinfo=UTC), False)
    timed = await work.task(connection, OWNER, due_at=at, due_is_allday=False)
    assert timed["due_at"] == at


async def test_what_is_done_has_its_time_and_what_is_not_has_none(connection: Connection) -> None:
    row = await work.task(connection, OWNER, state="fatto")
    assert row["completed_at"] is not None
    reopen = "update public.tasks set state = 'in_corso' where id = $1 returning completed_at"
    assert await connection.fetchval(reopen, row["id"]) is None


async def test_a_new_position_is_no_change_of_the_task(connection: Connection) -> None:
    row = await work.task(connection, OWNER)
    await connection.execute(
        "update public.tasks set created_at = now() - interval '1 day', updated_at = now() - interval '1 day'"
        " where id = $1",
        row["id"],
    )
    update = "update public.tasks set {} where id = $1 returning updated_at < now()"
    await connection.execute("set local session_replication_role = replica")
    await connection.execute(update.format("updated_at = now() - interval '1 day'"), row["id"])
    await connection.execute("set local session_replication_role = origin")
    assert await connection.fetchval(update.format("position = 'a1'"), row["id"]) is True
    assert await connection.fetchval(update.format("title = 'Altro'"), row["id"]) is False


async def test_subtasks_go_into_the_trash_and_come_back_with_their_parent(connection: Connection) -> None:
    parent = (await work.task(connection, OWNER))["id"]
    kept, gone = [(await work.task(connection, OWNER, parent_id=parent))["id"] for _ in range(2)]
    trash = "update public.tasks set deleted_at = $2 where id = $1"
    await connection.execute(trash, gone, datetime(2026, 1, 1, tzinfo=UTC))
    shown = "select id from public.tasks where parent_id = $1 and deleted_at is null"
    await connection.execute(trash, parent, datetime(2026, 1, 2, tzinfo=UTC))
    assert await connection.fetch(shown, parent) == []
    await connection.execute(trash, parent, None)
    assert [row["id"] for row in await connection.fetch(shown, parent)] == [kept]


async def test_a_restored_subtask_outlives_its_parent(connection: Connection) -> None:
    parent = (await work.task(connection, OWNER))["id"]
    kept, gone = [(await work.task(connection, OWNER, parent_id=parent))["id"] for _ in range(2)]
    trash = "update public.tasks set deleted_at = $2 where id = $1"
    async with access.acting(connection, "owner"):
        await connection.execute(trash, parent, datetime(2026, 1, 1, tzinfo=UTC))
        await connection.execute(trash, kept, None)
    row = await work.read(connection, kept)
    assert row is not None
    assert row["parent_id"] is None
    await connection.execute("delete from public.tasks where id = $1", parent)
    left = await connection.fetch("select id from public.tasks where id = any ($1)", [parent, kept, gone])
    assert [row["id"] for row in left] == [kept]


async def test_what_happens_to_a_task_is_written_down(connection: Connection) -> None:
    task_id = (await work.task(connection, OWNER))["id"]
    for change in ("state = 'in_corso'", "state = 'fatto'", "state = 'da_fare', title = 'Altro'", "deleted_at = now()"):
        await connection.execute(f"update public.tasks set {change} where id = $1", task_id)
    rows = await connection.fetch("select kind, data from public.task_events where task_id = $1", task_id)
    events = sorted((row["kind"], json.loads(row["data"]).get("from")) for row in rows)
    assert events == [
        ("completata", "in_corso"),
        ("creata", None),
        ("eliminata", None),
        ("riaperta", "fatto"),
        ("stato", "da_fare"),
    ]


async def test_pasted_lines_become_subtasks_in_their_order(connection: Connection) -> None:
    project_id = (await work.project(connection, OWNER))["id"]
    parent = (await work.task(connection, OWNER, project_id=project_id))["id"]
    pasted = ["- [ ] Testi", "", "  2) Foto\t del  sito", "• Dominio\r\n", "3 mele", "x" * 300]
    async with access.acting(connection, "owner"):
        for lines in (pasted, ["Ultima"]):
            await connection.fetch("select public.add_subtasks($1, $2)", parent, lines)
    rows = await connection.fetch("select * from public.tasks where parent_id = $1 order by position", parent)
    assert [row["title"] for row in rows] == ["Testi", "Foto del sito", "Dominio", "3 mele", "x" * 200, "Ultima"]
    assert {row["project_id"] for row in rows} == {project_id}
    with pytest.raises(asyncpg.CheckViolationError, match="i livelli sono due"):
        async with access.acting(connection, "owner"):
            await connection.fetch("select public.add_subtasks($1, array['Terza'])", rows[0]["id"])


async def test_steps_are_added_one_by_one_for_ever(connection: Connection) -> None:
    parent = (await work.task(connection, OWNER))["id"]
    titles = [f"Passo {number}" for number in range(200)]
    async with access.acting(connection, "owner"):
        for title in titles:
            await connection.fetch("select public.add_subtasks($1, array[$2])", parent, title)
    rows = await connection.fetch(
        "select title, position from public.tasks where parent_id = $1 order by position", parent
    )
    assert [row["title"] for row in rows] == titles
    assert max(len(row["position"]) for row in rows) <= 3


@pytest.mark.parametrize(
    ("last", "deleted_at", "position"),
    [
        ("a0" + "001V" * 124, None, "a1"),
        ("zz" + "z" * 30, None, "a2"),
        ("~", None, "a2"),
        ("b05", datetime(2026, 1, 1, tzinfo=UTC), "a4"),
    ],
    ids=["long", "end of all keys", "no key", "trash"],
)
async def test_a_step_comes_after_any_other(
    connection: Connection, last: str, deleted_at: datetime | None, position: str
) -> None:
    parent = (await work.task(connection, OWNER))["id"]
    first = "a0" if deleted_at is None else "a3V"
    await work.task(connection, OWNER, parent_id=parent, title="Prima", position=first)
    await work.task(connection, OWNER, parent_id=parent, title="Ultima", position=last, deleted_at=deleted_at)
    async with access.acting(connection, "owner"):
        added = await connection.fetchrow("select * from public.add_subtasks($1, array['Nuova'])", parent)
    shown = "select title from public.tasks where parent_id = $1 and deleted_at is null order by position"
    titles = [row["title"] for row in await connection.fetch(shown, parent)]
    assert added is not None
    assert (added["position"], titles[-1]) == (position, "Nuova")
    assert titles[0] == "Prima"


async def test_keys_sort_as_their_places_do(connection: Connection) -> None:
    places = [-4000, -3907, -3906, -63, -62, -1, 0, 1, 61, 62, 3905, 3906, 300_000]
    keys = [await connection.fetchval("select public.position_at($1)", place) for place in places]
    assert keys == sorted(keys)
    assert keys[3:12] == ["Yzz", "Z0", "Zz", "a0", "a1", "az", "b00", "bzz", "c000"]
    assert [await connection.fetchval("select public.place_of($1 || 'V')", key) for key in keys] == places


async def test_a_task_made_without_a_place_comes_first_in_its_column_and_a_subtask_last(connection: Connection) -> None:
    await work.task(connection, OWNER, state="in_corso", position="a1V")
    await work.task(connection, OWNER, state="in_corso", position="Z0", deleted_at=datetime(2026, 1, 1, tzinfo=UTC))
    await work.task(connection, STRANGER, state="in_corso", position="Z0")
    many = (
        "insert into public.tasks (title, state) select 'Nuova', $1 from generate_series(1, 3) returning id, position"
    )
    for state in ("in_corso", "in_attesa"):
        async with access.acting(connection, "owner"):
            made = [tuple(row) for row in await connection.fetch(many, state)]
        assert [position for _, position in made] == ["a0", "Zz", "Zy"]
    step = {"parent_id": made[0][0], "title": "Passo"}
    assert [(await work.task(connection, OWNER, **step))["position"] for _ in range(2)] == ["a0", "a1"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("title", "riga\r\nBEGIN:VEVENT"),
        ("title", " "),
        ("notes", ""),
        ("priority", 4),
        ("position", ""),
        ("position", "a0 "),
        ("due_at", datetime(1999, 1, 1, tzinfo=UTC)),
        ("due_at", datetime(2200, 1, 2, tzinfo=UTC)),
        ("remind_at", [datetime(2030, 1, day, tzinfo=UTC) for day in range(1, 12)]),
        ("origin", "Drop Table"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_a_task_out_of_bounds_is_refused(connection: Connection, column: str, value: Any) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await work.task(connection, OWNER, **{column: value})


async def test_a_project_ends_after_it_begins(connection: Connection) -> None:
    today = datetime.now(UTC).date()
    with pytest.raises(asyncpg.CheckViolationError):
        await work.project(connection, OWNER, starts_on=today, due_on=today - timedelta(days=1))


async def test_a_project_that_is_erased_leaves_its_tasks(connection: Connection) -> None:
    project_id = (await work.project(connection, OWNER))["id"]
    task_id = (await work.task(connection, OWNER, project_id=project_id))["id"]
    await connection.execute("delete from public.projects where id = $1", project_id)
    row = await work.read(connection, task_id)
    assert row is not None
    assert (row["user_id"], row["project_id"]) == (OWNER, None)


async def test_a_contact_s_timeline_shows_its_tasks_where_they_were_done(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    done_at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    await work.task(connection, OWNER, contact_id=contact_id, title="Fatta", state="fatto", completed_at=done_at)
    await work.task(connection, OWNER, contact_id=contact_id, title="Aperta", due_at=done_at)
    await work.task(connection, OWNER, contact_id=contact_id, title="Cestinata", deleted_at=done_at)
    query = "select kind, title, body, at from public.timeline where contact_id = $1 order by at"
    async with access.acting(connection, "owner"):
        rows = [tuple(row) for row in await connection.fetch(query, contact_id)]
    assert rows[0] == ("attivita", "Attività completata", "Fatta", done_at)
    assert [row[:3] for row in rows[1:]] == [("attivita", "Attività", "Aperta")]
    async with access.acting(connection, "stranger"):
        assert await connection.fetch(query, contact_id) == []
