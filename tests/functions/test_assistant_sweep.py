"""What the assistant leaves behind: dead answers, events, proposals and temporary conversations."""

from __future__ import annotations

import logging

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from tests.backend.core.test_jobs import until_empty, working
from tests.conftest import Clock
from tests.db import accounts, ledger, talks

pytestmark = pytest.mark.anyio


async def _run(resources: Resources, *names: str) -> None:
    async with db.transaction(resources.pool) as connection:
        for name in names:
            await jobs.enqueue(connection, name, {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)


async def test_answers_that_died_end_and_what_is_old_is_let_go(
    resources: Resources, now: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        dead, alive, ended = [await talks.begin(connection, anna, mode="ia", agent="consiglio") for _ in range(3)]
        for turn in (dead, alive, ended):
            await connection.execute(
                """select private.append_events($1, 1, '[{"event": "delta", "data": {"text": "Hai"}}]')""",
                turn["run_id"],
            )
        await talks.propose(connection, anna, ended["message_id"])
        await talks.finish(connection, ended["run_id"], cost=3)
        await talks.fall_silent(connection, dead["run_id"])
        await connection.execute(
            "update public.runs set finished_at = finished_at - interval '11 minutes' where id = $1", ended["run_id"]
        )
        await connection.execute("update public.tool_calls set expires_at = now()")
        now.advance(days=1)
        with caplog.at_level(logging.WARNING, "functions.assistant_sweep"):
            await _run(resources, "assistant_sweep")
        states = await connection.fetch("select id::text, state from public.runs")
        kept = await connection.fetch("select distinct run_id::text from private.run_events")
        assert {row["id"]: row["state"] for row in states} == {
            dead["run_id"]: "error",
            alive["run_id"]: "running",
            ended["run_id"]: "done",
        }
        assert {row["run_id"] for row in kept} == {dead["run_id"], alive["run_id"]}
        assert await connection.fetchval("select state from public.tool_calls") == "expired"
        assert await ledger.wallet(connection, anna) == (94, 3)
        told = [record for record in caplog.records if record.name == "functions.assistant_sweep"]
        assert [(record.message, vars(record)["count"]) for record in told] == [("answers swept", 1)]
        assert await ledger.broken(connection) == {}


async def test_temporary_conversations_are_erased_after_an_hour(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        old, young, lasting = [
            (await talks.begin(connection, anna, is_temporary=temporary))["conversation_id"]
            for temporary in (True, True, False)
        ]
        await connection.execute(
            "update public.conversations set last_message_at = now() - interval '61 minutes' where id = any ($1)",
            [old, lasting],
        )
        await _run(resources, "retention")
        left = await connection.fetch("select id::text from public.conversations")
        assert {row["id"] for row in left} == {young, lasting}
