"""Statements on auth.refresh_tokens."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from backend.auth.models import RefreshToken

if TYPE_CHECKING:
    from backend.core.db import Connection

SELECT = """
select r.id, r.token, coalesce(r.parent, '') as parent, coalesce(r.revoked, false) as revoked, r.updated_at
  from auth.refresh_tokens r
"""


async def insert(
    connection: Connection, *, token: str, user_id: UUID, session_id: UUID, parent: str | None, now: datetime
) -> None:
    await connection.execute(
        """
        insert into auth.refresh_tokens (instance_id, token, user_id, session_id, parent, revoked,
                                         created_at, updated_at)
        values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4, false, $5, $5)
        """,
        token,
        str(user_id),
        session_id,
        parent,
        now,
    )


async def find_session_id(connection: Connection, token: str) -> UUID | None:
    found: UUID | None = await connection.fetchval(
        "select session_id from auth.refresh_tokens where token = $1 and session_id is not null", token
    )
    return found


async def lock(connection: Connection, token: str) -> RefreshToken | None:
    """The token with its whole session locked; None when another request holds it or it is gone."""
    row = await connection.fetchrow(
        f"{SELECT} join auth.sessions s on s.id = r.session_id where r.token = $1 for update of s, r skip locked",
        token,
    )
    return RefreshToken(**row) if row else None


async def find_active(connection: Connection, session_id: UUID) -> RefreshToken | None:
    row = await connection.fetchrow(
        f"{SELECT} where r.session_id = $1 and not r.revoked order by r.id desc limit 1", session_id
    )
    return RefreshToken(**row) if row else None


async def revoke_all(connection: Connection, session_id: UUID, now: datetime) -> None:
    """All of a session; moments of tokens that were already revoked stay what they are."""
    await connection.execute(
        "update auth.refresh_tokens set revoked = true, updated_at = $2 where session_id = $1 and not revoked",
        session_id,
        now,
    )


async def delete_all(connection: Connection, session_id: UUID) -> None:
    await connection.execute("delete from auth.refresh_tokens where session_id = $1", session_id)
