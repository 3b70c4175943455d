"""The job behind the reports for admins: all of them are measured, once for each interval."""

from __future__ import annotations

import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions.jobs import admin_snapshots

pytestmark = pytest.mark.anyio


async def test_every_report_is_measured_once_for_each_interval(resources: Resources) -> None:
    context = Context("test", {"role": "service_role"}, "", resources)
    await admin_snapshots.handler({}, context)
    await admin_snapshots.handler({}, context)
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select name, count(*) as count from private.admin_snapshots group by name")
    # At most two: the runs may be on both sides of a border.
    assert {row["name"] for row in rows} == {*admin_snapshots.MEASURED, "queue", "disk"}
    assert max(row["count"] for row in rows) <= 2
