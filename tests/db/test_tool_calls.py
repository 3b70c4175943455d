"""What the assistant proposes: decided by its person only, carried out once, and taken back while it can be."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, accounts, talks
from tests.db.access import PEOPLE
from tests.db.accounts import Connection, Pool

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
TASK = "insert into public.tasks (user_id, title) values ($1, 'Chiama Rossi')"


@pytest.fixture
async def call_id(connection: Connection) -> UUID:
    """A proposal to the owner."""
    turn = await talks.begin(connection, OWNER)
    proposal: UUID = (await talks.propose(connection, OWNER, turn["message_id"]))["id"]
    return proposal


async def _take(connection: Connection, call_id: UUID, decision: str, args: Any = None, role: str = "owner") -> Any:
    """The row, or the SQLSTATE and message of the refusal."""
    try:
        async with connection.transaction(), access.acting(connection, role):
            return await connection.fetchrow(
                "select * from public.take_tool_call($1, $2, $3::text::jsonb)",
                call_id,
                decision,
                args and json.dumps(args),
            )
    except asyncpg.PostgresError as refusal:
        return refusal.sqlstate, str(refusal)


async def _settle(connection: Connection, call_id: UUID, state: str, **more: Any) -> Any:
    async with connection.transaction(), access.acting(connection, "owner"):
        return await connection.fetchrow(
            """
            select * from public.settle_tool_call(
              $1, $2, _result => '{"text": "Fatto"}', _undo => $3::text::jsonb,
              _undo_until => now() + $4::text::interval
            )
            """,
            call_id,
            state,
            json.dumps(more["undo"]) if more.get("undo") else None,
            more.get("within"),
        )


async def test_proposals_of_an_answer_are_numbered_and_a_strangers_answer_has_none(connection: Connection) -> None:
    turn = await talks.begin(connection, OWNER)
    assert [(await talks.propose(connection, OWNER, turn["message_id"]))["seq"] for _ in range(2)] == [1, 2]
    for user_id, message in ((STRANGER, "message_id"), (OWNER, "user_message_id")):
        with pytest.raises(asyncpg.PostgresError) as refusal:
            async with connection.transaction():
                await talks.propose(connection, user_id, turn[message])
        assert refusal.value.sqlstate == "PT404"


async def test_an_approved_proposal_is_carried_out_as_it_was_edited(connection: Connection, call_id: UUID) -> None:
    taken = await _take(connection, call_id, "approve", {"text": "Chiama Verdi"})
    assert (taken["state"], json.loads(taken["args"])) == ("proposed", {"text": "Chiama Verdi"})
    settled = await _settle(connection, call_id, "executed", undo={"task": "x"}, within="10 minutes")
    assert (settled["state"], json.loads(settled["args"])) == ("executed", {"text": "Chiama Verdi"})
    assert await _take(connection, call_id, "approve") == ("ST002", "executed")
    assert (await _take(connection, call_id, "undo"))["state"] == "executed"
    assert (await _settle(connection, call_id, "undone"))["undo"] is None
    assert await _take(connection, call_id, "undo") == ("ST002", "undone")


async def test_a_refusal_is_final_at_once(connection: Connection, call_id: UUID) -> None:
    assert (await _take(connection, call_id, "refuse"))["state"] == "rejected"
    assert await _take(connection, call_id, "approve") == ("ST002", "rejected")
    assert (await _take(connection, call_id, "undo"))[0] == "ST003"


@pytest.mark.parametrize(
    "settled",
    [{}, {"undo": {"task": "x"}, "within": "0 seconds"}, {"undo": {"task": "x"}, "within": "-1 second"}],
    ids=["no way back", "right now", "too late"],
)
async def test_what_cannot_be_undone_any_more_stays(
    settled: dict[str, Any], connection: Connection, call_id: UUID
) -> None:
    await _settle(connection, call_id, "executed", **settled)
    assert (await _take(connection, call_id, "undo"))[0] == "ST003"


async def test_an_expired_proposal_is_refused_before_and_after_the_sweep(connection: Connection, call_id: UUID) -> None:
    await connection.execute("update public.tool_calls set expires_at = now() where id = $1", call_id)
    assert (await _take(connection, call_id, "approve"))[0] == "ST001"
    assert await connection.fetchval("select private.expire_tool_calls()") == 1
    assert (await _take(connection, call_id, "approve"))[0] == "ST001"
    with pytest.raises(asyncpg.PostgresError, match="expired"):
        await _settle(connection, call_id, "executed")


async def test_a_failed_execution_is_not_repeated(connection: Connection, call_id: UUID) -> None:
    await _settle(connection, call_id, "failed")
    assert await _take(connection, call_id, "approve") == ("ST002", "failed")


@pytest.mark.parametrize("decision", ["approve", "refuse", "undo"])
@pytest.mark.parametrize("role", ["stranger", "admin"])
async def test_nobody_decides_for_somebody_else(
    decision: str, role: str, connection: Connection, call_id: UUID
) -> None:
    assert (await _take(connection, call_id, decision, role=role))[0] == "PT404"


async def test_twenty_approvals_at_once_are_one_execution(pool: Pool) -> None:
    user_id = await accounts.create(pool)
    turn = await talks.begin(pool, user_id)
    call_id = (await talks.propose(pool, user_id, turn["message_id"]))["id"]

    async def approve(attempt: int) -> str:
        async with pool.acquire() as connection:
            try:
                async with connection.transaction():
                    await connection.execute(
                        "select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)",
                        json.dumps({"sub": str(user_id), "role": "authenticated"}),
                    )
                    await connection.execute("select public.take_tool_call($1, 'approve')", call_id)
                    await connection.execute(TASK, user_id)
                    if attempt < 2:
                        # It dies before it has said so: nothing was done, somebody else may.
                        raise asyncio.CancelledError
                    await connection.execute("select public.settle_tool_call($1, 'executed')", call_id)
            except asyncpg.PostgresError as refusal:
                return f"{refusal.sqlstate} {refusal}"
            except asyncio.CancelledError:
                return "died"
            return "done"

    outcomes = Counter(await asyncio.gather(*(approve(attempt) for attempt in range(20))))
    assert outcomes.pop("done") == 1
    assert outcomes.pop("died", 0) <= 2
    assert set(outcomes) == {"ST002 executed"}
    assert await pool.fetchval("select count(*) from public.tasks where user_id = $1", user_id) == 1
