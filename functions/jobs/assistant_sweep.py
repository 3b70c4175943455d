"""End answers whose process died, at no cost; delete old stream events; expire proposals, tell of those that wait."""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(minutes=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Sweeps until nothing is due; the database says what time it is."""
    total = await batches.until_none_is_left(context, "select private.sweep_runs($1)")
    if total:
        context.log.warning("answers swept", extra={"count": total})
    await context.call("private.forget_run_events")
    await context.call("private.expire_tool_calls")
    await context.call("private.notify_proposals")
