"""Erase merged contacts, and the record of their merge, once the merge cannot be undone any more."""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(days=1)
# As long as public.undo_merge() takes a merge back.
KEPT_DAYS = 30


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Erases by the database's clock, which wrote when they were merged."""
    await batches.until_none_is_left(context, f"select private.forget_merges({KEPT_DAYS}, $1)")
