"""Every minute: holds past their time are given back, so that work that died costs nothing."""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(minutes=1)
# Small transactions: they lock the wallets they touch.
BATCH = 100


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Sweeps until none is due; the database says what time it is."""
    total, swept = 0, BATCH
    while swept:
        async with context.as_service() as connection:
            swept = await connection.fetchval("select private.sweep_holds($1)", BATCH)
        total += swept
    if total:
        # Each is work that neither settled nor released: something died.
        context.log.warning("holds swept", extra={"count": total})
