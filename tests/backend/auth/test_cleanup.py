"""What can open nothing any more is forgotten, and what lives stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from backend import worker
from backend.auth import cleanup
from backend.auth.queries import cleanup as queries
from backend.core import db
from backend.core.config import Sessions
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio


async def count(resources: Resources, table: str) -> int:
    async with db.connection(resources.pool) as connection:
        found: int = await connection.fetchval(f"select count(*) from auth.{table}")
        return found


async def forget(resources: Resources, **limits: timedelta) -> None:
    auth = replace(resources.settings.auth, sessions=Sessions(**limits))
    await cleanup.forget(replace(resources, settings=replace(resources.settings, auth=auth)), {})


def test_the_worker_cleans_up_by_itself() -> None:
    assert worker.TASKS[cleanup.JOB].every == cleanup.EVERY


async def test_a_live_session_stays_whatever_its_age(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    session = await person()
    now.advance(days=365)
    await forget(resources)
    assert (await api.refresh(session["refresh_token"])).status_code == 200


@pytest.mark.parametrize("limit", ["timebox", "inactivity_timeout"])
async def test_a_session_beyond_its_limit_goes_a_day_later(
    person: Person, resources: Resources, now: Clock, limit: str
) -> None:
    await person()
    now.advance(hours=24)
    await forget(resources, **{limit: timedelta(hours=1)})
    assert await count(resources, "sessions") == 1
    now.advance(hours=2)
    await forget(resources, **{limit: timedelta(hours=1)})
    assert (await count(resources, "sessions"), await count(resources, "refresh_tokens")) == (0, 0)


async def test_revoked_tokens_go_after_a_month_but_never_the_parent_of_a_live_one(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    token = (await person())["refresh_token"]
    given = [token]
    for _ in range(3):
        now.advance(minutes=5)
        given.append((await api.refresh(given[-1])).json()["refresh_token"])
    await forget(resources)
    assert await count(resources, "refresh_tokens") == 4
    now.advance(days=31)
    await forget(resources)
    assert await count(resources, "refresh_tokens") == 2
    # Whoever never got the last answer still comes in with the parent.
    assert (await api.refresh(given[-2])).json()["refresh_token"] == given[-1]


async def test_codes_flows_and_counters_go_when_they_are_over(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person()
    await api.post("/recover", {"email": "anna@example.com"})
    await api.sign_up("second@example.com", code_challenge="x" * 43, code_challenge_method="s256")
    tables = ("one_time_tokens", "flow_state", "rate_limits", "mail_requests")
    before = [await count(resources, table) for table in tables]
    assert all(before), before
    now.advance(seconds=1)
    await forget(resources)
    assert [await count(resources, table) for table in tables] == before
    now.advance(days=9)
    await forget(resources)
    assert [await count(resources, table) for table in tables] == [0, 0, 0, 0]


async def test_what_a_wrong_clock_left_in_the_limits_goes(resources: Resources, now: Clock) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            "insert into auth.rate_limits values ('ahead', $1), ('right', $2)",
            now() + timedelta(days=300),
            now() + timedelta(hours=1),
        )
    await forget(resources)
    assert await count(resources, "rate_limits") == 1


async def test_more_than_one_batch_is_cleared(
    person: Person, resources: Resources, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "BATCH", 1)
    for number in range(3):
        await person(f"person{number}@example.com")
    now.advance(days=2)
    await forget(resources, timebox=timedelta(hours=1))
    assert await count(resources, "sessions") == 0
