"""The state of a proposal in the database: taken, and settled once its work is done, both in the caller's transaction.

The error codes that the two functions raise are in db/schemas/35_tool_calls.sql.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from backend.edge import api

Row = dict[str, Any]


async def take(connection: api.Connection, call_id: UUID, decision: str) -> Row:
    """Return the row of public.tool_calls, locked until the transaction ends. Raises PT404, ST001, ST002 and ST003."""
    taken: Row = await connection.fetchval(
        "select to_jsonb(call) from public.take_tool_call($1, $2) as call", call_id, decision
    )
    return taken


async def settle(connection: api.Connection, call_id: UUID, state: str, *more: Any) -> Row:
    """Return the row as it is now. `more`: arguments, result, undo, undo_until, error code. Raises ST002."""
    values = (*more, *(None,) * (5 - len(more)))
    settled: Row = await connection.fetchval(
        """
        select to_jsonb(call)
        from public.settle_tool_call($1, $2, $3::jsonb, $4::jsonb, $5::jsonb, $6::timestamptz, $7) as call
        """,
        call_id,
        state,
        *values,
    )
    return settled
