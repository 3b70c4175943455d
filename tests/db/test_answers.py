"""Answers: priced by the written rule, swept when their process died, and never left with an open hold."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.db import access, accounts, ledger, talks
from tests.db.access import PEOPLE
from tests.db.accounts import Connection, Pool

pytestmark = pytest.mark.anyio


async def _append(connection: Connection, run_id: str, first: int, *texts: str) -> bool:
    events = [{"event": "delta", "data": {"text": text}} for text in texts]
    stop: bool = await connection.fetchval(
        "select private.append_events($1, $2, $3::text::jsonb)", run_id, first, json.dumps(events)
    )
    return stop


@pytest.mark.parametrize(
    ("outcome", "cost"),
    [
        ({"cost": 3}, 3),
        ({"cost": 9}, 3),
        ({"state": "stopped", "cost": 1}, 1),
        ({"cost": 3, "content": " "}, 0),
        ({"state": "stopped", "cost": 1, "content": ""}, 0),
        ({"state": "stopped", "cost": 3, "content": "", "views": [{"agent": "logico", "status": "done"}]}, 3),
        ({"state": "stopped", "cost": 1, "content": "", "views": [{"agent": "logico", "status": "error"}]}, 0),
        ({"state": "error", "cost": 3, "error_code": "provider_cut"}, 0),
        ({"cost": 0}, 0),
    ],
    ids=[
        "done",
        "never more than quoted",
        "stopped",
        "empty",
        "stopped before anything",
        "stopped after views",
        "stopped after no view",
        "failed",
        "free",
    ],
)
async def test_an_answer_costs_what_the_rule_says_once(
    outcome: dict[str, Any], cost: int, connection: Connection, anna: UUID
) -> None:
    turn = await talks.begin(connection, anna, mode="ia", agent="consiglio")
    for _ in range(2):
        message = await talks.finish(connection, turn["run_id"], **outcome)
        assert (message["cost"], message["quote"]) == (cost, 3)
    # What comes too late changes nothing.
    assert (await talks.finish(connection, turn["run_id"], state="error", content="x"))["content"] == message["content"]
    assert await ledger.wallet(connection, anna) == (10 - cost, 0)
    assert await ledger.broken(connection) == {}


async def test_ends_at_once_settle_once(pool: Pool) -> None:
    user_id = await accounts.create(pool)
    turn = await talks.begin(pool, user_id, mode="ia", agent="consiglio")
    await talks.fall_silent(pool, turn["run_id"])
    await asyncio.gather(
        *(talks.finish(pool, turn["run_id"], cost=2) for _ in range(5)),
        *(pool.execute("select private.sweep_runs()") for _ in range(5)),
    )
    cost = await pool.fetchval("select cost from public.messages where role = 'assistant'")
    assert await ledger.wallet(pool, user_id) == (100 - cost, 0)
    assert await ledger.broken(pool) == {}


async def test_an_answer_whose_process_died_keeps_its_text_and_costs_nothing(
    connection: Connection, anna: UUID
) -> None:
    turn = await talks.begin(connection, anna, mode="ia")
    alive = await talks.begin(connection, anna, mode="ia")
    assert not await _append(connection, turn["run_id"], 1, "Hai 3 fat", "ture")
    assert not await _append(connection, turn["run_id"], 3, " scadute")
    assert not await _append(connection, turn["run_id"], 3, " scadute"), "sent again after a lost answer"
    await talks.fall_silent(connection, turn["run_id"])
    assert await connection.fetchval("select private.sweep_runs()") == 1
    row = await connection.fetchrow("select * from public.messages where id = $1", turn["message_id"])
    assert row is not None
    assert (row["status"], row["content"], row["error_code"], row["cost"]) == (
        "error", "Hai 3 fatture scadute", "interrotta", 0,
    )  # fmt: skip
    assert await ledger.wallet(connection, anna) == (9, 1)
    assert await _append(connection, turn["run_id"], 4, "!"), "who was swept must stop"
    assert not await _append(connection, alive["run_id"], 1)


async def test_a_hold_that_was_swept_first_makes_the_answer_a_gift(connection: Connection, anna: UUID) -> None:
    turn = await talks.begin(connection, anna, mode="ia")
    await ledger.overdue(connection, turn["hold_id"])
    await connection.execute("select private.sweep_holds()")
    assert (await talks.finish(connection, turn["run_id"], cost=1))["cost"] == 0
    assert await ledger.wallet(connection, anna) == (10, 0)


async def test_only_its_owner_stops_an_answer(connection: Connection) -> None:
    turn = await talks.begin(connection, PEOPLE["owner"])
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction(), access.acting(connection, "stranger"):
            await connection.execute("select public.stop_run($1)", turn["run_id"])
    assert refusal.value.sqlstate == "PT404"
    async with access.acting(connection, "owner"):
        for _ in range(2):
            await connection.execute("select public.stop_run($1)", turn["run_id"])
    assert await _append(connection, turn["run_id"], 1)


@pytest.mark.parametrize(("texts", "views", "cost"), [((), 0, 0), ((" ",), 0, 0), (("Hai",), 0, 1), ((), 4, 3)])
async def test_who_deletes_a_conversation_that_answers_pays_for_what_was_read(
    texts: tuple[str, ...], views: int, cost: int, connection: Connection, anna: UUID
) -> None:
    turn = await talks.begin(connection, anna, mode="ia", agent="consiglio")
    await _append(connection, turn["run_id"], 1, *texts)
    await connection.execute(
        """
        insert into private.run_events (run_id, seq, event, data)
        select $1, 100 + no, 'view', jsonb_build_object('agent', no, 'status', 'done') from generate_series(1, $2) as no
        """,
        turn["run_id"],
        views,
    )
    await connection.execute("delete from public.conversations where id = $1", turn["conversation_id"])
    assert await ledger.wallet(connection, anna) == (10 - cost, 0)
    assert await ledger.broken(connection) == {}
    assert (await talks.finish(connection, turn["run_id"], cost=1))["id"] is None
    assert await _append(connection, turn["run_id"], 2, " tre")
    assert await connection.fetchval("select count(*) from private.run_events where run_id = $1", turn["run_id"]) == 0


async def test_memories_that_stood_beside_an_answer_are_noted(connection: Connection) -> None:
    owner = PEOPLE["owner"]
    mine = await connection.fetchval("select id from public.memories where user_id = $1 limit 1", owner)
    turn = await talks.begin(connection, owner)
    await talks.finish(connection, turn["run_id"], memory_ids=[mine, uuid4()], title="  Chi\nrichiamare ")
    uses = await connection.fetch("select memory_id from public.memory_uses where message_id = $1", turn["message_id"])
    assert [use["memory_id"] for use in uses] == [mine]
    title = await connection.fetchval("select title from public.conversations where id = $1", turn["conversation_id"])
    assert title == "Chi richiamare"
