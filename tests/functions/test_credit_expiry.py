"""Lots expire or live on by the database's clock, and a wallet that disagrees with its ledger is told of."""

from __future__ import annotations

import logging
from uuid import uuid4

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
            await jobs.enqueue(connection, "credit_expiry", {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)


async def test_plan_credits_expire_and_bought_ones_live_on_and_a_second_run_changes_nothing(
    resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    async with db.connection(resources.pool) as connection:
        user_id = await ledger.empty(connection)
        plan = await ledger.grant(connection, user_id, 5, "plan", kind="piano", expires="1 month")
        order = {"kind": "acquisto", "expires": "1 year", "order_id": uuid4(), "paid_cents": 999}
        pack = await ledger.grant(connection, user_id, 100, "pack", **order)
        for lot_id in (plan, pack):
            await ledger.lapse(connection, lot_id)
        with caplog.at_level(logging.INFO, "functions.credit_expiry"):
            await run(resources, times=2)
        assert (await ledger.entries(connection, user_id))[2:] == [("expire", -5, 100), ("extend", 0, 100)]
        assert await ledger.wallet(connection, user_id) == (100, 0)
        told = [record for record in caplog.records if record.name == "functions.credit_expiry"]
        assert [(record.message, vars(record)["count"]) for record in told] == [("lots expired or extended", 2)]
        assert await ledger.broken(connection) == {}


async def test_clock_of_the_process_expires_nothing(resources: Resources, now: Clock) -> None:
    """Prove FAULT-13."""
    async with db.connection(resources.pool) as connection:
        user_id = await ledger.empty(connection)
        await ledger.grant(connection, user_id, 5, "plan", kind="piano", expires="1 month")
        now.advance(days=400)
        await run(resources)
        assert await ledger.wallet(connection, user_id) == (5, 0)


async def test_wallet_that_disagrees_with_its_ledger_is_told_of_and_stops_nobody_else(
    resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    async with db.connection(resources.pool) as connection:
        broken, sound = [await ledger.empty(connection) for _ in range(2)]
        for user_id in (broken, sound):
            await ledger.lapse(connection, await ledger.grant(connection, user_id, 5, kind="piano", expires="1 month"))
        await connection.execute("update public.credit_wallets set balance = balance + 1 where user_id = $1", broken)
        with caplog.at_level(logging.ERROR, "functions.credit_expiry"):
            await run(resources)
        assert await ledger.wallet(connection, broken) == (6, 0)
        assert await ledger.wallet(connection, sound) == (0, 0)
        assert {*vars(caplog.records[0])["wallets"]} == {str(broken)}
