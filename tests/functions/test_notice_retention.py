"""Notifications are kept 12 months after they were read, and not a day longer."""

from __future__ import annotations

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from functions._shared import batches
from tests.backend.core.test_jobs import until_empty, working
from tests.db import accounts

pytestmark = pytest.mark.anyio


async def test_notifications_that_were_read_long_ago_are_forgotten(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 1)
    async with db.transaction(resources.pool) as connection:
        anna = await accounts.create(connection)
        for title, age, is_read, read in (
            ("unread", "3 years", False, None),
            ("read lately", "3 years", True, "11 months"),
            ("read long ago", "3 years", True, "1 year 1 day"),
            ("read, nobody knows when", "1 year 1 day", True, None),
            ("young", "11 months", True, None),
        ):
            await connection.execute(
                """
                insert into public.notifications (user_id, title, message, created_at, is_read, read_at)
                values ($1, $2, 'M', now() - $3::text::interval, $4, now() - $5::text::interval)
                """,
                anna,
                title,
                age,
                is_read,
                read,
            )
        await jobs.enqueue(connection, "retention", {})
        await jobs.enqueue(connection, "retention", {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)
    async with db.connection(resources.pool) as connection:
        titles = await connection.fetch("select title from public.notifications where user_id = $1", anna)
    assert {"unread", "read lately", "young"} <= {row["title"] for row in titles}
    assert not {"read long ago", "read, nobody knows when"} & {row["title"] for row in titles}
