"""Sign how each chain of the ethical log ends, once a day."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches
from functions._shared.goals import anchors

EVERY = timedelta(hours=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Note and sign in batches until no anchor is unsigned."""
    found = batches.BATCH
    while found == batches.BATCH:
        async with context.as_service() as connection:
            rows = await connection.fetch("select * from private.due_anchors($1)", batches.BATCH)
            for row in rows:
                await connection.execute(
                    "select private.sign_anchor($1, $2, $3)", row["chain"], row["seq"], anchors.sign(context, dict(row))
                )
        found = len(rows)
