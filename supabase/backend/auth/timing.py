"""Answers that take the same time whatever happened inside, so that a clock tells nobody which addresses exist."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# Longer than a hash and the statements of a sign-up together; a slower answer waits for the next step.
STEP_S = 0.1


@asynccontextmanager
async def evened_out() -> AsyncIterator[None]:
    """Holds the end of the block back until a whole number of steps has passed. Costs no CPU, holds no connection."""
    started_s = time.monotonic()
    try:
        yield
    finally:
        await hold_back(started_s, STEP_S)


async def hold_back(started_s: float, step_s: float) -> None:
    """Until a whole number of steps has passed since then."""
    await asyncio.sleep(step_s - (time.monotonic() - started_s) % step_s)


def now_s() -> float:
    """The clock of `hold_back`."""
    return time.monotonic()
