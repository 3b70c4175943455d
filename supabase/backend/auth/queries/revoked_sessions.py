"""Statements on auth.revoked_sessions; a trigger on auth.sessions fills it (schema/21_revocations.sql)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from backend.core.db import Connection


async def revoke(connection: Connection, session_id: UUID) -> None:
    """For a session that ends although its row stays."""
    await connection.execute("select auth.revoke_session($1)", session_id)


async def sweep(connection: Connection, before: datetime) -> None:
    """Clears away what no token remembers."""
    await connection.execute("delete from auth.revoked_sessions where revoked_at < $1", before)


async def newest(connection: Connection, limit: int) -> list[tuple[str, datetime]]:
    """(session id, moment), the newest first."""
    rows = await connection.fetch(
        "select session_id::text, revoked_at from auth.revoked_sessions order by revoked_at desc limit $1", limit
    )
    return [(row["session_id"], row["revoked_at"]) for row in rows]
