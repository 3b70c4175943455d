"""Columns of tasks and contacts: each is listed as copied or not, and a column that is added later is copied."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from tests.db import access, accounts, crm, pipeline, work
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
TOMORROW = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)

# The next occurrence of a task and its subtasks copy the first columns, compute the second and have their own third.
TASK_CARRIED = {
    *("user_id", "project_id", "title", "notes", "priority", "due_is_allday", "someday", "repeat_from"),
    *("contact_id", "deal_id", "waiting_for", "position", "origin"),
}
TASK_MOVED = {"parent_id", "due_at", "remind_at", "rrule", "series_id", "previous_id"}
TASK_OWN = {"id", "state", "completed_at", "deleted_at", "reminded_at", "next_remind_at", "created_at", "updated_at"}
# The form of a contact writes the first columns and never the second.
CONTACT_WRITTEN: dict[str, Any] = {
    "type": "persona", "first_name": "Maria", "last_name": "Neri", "business_name": "Neri snc", "company_id": None,
    "job_title": "Titolare", "vat_number": "00743110157", "tax_code": "RSSMRA85T10A562S", "sdi_code": "ABCDEF1",
    "pec": "neri@pec.example", "regime": "Forfettario", "address": {"city": "Torino"},
    "website": "https://neri.example", "touch_days": 45, "note": "Preferisce il telefono",
}  # fmt: skip
CONTACT_KEPT = {
    *("id", "user_id", "name", "origin", "last_interaction_at", "next_touch_at", "snoozed_until", "merged_into"),
    *("deleted_at", "import_batch_id", "created_at", "updated_at"),
    *("vies_vat_number", "vies_registered", "vies_name", "vies_checked_at"),
}


@pytest.mark.parametrize(
    ("table", "lists"),
    [("tasks", (TASK_CARRIED, TASK_MOVED, TASK_OWN)), ("contacts", (CONTACT_WRITTEN.keys(), CONTACT_KEPT))],
    ids=["tasks", "contacts"],
)
async def test_each_column_is_in_one_list(table: str, lists: tuple[set[str], ...], connection: Connection) -> None:
    """Fail when a column is added, until a list above names it; the tests below prove the lists."""
    columns = await connection.fetch(
        "select attname from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and not attisdropped",
        f"public.{table}",
    )
    assert sorted(row["attname"] for row in columns) == sorted(name for names in lists for name in names)


async def test_writing_a_column_of_the_form_notes_when_a_contact_changed(connection: Connection) -> None:
    """Fail when a column is added to the form but not to the trigger, which lists its columns by name."""
    noted = await connection.fetchval(
        """
        select array_agg(attname order by attname)::text[] from pg_trigger
        join pg_attribute on attrelid = tgrelid and attnum = any (tgattr::smallint[])
        where tgrelid = 'public.contacts'::regclass and tgname = 'set_updated_at'
        """
    )
    assert noted == sorted({*CONTACT_WRITTEN, "merged_into", "deleted_at"})


async def _full_task(connection: Connection, **columns: Any) -> asyncpg.Record:
    """Insert a task with no default in any column that is carried."""
    stages = await pipeline.stages(connection)
    return await work.task(
        connection, OWNER, title="Bilancio", notes="Con il commercialista", priority=3, repeat_from="completamento",
        project_id=(await work.project(connection, OWNER))["id"], contact_id=await crm.contact(connection, OWNER),
        deal_id=await pipeline.deal(connection, OWNER, stages["Contatto"]),
        waiting_for=await crm.contact(connection, OWNER), position="b7", origin="email", **columns,
    )  # fmt: skip


async def test_the_next_occurrence_carries_what_is_listed(connection: Connection) -> None:
    dates = {"due_at": TOMORROW, "due_is_allday": False, "remind_at": [TOMORROW - timedelta(hours=1)]}
    former = await _full_task(connection, rrule="FREQ=WEEKLY;COUNT=9", **dates)
    step = await _full_task(connection, parent_id=former["id"], **dates)
    someday = await _full_task(connection, parent_id=former["id"], someday=True)
    following = (await work.call(connection, "complete_task", former["id"]))["next"]["id"]
    steps = await connection.fetch("select * from public.tasks where parent_id = $1::uuid order by someday", following)
    copies = [await work.read(connection, following), *steps]
    for before, after in zip((former, step, someday), copies, strict=True):
        assert after is not None
        assert {name: after[name] for name in TASK_CARRIED} == {name: before[name] for name in TASK_CARRIED}
        assert (after["id"] != before["id"], after["state"], after["completed_at"]) == (True, "da_fare", None)
    moved = [(row["series_id"], row["previous_id"], row["rrule"]) for row in copies if row]
    assert moved == [(former["id"], former["id"], "FREQ=WEEKLY;COUNT=8"), (None, None, None), (None, None, None)]


async def _save(connection: Connection, contact: dict[str, Any]) -> Any:
    async with access.acting(connection, "owner"):
        return await connection.fetchval("select public.save_contact($1::text::jsonb)", json.dumps(contact))


async def _contact(connection: Connection, contact_id: Any) -> dict[str, Any]:
    row = await connection.fetchval("select to_jsonb(contacts) from public.contacts where id = $1", contact_id)
    found: dict[str, Any] = json.loads(row)
    return found


async def test_the_form_writes_what_is_listed_and_nothing_else(connection: Connection) -> None:
    written = {**CONTACT_WRITTEN, "company_id": str(await crm.contact(connection, OWNER, type="azienda"))}
    days = ("created_at", "deleted_at", "next_touch_at", "last_interaction_at", "snoozed_until")
    forged = dict.fromkeys(CONTACT_KEPT - {"id"}) | dict.fromkeys(days, "2001-01-01")
    forged |= {"origin": "import", "vies_name": "Neri", "user_id": str(PEOPLE["stranger"])}
    for contact_id in (None, await crm.contact(connection, OWNER, touch_days=7)):
        before = await _contact(connection, contact_id) if contact_id else {}
        saved = await _contact(
            connection, await _save(connection, written | forged | {"id": contact_id and str(contact_id)})
        )
        assert {name: saved[name] for name in written} == written
        fixed = {"user_id": str(OWNER), "origin": "manuale"} | dict.fromkeys(
            ("snoozed_until", "deleted_at", "last_interaction_at", "import_batch_id", "merged_into", "vies_name")
        )
        assert {name: saved[name] for name in fixed} == fixed
        assert saved["created_at"] == before.get("created_at", saved["created_at"]) > "2002"


async def test_a_merge_keeps_what_only_the_loser_has(connection: Connection) -> None:
    company_id = await crm.contact(connection, OWNER, type="azienda", business_name="Verdi srl")
    given = {name: value for name, value in CONTACT_WRITTEN.items() if not name.endswith("_name")}
    given |= {"company_id": str(company_id), "snoozed_until": "2030-01-01T00:00:00+00:00"}
    winner, loser = [await crm.contact(connection, OWNER) for _ in range(2)]
    await connection.execute(
        f"update public.contacts set ({', '.join(given)}) = (select {', '.join(given)}"
        " from jsonb_populate_record(null::public.contacts, $2::text::jsonb)) where id = $1",
        loser, json.dumps(given),
    )  # fmt: skip
    async with access.acting(connection, "owner"):
        await connection.execute("select public.merge_contacts($1, $2)", winner, loser)
    kept = await _contact(connection, winner)
    assert {name: kept[name] for name in given} == given


@pytest.fixture
async def later(database: str) -> AsyncIterator[Connection]:
    """Connect to a database in which both tables have one more column that people may write."""
    connection = await asyncpg.connect(database)
    await accounts.create(connection, OWNER)
    for table in ("tasks", "contacts"):
        await connection.execute(
            f"alter table public.{table} add column effort integer not null default 1;"
            f" grant insert (effort), update (effort) on public.{table} to authenticated"
        )
    yield connection
    await connection.close()


async def test_a_later_column_of_tasks_reaches_the_next_occurrence(later: Connection) -> None:
    row = await work.task(later, OWNER, due_at=TOMORROW, rrule="FREQ=DAILY", effort=45)
    await work.task(later, OWNER, parent_id=row["id"], effort=15)
    async with later.transaction():
        following = (await work.call(later, "complete_task", row["id"]))["next"]
    subtask = "select effort from public.tasks where parent_id = $1::uuid"
    assert (following["effort"], await later.fetchval(subtask, following["id"])) == (45, 15)


async def test_a_later_column_of_contacts_is_saved_and_merged(later: Connection) -> None:
    effort = "select effort from public.contacts where id = $1"
    async with later.transaction():
        plain = await _save(later, {"type": "persona", "first_name": "Ada"})
        full = await _save(later, {"type": "persona", "first_name": "Ada", "effort": 45})
    assert [await later.fetchval(effort, contact_id) for contact_id in (plain, full)] == [1, 45]
    async with later.transaction(), access.acting(later, "owner"):
        await later.execute("select public.merge_contacts($1, $2, jsonb_build_object('effort', 'loser'))", plain, full)
    assert await later.fetchval(effort, plain) == 45


@pytest.mark.parametrize("table", ["tasks", "contacts"])
async def test_a_demo_row_whose_later_column_is_written_is_ones_own(table: str, later: Connection) -> None:
    async with later.transaction(), access.acting(later, "owner"):
        await later.execute("select public.add_demo_data()")
        row_id = await later.fetchval(f"select id from public.{table} where origin = 'demo' limit 1")
        await later.execute(f"update public.{table} set effort = 45 where id = $1", row_id)
    assert await later.fetchval(f"select origin::text from public.{table} where id = $1", row_id) == "manuale"
