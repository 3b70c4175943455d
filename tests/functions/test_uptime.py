"""The job behind /status: each part is asked, and one that does not answer has failed."""

from __future__ import annotations

import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions.jobs import uptime

pytestmark = pytest.mark.anyio


async def test_each_part_is_counted_and_what_does_not_answer_has_failed(resources: Resources) -> None:
    """Nothing listens on the port of these settings, so only what the database knows is up."""
    await uptime.handler({}, Context("test", {"role": "service_role"}, "", resources))
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select part, answered, failed from private.uptime_days")
    assert {row["part"]: (row["answered"], row["failed"]) for row in rows} == {
        **dict.fromkeys(uptime.ROUTES, (0, 1)),
        "worker": (1, 0),
        "mail": (1, 0),
    }
