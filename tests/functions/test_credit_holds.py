"""Holds that nobody closes are swept, by the database's clock."""

from __future__ import annotations

import logging

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from tests.backend.core.test_jobs import until_empty, working
from tests.conftest import Clock
from tests.db import ledger

pytestmark = pytest.mark.anyio


async def run(resources: Resources, times: int = 1) -> None:
    async with db.transaction(resources.pool) as connection:
        for _ in range(times):
            await jobs.enqueue(connection, "credit_holds", {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)


async def test_overdue_holds_are_swept_whoever_they_belong_to_and_once(
    resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    async with db.connection(resources.pool) as connection:
        people = [await ledger.empty(connection) for _ in range(3)]
        for user_id in people:
            await ledger.grant(connection, user_id, 100)
            for number in range(50):
                await ledger.overdue(connection, (await ledger.hold(connection, user_id, 1, f"work-{number}"))["id"])
            await ledger.hold(connection, user_id, 2, "in time")
        with caplog.at_level(logging.WARNING, "functions.credit_holds"):
            await run(resources, times=2)
        assert [await ledger.wallet(connection, user_id) for user_id in people] == [(98, 2)] * 3
        # Two at once may share the work.
        assert sum(vars(record)["count"] for record in caplog.records if record.message == "holds swept") == 150
        assert await ledger.broken(connection) == {}


async def test_clock_of_the_process_sweeps_nothing(resources: Resources, now: Clock) -> None:
    """Prove FAULT-13."""
    async with db.connection(resources.pool) as connection:
        user_id = await ledger.empty(connection)
        await ledger.grant(connection, user_id, 5)
        await ledger.hold(connection, user_id, 2)
        now.advance(days=2)
        await run(resources)
        assert await ledger.wallet(connection, user_id) == (3, 2)


async def test_wallet_that_disagrees_with_itself_stops_nobody_else(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        broken, sound = [await ledger.empty(connection) for _ in range(2)]
        for user_id in (broken, sound):
            await ledger.grant(connection, user_id, 5)
            await ledger.overdue(connection, (await ledger.hold(connection, user_id, 2))["id"])
        await connection.execute("update public.credit_wallets set balance = balance + 1 where user_id = $1", broken)
        await run(resources)
        assert await ledger.wallet(connection, broken) == (4, 2)
        assert await ledger.wallet(connection, sound) == (5, 0)
