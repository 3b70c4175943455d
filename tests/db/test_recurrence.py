"""Recurrence: dates as python-dateutil finds them; what completing, reopening, skipping and stopping leave behind."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import asyncpg
import pytest
from dateutil.rrule import rrulestr  # type: ignore[import-untyped]

from tests.db import accounts, work
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
ROME = ZoneInfo("Europe/Rome")
RULES = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "BYDAY=SU;FREQ=WEEKLY",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;INTERVAL=5",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYMONTHDAY=15,-1",
    "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=29,30,31",
    "FREQ=MONTHLY;BYDAY=1MO,-1FR",
    "FREQ=MONTHLY;INTERVAL=3;BYDAY=5TU",
    "FREQ=YEARLY",
    "FREQ=YEARLY;INTERVAL=3",
]
NO_RULES = [
    *("", "DAILY", "freq=daily", "FREQ=HOURLY", "FREQ=DAILY;", "FREQ=DAILY\nX", "RRULE:FREQ=DAILY", "BYDAY=MO"),
    *("FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=1000", "FREQ=DAILY;COUNT=0"),
    *("FREQ=DAILY;BYDAY=MO", "FREQ=WEEKLY;BYDAY=1MO", "FREQ=MONTHLY;BYDAY=MO", "FREQ=MONTHLY;BYDAY=1MO,MO"),
    *("FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=3", "FREQ=YEARLY;BYMONTHDAY=3", "FREQ=MONTHLY;BYMONTHDAY=32"),
    *("FREQ=DAILY;UNTIL=20260231", "FREQ=DAILY;UNTIL=20261301", "FREQ=DAILY;COUNT=2;UNTIL=20261231"),
]


def _wall(*parts: int) -> datetime:
    """A time on the clock on the wall, without a zone."""
    return datetime(*parts, tzinfo=UTC).replace(tzinfo=None)  # type: ignore[arg-type, misc]


def _series(rule: str) -> Iterator[tuple[str, datetime, datetime]]:
    """Rules with their starts and the moments asked for, the same in each run; leap days more often than by chance."""
    draw = random.Random(rule)
    for number in range(12):
        anchor = _wall(2020, 1, 1, 9, 30) + timedelta(days=draw.randrange(5000))
        if number % 4 == 0:
            anchor = anchor.replace(year=2024, month=2, day=29)
        first = next(iter(rrulestr(rule, dtstart=anchor)))
        end = (first + timedelta(days=draw.randrange(800))).strftime("%Y%m%d")
        bound = ("", f";COUNT={draw.randrange(1, 30)}", f";UNTIL={end}")[number % 3]
        yield rule + bound, first, first + timedelta(days=draw.randrange(-30, 900), hours=draw.randrange(24))


@pytest.mark.parametrize("rule", RULES)
async def test_the_next_occurrence_is_the_one_that_dateutil_finds(rule: str, connection: Connection) -> None:
    for bounded, first, after in _series(rule):
        series = rrulestr(bounded + "T235959" * ("UNTIL" in bounded), dtstart=first)
        wanted = series.after(max(first, after))
        found = await connection.fetchrow("select * from public.next_occurrence($1, $2, $3)", bounded, first, after)
        assert (found and found["at"]) == wanted, (bounded, first, after)
        if found:
            assert found["nth"] == len(series.between(first, found["at"], inc=True))


@pytest.mark.parametrize(("rule", "is_one"), [*((one, True) for one in RULES), *((one, False) for one in NO_RULES)])
async def test_a_rule_is_of_the_subset_or_refused(rule: str, is_one: bool, connection: Connection) -> None:
    assert await connection.fetchval("select public.is_rrule($1)", rule) is is_one


@pytest.mark.parametrize("end", ["T225959Z", "T235959", ""])
async def test_the_last_day_counts_however_it_is_written(end: str, connection: Connection) -> None:
    last = _wall(2026, 12, 31)
    query = "select at from public.next_occurrence($1, $2, $2)"
    assert await connection.fetchval(query, f"FREQ=DAILY;UNTIL=20261231{end}", last - timedelta(days=1)) == last
    assert await connection.fetchval(query, f"FREQ=DAILY;UNTIL=20261231{end}", last) is None


async def test_nine_o_clock_stays_nine_o_clock_across_daylight_saving(connection: Connection) -> None:
    year = datetime.now(ROME).year + 1
    due = datetime(year, 3, 20, 9, tzinfo=ROME)
    row = await work.task(connection, OWNER, due_at=due, due_is_allday=False, rrule="FREQ=DAILY;INTERVAL=14",
                          remind_at=[due - timedelta(hours=1)])  # fmt: skip
    following = (await work.call(connection, "complete_task", row["id"]))["next"]
    expected = datetime(year, 4, 3, 9, tzinfo=ROME)
    assert datetime.fromisoformat(following["due_at"]) == expected
    assert datetime.fromisoformat(following["remind_at"][0]) == expected.replace(hour=8)
    assert (expected.utcoffset(), due.utcoffset()) == (timedelta(hours=2), timedelta(hours=1))


@pytest.mark.parametrize("verb", ["complete_task", "skip_occurrence"])
@pytest.mark.parametrize(("hour", "night"), [(2, 3), (3, 3)], ids=["half past two", "half past three"])
async def test_the_night_of_the_spring_change_moves_no_series(
    verb: str, hour: int, night: int, connection: Connection
) -> None:
    year = datetime.now(ROME).year + 1
    change = max(day for day in range(25, 32) if datetime(year, 3, day, tzinfo=ROME).weekday() == 6)
    before, spring, after = (
        datetime(year, 3, change, at, 30, tzinfo=ROME) + timedelta(days=days)
        for days, at in ((-1, hour), (0, night), (1, hour))
    )
    row = await work.task(connection, OWNER, due_at=before, due_is_allday=False, rrule="FREQ=DAILY",
                          remind_at=[before - timedelta(hours=9), before])  # fmt: skip
    await work.task(connection, OWNER, parent_id=row["id"], due_at=before, due_is_allday=False)
    for expected in (spring, after):
        row = (await work.call(connection, verb, row["id"]))["next"]
        found = [row["due_at"], *row["remind_at"]]
        evening = (expected - timedelta(days=1)).replace(hour=hour + 15)
        assert [datetime.fromisoformat(moment) for moment in found] == [expected, evening, expected]
        subtask = "select due_at from public.tasks where parent_id = $1"
        assert await connection.fetchval(subtask, row["id"]) == expected


def _midnight(days: int) -> datetime:
    """Midnight in Italy so many days from today."""
    today = datetime.now(ROME).date() + timedelta(days=days)
    return datetime(today.year, today.month, today.day, tzinfo=ROME)


async def test_a_series_missed_for_weeks_goes_on_in_the_future(connection: Connection) -> None:
    row = await work.task(connection, OWNER, due_at=_midnight(-30), rrule="FREQ=DAILY;INTERVAL=7;COUNT=20")
    following = (await work.call(connection, "complete_task", row["id"]))["next"]
    assert datetime.fromisoformat(following["due_at"]) == _midnight(5)
    # One done, four missed: fifteen are left.
    assert following["rrule"] == "FREQ=DAILY;INTERVAL=7;COUNT=15"


async def test_a_series_done_early_keeps_its_dates_and_one_from_completion_does_not(connection: Connection) -> None:
    for repeat_from, days in (("scadenza", 9), ("completamento", 7)):
        row = await work.task(
            connection, OWNER, due_at=_midnight(2), rrule="FREQ=DAILY;INTERVAL=7", repeat_from=repeat_from
        )
        following = (await work.call(connection, "complete_task", row["id"]))["next"]
        assert datetime.fromisoformat(following["due_at"]) == _midnight(days)


async def test_a_month_after_completion_is_never_skipped(connection: Connection) -> None:
    query = "select at from public.next_occurrence('FREQ=MONTHLY', $1, $1, $2)"
    start = _wall(2026, 1, 31)
    assert await connection.fetchval(query, start, True) == _wall(2026, 2, 28)
    assert await connection.fetchval(query, start, False) == _wall(2026, 3, 31)


@pytest.mark.parametrize("end", ["COUNT=1", "UNTIL={today:%Y%m%d}"], ids=["count", "until"])
async def test_the_last_of_a_series_has_no_next(end: str, connection: Connection) -> None:
    today = _midnight(0)
    row = await work.task(connection, OWNER, due_at=today, rrule=f"FREQ=DAILY;{end.format(today=today)}")
    answer = await work.call(connection, "complete_task", row["id"])
    assert answer == {"completed": str(row["id"]), "next": None}


async def _repeating(connection: Connection, **columns: Any) -> asyncpg.Record:
    """A task of every day with two subtasks, one done and one of tomorrow."""
    values = {"due_at": _midnight(0), "rrule": "FREQ=DAILY", "state": "in_corso", "priority": 2, **columns}
    row = await work.task(connection, OWNER, **values)
    await work.task(connection, OWNER, parent_id=row["id"], title="Fatta", state="fatto", position="a1")
    await work.task(connection, OWNER, parent_id=row["id"], title="Aperta", due_at=_midnight(1), position="a2")
    return row


async def _subtasks(connection: Connection, parent: Any) -> list[tuple[Any, ...]]:
    query = "select title, state, due_at from public.tasks where parent_id = $1 order by position"
    return [tuple(row) for row in await connection.fetch(query, parent)]


async def test_completing_twice_makes_one_next_with_its_subtasks_unfinished(connection: Connection) -> None:
    row = await _repeating(connection)
    first = await work.call(connection, "complete_task", row["id"])
    assert await work.call(connection, "complete_task", row["id"]) == first
    following = first["next"]
    assert {name: following[name] for name in ("title", "rrule", "state", "priority", "series_id", "previous_id")} == {
        "title": row["title"], "rrule": "FREQ=DAILY", "state": "da_fare", "priority": 2, "series_id": str(row["id"]),
        "previous_id": str(row["id"]),
    }  # fmt: skip
    assert await _subtasks(connection, following["id"]) == [
        ("Fatta", "da_fare", None),
        ("Aperta", "da_fare", _midnight(2)),
    ]
    assert [state for _, state, _ in await _subtasks(connection, row["id"])] == ["fatto", "fatto"]
    assert await connection.fetchval("select count(*) from public.tasks where series_id = $1", row["id"]) == 2


async def test_two_clicks_at_once_make_one_next(database: str) -> None:
    clicks = [await asyncpg.connect(database) for _ in range(2)]
    user_id = await accounts.create(clicks[0])
    row = await work.task(clicks[0], user_id, due_at=_midnight(0), rrule="FREQ=DAILY")

    async def click(connection: Connection) -> Any:
        async with connection.transaction():
            await connection.execute(
                "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
                json.dumps({"sub": str(user_id), "role": "authenticated"}),
            )
            return json.loads(await connection.fetchval("select public.complete_task($1)", row["id"]))

    first, second = await asyncio.gather(*map(click, clicks))
    assert first == second
    assert await clicks[0].fetchval("select count(*) from public.tasks where user_id = $1", user_id) == 2
    for connection in clicks:
        await connection.close()


async def test_reopening_takes_everything_back(connection: Connection) -> None:
    row = await _repeating(connection)
    # Yesterday: the subtask that was done before stays done.
    await connection.execute(
        "update public.tasks set completed_at = now() - interval '1 day' where parent_id = $1 and state = 'fatto'",
        row["id"],
    )
    before = await _subtasks(connection, row["id"])
    following = (await work.call(connection, "complete_task", row["id"]))["next"]
    answer = await work.call(connection, "reopen_task", row["id"])
    assert answer == {"reopened": str(row["id"]), "removed": following["id"]}
    reopened = await work.read(connection, row["id"])
    assert reopened is not None
    assert (reopened["state"], reopened["completed_at"]) == ("in_corso", None)
    assert await _subtasks(connection, row["id"]) == before
    assert await work.call(connection, "reopen_task", row["id"]) == {"reopened": str(row["id"]), "removed": None}


async def test_a_next_occurrence_that_somebody_changed_stays_and_is_not_made_again(connection: Connection) -> None:
    row = await _repeating(connection)
    following = (await work.call(connection, "complete_task", row["id"]))["next"]
    await connection.execute(
        "update public.tasks set created_at = created_at - interval '1 minute', title = 'Mia' where id = $1",
        following["id"],
    )
    assert (await work.call(connection, "reopen_task", row["id"]))["removed"] is None
    again = (await work.call(connection, "complete_task", row["id"]))["next"]
    assert (again["id"], again["title"]) == (following["id"], "Mia")


async def test_skipping_moves_the_task_and_the_last_one_goes_into_the_trash(connection: Connection) -> None:
    row = await _repeating(connection, rrule="FREQ=DAILY;COUNT=2", remind_at=[_midnight(0) - timedelta(hours=1)])
    following = (await work.call(connection, "skip_occurrence", row["id"]))["next"]
    assert following["id"] == str(row["id"])
    assert datetime.fromisoformat(following["due_at"]) == _midnight(1)
    assert following["rrule"] == "FREQ=DAILY;COUNT=1"
    assert await _subtasks(connection, row["id"]) == [("Fatta", "fatto", None), ("Aperta", "da_fare", _midnight(2))]
    assert (await work.call(connection, "skip_occurrence", row["id"]))["next"] is None
    trashed = await work.read(connection, row["id"])
    assert trashed is not None
    assert trashed["deleted_at"] is not None


@pytest.mark.parametrize(("due", "expected"), [(20, 27), (0, 7), (-2, 7)], ids=["to come", "today", "past"])
async def test_skipping_a_series_from_completion_goes_on_from_a_date_to_come(
    connection: Connection, due: int, expected: int
) -> None:
    row = await work.task(
        connection, OWNER, due_at=_midnight(due), rrule="FREQ=WEEKLY;COUNT=9", repeat_from="completamento"
    )
    following = (await work.call(connection, "skip_occurrence", row["id"]))["next"]
    assert (datetime.fromisoformat(following["due_at"]), following["rrule"]) == (
        _midnight(expected),
        "FREQ=WEEKLY;COUNT=8",
    )
    following = (await work.call(connection, "skip_occurrence", row["id"]))["next"]
    assert datetime.fromisoformat(following["due_at"]) == _midnight(expected + 7)


async def test_a_next_occurrence_in_the_trash_comes_back_when_the_task_is_done_again(connection: Connection) -> None:
    row = await _repeating(connection, remind_at=[_midnight(0)])
    following = (await work.call(connection, "complete_task", row["id"]))["next"]
    await connection.execute(
        "update public.tasks set created_at = created_at - interval '1 minute', deleted_at = now(),"
        " due_at = '2026-01-01', remind_at = '{}' where id = $1",
        following["id"],
    )
    await work.call(connection, "reopen_task", row["id"])
    again = (await work.call(connection, "complete_task", row["id"]))["next"]
    assert [again[name] for name in ("id", "rrule", "remind_at")] == [
        following[name] for name in ("id", "rrule", "remind_at")
    ]
    assert datetime.fromisoformat(again["due_at"]) == _midnight(1)
    assert [title for title, *_ in await _subtasks(connection, UUID(again["id"]))] == ["Fatta", "Aperta"]
    shown = "select count(*) from public.tasks where parent_id = $1 and deleted_at is null"
    assert await connection.fetchval(shown, UUID(again["id"])) == 2


async def test_of_a_subtask_that_repeats_the_next_occurrence_has_the_last_one_only(connection: Connection) -> None:
    row = await work.task(connection, OWNER, due_at=_midnight(0), rrule="FREQ=WEEKLY")
    step = await work.task(connection, OWNER, parent_id=row["id"], due_at=_midnight(0), rrule="FREQ=DAILY")
    step_id = step["id"]
    for _ in range(3):
        step_id = (await work.call(connection, "complete_task", step_id))["next"]["id"]
    following = (await work.call(connection, "complete_task", row["id"]))["next"]
    assert await _subtasks(connection, UUID(following["id"])) == [("Preventivo", "da_fare", _midnight(10))]


async def test_a_stopped_series_has_no_next(connection: Connection) -> None:
    row = await _repeating(connection)
    following = (await work.call(connection, "complete_task", row["id"]))["next"]
    assert await work.call(connection, "stop_series", row["id"]) == 1
    assert (await work.call(connection, "complete_task", following["id"]))["next"] is None


async def test_a_repeating_task_without_a_date_is_reckoned_from_today(connection: Connection) -> None:
    row = await work.task(connection, OWNER, rrule="FREQ=DAILY;INTERVAL=2")
    following = (await work.call(connection, "complete_task", row["id"]))["next"]
    assert datetime.fromisoformat(following["due_at"]).astimezone(UTC) == _midnight(2)
