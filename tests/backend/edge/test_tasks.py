"""The product's jobs, found beside the functions and run by the worker."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from backend.core import db, jobs
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.edge import tasks
from tests.backend.core.test_jobs import rows, until_empty, working
from tests.backend.edge.conftest import Write

pytestmark = pytest.mark.anyio

PAGE = """
from datetime import timedelta
from backend.edge import api
EVERY = timedelta(days=1)
TIMEOUT_S = 5
async def handler(payload, context):
    if not payload:
        return
    if payload["n"] == 13:
        raise api.PermanentError("unlucky")
    async with context.as_service() as connection:
        await api.enqueue(connection, "seen", {"user": context.user_id, "attempt": context.job.attempt})
async def given_up(payload, context):
    async with context.as_service() as connection:
        await api.enqueue(connection, "told", payload)
"""


async def test_a_job_of_the_product_runs_for_its_user_and_is_told_when_given_up(
    resources: Resources, developing: Settings, write: Write
) -> None:
    write("jobs/page.py", PAGE)
    own = replace(resources, settings=developing)
    found = tasks.of_product(developing)
    assert (found["page"].every, found["page"].timeout_s) == (timedelta(days=1), 5)
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, "page", {"n": 1}, user_id="anna")
        await jobs.enqueue(connection, "page", {"n": 13}, user_id="anna")
    async with working(own, **found):
        await until_empty(resources, "jobs.pgqueuer where entrypoint = 'page'")
    left = await rows(resources, "select entrypoint, payload from jobs.pgqueuer order by entrypoint")
    assert [(row["entrypoint"], row["payload"]) for row in left] == [
        ("seen", b'{"user": "anna", "attempt": 1}'),
        ("told", b'{"n": 13}'),
    ]


async def test_a_job_that_cannot_be_loaded_waits_and_the_others_run(developing: Settings, write: Write) -> None:
    write("jobs/page.py", PAGE)
    write("jobs/broken.py", "import nothing_of_this_name\n")
    assert list(tasks.of_product(developing)) == ["page"]


async def test_the_products_own_jobs_are_found(settings: Settings) -> None:
    found = tasks.of_product(settings)
    assert "retention" in found
    # A helper of that name in another job would be called by each worker.
    assert [name for name, task in found.items() if task.run_in_worker] == ["mail_fetch"]
