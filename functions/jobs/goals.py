"""Plan a person's goals that are due and carry out their steps, each in a transaction of its own.

What a person decides is enqueued with the decision (private.run_goals). The sweep of each minute enqueues what becomes
due until the next one has surely come, each for its moment.

Letters in the assistant's words are written between two transactions (functions/_shared/goals/writing.py).

A worker that dies leaves its step to the next one when the lease ends; what the step would have done is in the same
transaction as its state, so nothing happens twice or by half.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.assistant import provider
from functions._shared.goals import running, writing

EVERY = timedelta(minutes=1)
# A sweep may be late by half a minute (backend/core/periodic.py).
AHEAD = 2 * EVERY
TIMEOUT_S = 300
# The next sweep goes on with what is left.
LONGEST_RUN_S = 50


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Run what of a person's goals is due, or enqueue that for everybody and end proposals that nobody decided."""
    if "user_id" not in payload:
        await sweep(context)
        return
    user_id = UUID(payload["user_id"])
    ends_at = time.monotonic() + LONGEST_RUN_S
    now = context.now()
    is_busy = True
    while is_busy and time.monotonic() < ends_at:
        # In turn, so that the first letters do not wait until the last goal is planned.
        is_planned = await _plan(context, user_id, now)
        is_busy = await _run(context, user_id, now) or is_planned


async def sweep(context: api.Context) -> None:
    """Expire proposals, and enqueue a job for each moment at which a person has something to run."""
    now = context.now()
    await context.call("private.expire_goal_steps", now)
    async with context.as_service() as connection:
        for due in await connection.fetch("select * from private.goals_due($1)", now + AHEAD):
            user_id = str(due["user_id"])
            await api.enqueue(
                connection, "goals", {"user_id": user_id}, user_id=user_id,
                delay_s=max(0.0, (due["due_at"] - now).total_seconds()),
                dedupe_key=f"goals of {user_id} at {due['due_at'].isoformat()}",
            )  # fmt: skip


async def _plan(context: api.Context, user_id: UUID, now: datetime) -> bool:
    async with context.as_service() as connection:
        return await running.plan_next(connection, user_id, now)


async def _run(context: api.Context, user_id: UUID, now: datetime) -> bool:
    async with context.as_service() as connection:
        claimed = await running.claim(connection, user_id, now)
    if claimed is None:
        return False
    chosen = _choice(context)
    async with context.as_service() as connection:
        state = await running.run(connection, claimed[0], claimed[1], now, chosen)
    if state == running.WRITING and chosen:
        state = await writing.Writing(context, user_id, *claimed, chosen).run()
    context.log.info("step of a goal", extra={"step": str(claimed[0]), "state": state})
    return True


def _choice(context: api.Context) -> provider.Choice | None:
    """Return the model that writes, None when the installation has none; a wrong setting counts as none."""
    try:
        return provider.choice(context)
    except provider.Unavailable:
        return None
