"""Who is calling: user and session in one statement, for every request asks it."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING
from uuid import UUID

import asyncpg

from backend.auth import models
from backend.auth.models import Session, User
from backend.auth.queries.sessions import SESSION
from backend.auth.queries.users import USER

if TYPE_CHECKING:
    from backend.core.db import Connection

_SESSION_FIELDS = tuple(each.name for each in fields(Session))
# A session whose refresh tokens were all revoked because one was stolen is none.
_LIVES = "exists (select from auth.refresh_tokens r where r.session_id = s.id and not r.revoked)"
CALLER = (
    f"with u as ({USER} where u.id = $1 and u.deleted_at is null), s as ({SESSION} where s.id = $2"  # noqa: S608 - constants
    f" and {_LIVES})"
    f" select u.*, {', '.join(f's.{name} as session_{name}' for name in _SESSION_FIELDS)} from u left join s on true"
)


# The moments of a user that are told only when there are any.
_MOMENTS = ", ".join(f"u.{name}" for name in models.MOMENTS)
PLAIN = f"""
select u.id::text, coalesce(u.aud, '') as aud, coalesce(u.role, '') as role,
       coalesce(u.email, '') as email, coalesce(u.phone, '') as phone,
       coalesce(u.raw_app_meta_data, '{{}}')::text as app_metadata,
       coalesce(u.raw_user_meta_data, '{{}}')::text as user_metadata,
       coalesce(u.created_at, 'epoch') as created_at, coalesce(u.updated_at, u.created_at, 'epoch') as updated_at,
       u.email_change, u.phone_change, u.is_anonymous, {_MOMENTS},
       i.id::text as identity_id, i.provider_id, i.identity_data::text as identity_data, i.provider,
       i.last_sign_in_at as identity_last_sign_in_at, i.email as identity_email,
       coalesce(i.created_at, 'epoch') as identity_created_at, coalesce(i.updated_at, 'epoch') as identity_updated_at
  from auth.users u left join auth.identities i on i.user_id = u.id
 where u.id = $1 and u.deleted_at is null and u.banned_until is null
   and exists (select from auth.sessions s where s.id = $2 and s.user_id = u.id and {_LIVES})
   and not exists (select from auth.mfa_factors f where f.user_id = u.id)
"""  # noqa: S608 - constants


async def plain(connection: Connection, user_id: UUID, session_id: UUID) -> list[asyncpg.Record]:
    """The user once for each identity, JSON as text, when the session lives and there is neither a second factor nor a
    ban; an empty list says nothing.
    """
    return await connection.fetch(PLAIN, user_id, session_id)


async def find(connection: Connection, user_id: UUID, session_id: UUID | None) -> tuple[User | None, Session | None]:
    """The user, None when there is none (any more), and the session, None when it is over."""
    row = await connection.fetchrow(CALLER, user_id, session_id)
    if row is None:
        return None, None
    values = dict(row)
    session = {name: values.pop(f"session_{name}") for name in _SESSION_FIELDS}
    return models.user(values), models.session(session) if session["id"] else None
