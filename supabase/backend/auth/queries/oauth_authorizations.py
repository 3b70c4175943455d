"""Statements on auth.oauth_authorizations, and on the sessions that come of them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from backend.auth.oauth_server.rows import Authorization

if TYPE_CHECKING:
    from backend.core.db import Connection

_COLUMNS = """
select a.id, a.authorization_id, a.client_id, a.user_id, a.redirect_uri, a.scope, coalesce(a.state, '') as state,
       coalesce(a.resource, '') as resource, coalesce(a.code_challenge, '') as code_challenge,
       coalesce(a.nonce, '') as nonce, a.status::text, a.created_at, a.expires_at, a.approved_at
"""


async def insert(connection: Connection, wanted: Authorization) -> None:
    """Also forgets a few requests that are long over."""
    await connection.execute(
        """
        with gone as (
          delete from auth.oauth_authorizations
           where id in (select id from auth.oauth_authorizations where expires_at < $11::timestamptz - interval '1 day'
                         order by expires_at limit 20 for update skip locked))
        insert into auth.oauth_authorizations (id, authorization_id, client_id, redirect_uri, scope, state, resource,
                                               code_challenge, code_challenge_method, nonce, created_at, expires_at)
        values ($1, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), $8, 's256', nullif($9, ''), $11, $10)
        """,
        wanted.id,
        wanted.authorization_id,
        wanted.client_id,
        wanted.redirect_uri,
        wanted.scope,
        wanted.state,
        wanted.resource,
        wanted.code_challenge,
        wanted.nonce,
        wanted.expires_at,
        wanted.created_at,
    )


async def claim(connection: Connection, authorization_id: str, user_id: UUID) -> Authorization | None:
    """The request, locked, for whoever asks first; None for anybody else."""
    row = await connection.fetchrow(
        f"""
        with a as (
          update auth.oauth_authorizations set user_id = $2
           where authorization_id = $1 and coalesce(user_id, $2) = $2
          returning *)
        {_COLUMNS} from a
        """,  # noqa: S608 - constants
        authorization_id,
        user_id,
    )
    return Authorization(**row) if row else None


async def answer(connection: Connection, row_id: UUID, status: str, code: str, now: datetime) -> None:
    await connection.execute(
        """
        update auth.oauth_authorizations
           set status = $2::text::auth.oauth_authorization_status, authorization_code = nullif($3, ''),
               approved_at = case when $2 = 'approved' then $4::timestamptz end
         where id = $1
        """,
        row_id,
        status,
        code,
        now,
    )


async def find_by_code(connection: Connection, code: str) -> Authorization | None:
    """Locked until the end of the transaction: of two with one code the second sees that it is used."""
    row = await connection.fetchrow(
        f"{_COLUMNS} from auth.oauth_authorizations a where a.authorization_code = $1 for update", code
    )
    return Authorization(**row) if row else None


async def use(connection: Connection, row_id: UUID) -> None:
    """The code stays known, so that a replay is seen."""
    await connection.execute("update auth.oauth_authorizations set status = 'expired' where id = $1", row_id)


async def end_sessions(connection: Connection, user_id: UUID, client_id: UUID, since: datetime | None = None) -> bool:
    """The client's sessions for this person, all of them or those since a moment; whether there were any."""
    done: str = await connection.execute(
        """
        delete from auth.sessions
         where user_id = $1 and oauth_client_id = $2 and ($3::timestamptz is null or created_at >= $3)
        """,
        user_id,
        client_id,
        since,
    )
    return done != "DELETE 0"


async def name_session(connection: Connection, session_id: UUID, client_id: UUID, scopes: str) -> None:
    """Whose session it is, and for what."""
    await connection.execute(
        "update auth.sessions set oauth_client_id = $2, scopes = $3 where id = $1", session_id, client_id, scopes
    )
