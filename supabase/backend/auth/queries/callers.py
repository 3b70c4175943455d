"""Who is calling: user and session in one statement, for every request asks it."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING
from uuid import UUID

from backend.auth import models
from backend.auth.models import Session, User
from backend.auth.queries.sessions import SESSION
from backend.auth.queries.users import USER

if TYPE_CHECKING:
    from backend.core.db import Connection

_SESSION_FIELDS = tuple(each.name for each in fields(Session))
# A session whose refresh tokens were all revoked because one was stolen is none.
CALLER = (
    f"with u as ({USER} where u.id = $1 and u.deleted_at is null), s as ({SESSION} where s.id = $2"  # noqa: S608 - constants
    " and exists (select from auth.refresh_tokens r where r.session_id = s.id and not r.revoked))"
    f" select u.*, {', '.join(f's.{name} as session_{name}' for name in _SESSION_FIELDS)} from u left join s on true"
)


async def find(connection: Connection, user_id: UUID, session_id: UUID | None) -> tuple[User | None, Session | None]:
    """The user, None when there is none (any more), and the session, None when it is over."""
    row = await connection.fetchrow(CALLER, user_id, session_id)
    if row is None:
        return None, None
    values = dict(row)
    session = {name: values.pop(f"session_{name}") for name in _SESSION_FIELDS}
    return models.user(values), models.session(session) if session["id"] else None
