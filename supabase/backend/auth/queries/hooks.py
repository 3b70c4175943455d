"""Calling a hook that is a function in the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backend.core.db import Connection


SET = "select set_config('role', $1, true), set_config('statement_timeout', $2, true)"


async def call(connection: Connection, schema: str, function: str, payload: dict[str, Any], timeout_s: float) -> Any:
    """What the function answers, as supabase_auth_admin: a hook that works here has the grants it needs upstream.

    Inside the caller's transaction if there is one, whose role and time limit are put back.
    """
    async with connection.transaction():
        limit = await connection.fetchval("select current_setting('statement_timeout')")
        await connection.execute(SET, "supabase_auth_admin", str(int(timeout_s * 1000)))
        quoted = ".".join('"' + name.replace('"', '""') + '"' for name in (schema, function))
        answer = await connection.fetchval("select " + quoted + "($1::jsonb)", payload)
        await connection.execute(SET, "none", limit)
    return answer
