"""Statements on auth.refresh_tokens."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.auth import models
from backend.auth.models import Chain
from backend.auth.queries import sessions

if TYPE_CHECKING:
    from backend.auth.access import Device
    from backend.core.db import Connection

_CHAIN = """
       , jsonb_build_object('token', given.token, 'parent', coalesce(given.parent, ''),
           'revoked', coalesce(given.revoked, false), 'updated_at', given.updated_at) as given,
       (select jsonb_build_object('token', active.token, 'parent', coalesce(active.parent, ''), 'revoked', false,
                 'updated_at', active.updated_at)
          from auth.refresh_tokens active where active.session_id = s.id and not active.revoked
         order by active.id desc limit 1) as active
  from auth.refresh_tokens given
  join auth.sessions s on s.id = given.session_id
 where given.token = $1
"""
# Whoever holds the session is not waited for: the next attempt sees what came of it. A token that somebody revoked
# meanwhile is not given away again, for then the first part finds no row and nothing happens.
_ROTATE = """
with held as (
  select id, user_id from auth.sessions where id = $1 for update skip locked
), given as (
  update auth.refresh_tokens r set revoked = true, updated_at = $7
    from held where r.session_id = held.id and r.token = $2 and not coalesce(r.revoked, false)
  returning r.session_id, held.user_id
), others as (
  update auth.refresh_tokens r set revoked = true, updated_at = $7
    from given where r.session_id = given.session_id and r.token <> $2 and not r.revoked
), issued as (
  insert into auth.refresh_tokens (instance_id, token, user_id, session_id, parent, revoked, created_at, updated_at)
  select '00000000-0000-0000-0000-000000000000', $3, given.user_id, given.session_id, $2, false, $7, $7 from given
), refreshed as (
  update auth.sessions s
     set refreshed_at = $7::timestamptz at time zone 'UTC', updated_at = $7, user_agent = $4,
         ip = nullif($5::text, '')::inet
    from given where s.id = given.session_id
), entered as (
  insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
  select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), $6, $7, left($5, 64) from given
)
select exists (select from given)
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


async def find_chain(connection: Connection, token: str) -> Chain | None:
    """The token with its session and the session's active token, all as they are at one moment."""
    row = await connection.fetchrow(f"{sessions.COLUMNS} {_CHAIN}", token)
    return models.chain(row) if row else None


async def rotate(
    connection: Connection,
    *,
    session_id: UUID,
    given: str,
    issued: str,
    device: Device,
    audit_payload: dict[str, Any],
    now: datetime,
) -> bool:
    """Revoke `given`, issue its child and note both on the session and in the audit log, in one round trip.

    False, and nothing is changed, while another request works on the session or after it revoked the token.
    """
    done: bool = await connection.fetchval(
        _ROTATE, session_id, given, issued, device.user_agent, device.ip, audit_payload, now
    )
    return done


async def revoke_all(connection: Connection, session_id: UUID, now: datetime) -> None:
    """All of a session; moments of tokens that were already revoked stay what they are."""
    await connection.execute(
        "update auth.refresh_tokens set revoked = true, updated_at = $2 where session_id = $1 and not revoked",
        session_id,
        now,
    )


async def delete_all(connection: Connection, session_id: UUID) -> None:
    await connection.execute("delete from auth.refresh_tokens where session_id = $1", session_id)
