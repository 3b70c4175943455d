"""Expire free lots, extend bought lots, and compare all wallets with the ledger."""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(days=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Goes on until no lot is due; the database says what time it is."""
    total = await batches.until_none_is_left(context, "select private.expire_lots($1)")
    if total:
        context.log.info("lots expired or extended", extra={"count": total})
    async with context.as_service() as connection:
        drifted = await connection.fetch("select drifted_wallets::text as id from private.drifted_wallets()")
    if drifted:
        context.log.error("wallets disagree with their ledger", extra={"wallets": [row["id"] for row in drifted]})
