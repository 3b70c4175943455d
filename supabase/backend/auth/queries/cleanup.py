"""What of the auth schema is over, and its deletion piece by piece."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.core.db import Connection

# Small transactions, so that nobody who signs in waits behind this.
BATCH = 1000

# A revoked refresh token is evidence of a theft when it comes back, so it is kept for a while; the parent of a live
# one longer, for its bearer may never have got our answer.
REVOKED_TOKENS = """
  revoked and updated_at < $1
  and not exists (select from auth.refresh_tokens active where active.parent = one.token and not active.revoked)
"""


async def delete(connection: Connection, table: str, over: str, before: datetime) -> int:
    """Deletes up to BATCH rows for which `over` holds of the moment $1; returns how many. Both texts are our own."""
    status: str = await connection.execute(
        f"""
        delete from auth.{table}
        where ctid in (select ctid from auth.{table} as one where {over} limit {BATCH} for update skip locked)
        """,  # noqa: S608
        before,
    )
    return int(status.split()[-1])
