"""Group new errors of browsers for admins, and open again the groups that are back."""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(minutes=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Group what came since the last run."""
    await context.call("private.group_errors")
