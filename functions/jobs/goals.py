"""Plan the goals that are due and carry out their steps, each in a transaction of its own.

A worker that dies leaves its step to the next one when the lease ends; what the step would have done is in the same
transaction as its state, so nothing happens twice or by half.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

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
    is_busy = True
    while is_busy and time.monotonic() < ends_at:
        # In turn, so that the first letters do not wait until the last goal is planned.
        is_planned = await _plan(context, now)
        is_busy = await _run(context, now) or is_planned


async def _plan(context: api.Context, now: datetime) -> bool:
    async with context.as_service() as connection:
        return await running.plan_next(connection, now)


async def _run(context: api.Context, now: datetime) -> bool:
    async with context.as_service() as connection:
        claimed = await running.claim(connection, now)
    if claimed is None:
        return False
    async with context.as_service() as connection:
        state = await running.run(connection, claimed[0], claimed[1], now)
    context.log.info("step of a goal", extra={"step": str(claimed[0]), "state": state})
    return True
