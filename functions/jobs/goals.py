"""Plan the goals that are due and carry out their steps, each in a transaction of its own.

A worker that dies leaves its step to the next one when the lease ends; what the step would have done is in the same
transaction as its state, so nothing happens twice or by half.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.goals import running

EVERY = timedelta(minutes=1)
TIMEOUT_S = 300
# The next run goes on with what is left.
LONGEST_RUN_S = 50


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Expire, plan and run until nothing is due."""
    ends_at = time.monotonic() + LONGEST_RUN_S
    now = context.now()
    await context.call("private.expire_goal_steps", now)
    is_due = True
    while is_due and time.monotonic() < ends_at:
        async with context.as_service() as connection:
            is_due = await running.plan_next(connection, now)
    claimed = await _claim(context)
    while claimed is not None and time.monotonic() < ends_at:
        async with context.as_service() as connection:
            state = await running.run(connection, claimed[0], claimed[1], now)
        context.log.info("step of a goal", extra={"step": str(claimed[0]), "state": state})
        claimed = await _claim(context)


async def _claim(context: api.Context) -> tuple[UUID, int] | None:
    async with context.as_service() as connection:
        return await running.claim(connection, context.now())
