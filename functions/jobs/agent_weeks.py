"""Tell each person on Monday morning what their agents did in the week before."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(hours=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Tell in batches until everybody knows; a dedupe key tells the same week once."""
    told = batches.BATCH
    while told == batches.BATCH:
        told = await context.call("private.tell_agent_weeks", context.now(), batches.BATCH)
