"""python -m backend jobs: a person looks at what was given up, tries it again or forgets it."""

from __future__ import annotations

import pytest

from backend.core import db, dead_letters
from backend.core.config import Settings
from backend.core.resources import Resources
from tests.backend.core.test_jobs import rows
from tests.backend.test_commands import run

pytestmark = pytest.mark.anyio


@pytest.fixture
async def letter(resources: Resources) -> int:
    async with db.connection(resources.pool) as connection:
        await dead_letters.bury(
            connection, job_id=7, name="page", payload={"n": 1}, attempts=5, error="no light", user_id="a", priority=2
        )
    return 7


async def test_dead_letters_are_listed_and_tried_again_as_they_were(
    settings: Settings, resources: Resources, letter: int
) -> None:
    listed = await run(settings, "jobs", "dead")
    assert "page  5 attempts  no light" in listed.stdout
    done = await run(settings, "jobs", "retry", str(letter))
    assert done.stdout == "page 7: waits for its turn again\n", done.stderr
    [job] = await rows(resources, "select entrypoint, payload, headers, priority from jobs.pgqueuer")
    assert tuple(job) == ("page", b'{"n": 1}', {"user_id": "a"}, 2)
    assert await rows(resources, "select from jobs.dead_letters") == []


async def test_a_dead_letter_can_be_dropped(settings: Settings, resources: Resources, letter: int) -> None:
    assert (await run(settings, "jobs", "drop", str(letter))).stdout == "page 7: forgotten\n"
    assert await rows(resources, "select from jobs.dead_letters union all select from jobs.pgqueuer") == []


async def test_a_number_that_is_none_is_refused(settings: Settings) -> None:
    assert (await run(settings, "jobs", "retry", "99")).stderr == "error: there is no dead letter 99\n"
    assert (await run(settings, "jobs", "retry")).returncode == 2
