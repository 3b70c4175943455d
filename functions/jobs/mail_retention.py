"""Delete received mails that lists and machines wrote, after 180 days; their raw files follow as strays."""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(days=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Delete in batches until none is too old, by the clock of the database."""
    total = await batches.until_none_is_left(context, "select private.forget_mails($1)")
    if total:
        context.log.info("old mails deleted", extra={"count": total})
