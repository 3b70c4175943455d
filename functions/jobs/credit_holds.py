"""Give back holds past their time, so that work that died costs nothing."""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(minutes=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Sweeps until none is due; the database says what time it is."""
    total = await batches.until_none_is_left(context, "select private.sweep_holds($1)")
    if total:
        # Each is work that neither settled nor released: something died.
        context.log.warning("holds swept", extra={"count": total})
