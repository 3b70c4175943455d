"""Who is calling: user and session in one statement, for every request asks it.

`plain` costs Postgres half of `find`: an identity is a row of the join, and what hardly anybody has is only noticed.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING
from uuid import UUID

from backend.auth import models
from backend.auth.models import Identity, Session, User
from backend.auth.queries.sessions import SESSION
from backend.auth.queries.users import COLUMNS, USER

if TYPE_CHECKING:
    from backend.core.db import Connection

_SESSION_FIELDS = tuple(each.name for each in fields(Session))
_USER_FIELDS = tuple(each.name for each in fields(User) if each.name not in ("identities", "factors"))
_IDENTITY_FIELDS = tuple(each.name for each in fields(Identity))
_NO_MOMENT = ("created_at", "updated_at")
# A session whose refresh tokens were all revoked because one was stolen is none.
_LIVES = "exists (select from auth.refresh_tokens r where r.session_id = s.id and not r.revoked)"
CALLER = (
    f"with u as ({USER} where u.id = $1 and u.deleted_at is null), s as ({SESSION} where s.id = $2"  # noqa: S608 - constants
    f" and {_LIVES})"
    f" select u.*, {', '.join(f's.{name} as session_{name}' for name in _SESSION_FIELDS)} from u left join s on true"
)

_OF_IDENTITY = ", ".join(
    f"coalesce(i.{name}, 'epoch') as identity_{name}" if name in _NO_MOMENT else f"i.{name} as identity_{name}"
    for name in _IDENTITY_FIELDS
)
PLAIN = f"""
{COLUMNS}, {_OF_IDENTITY}
  from auth.users u left join auth.identities i on i.user_id = u.id
 where u.id = $1 and u.deleted_at is null and u.banned_until is null
   and exists (select from auth.sessions s where s.id = $2 and s.user_id = u.id and {_LIVES})
   and not exists (select from auth.mfa_factors f where f.user_id = u.id)
 order by i.created_at, i.id
"""  # noqa: S608 - constants


async def plain(connection: Connection, user_id: UUID, session_id: UUID) -> User | None:
    """The user, when the session lives and there is neither a second factor nor a ban; None says nothing."""
    rows = await connection.fetch(PLAIN, user_id, session_id)
    if not rows:
        return None
    first = -len(_IDENTITY_FIELDS)
    identities = tuple(Identity(*tuple(row.values())[first:]) for row in rows if row["identity_id"])
    return User(**{name: rows[0][name] for name in _USER_FIELDS}, identities=identities)


async def find(connection: Connection, user_id: UUID, session_id: UUID | None) -> tuple[User | None, Session | None]:
    """The user, None when there is none (any more), and the session, None when it is over."""
    row = await connection.fetchrow(CALLER, user_id, session_id)
    if row is None:
        return None, None
    values = dict(row)
    session = {name: values.pop(f"session_{name}") for name in _SESSION_FIELDS}
    return models.user(values), models.session(session) if session["id"] else None
