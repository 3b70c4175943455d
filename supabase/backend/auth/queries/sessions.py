"""Statements on auth.sessions and its amr claims; `refreshed_at` has no time zone upstream and holds UTC."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from backend.auth import models
from backend.auth.models import ListedSession, Session

if TYPE_CHECKING:
    from backend.core.db import Connection

COLUMNS = """
select s.id, s.user_id, coalesce(s.created_at, 'epoch') as created_at, coalesce(s.aal::text, 'aal1') as aal,
       s.not_after, s.refreshed_at at time zone 'UTC' as refreshed_at,
       coalesce((
         select jsonb_agg(jsonb_build_array(a.authentication_method, a.updated_at) order by a.updated_at desc)
           from auth.mfa_amr_claims a where a.session_id = s.id), '[]') as amr,
       s.oauth_client_id, coalesce(s.scopes, '') as scopes
"""
SESSION = COLUMNS + " from auth.sessions s "
LISTED = COLUMNS + ", s.user_agent, host(s.ip) as ip from auth.sessions s "


async def begin(
    connection: Connection,
    *,
    session_id: UUID,
    claim_id: UUID,
    user_id: UUID,
    user_agent: str,
    ip: str,
    method: str,
    token: str,
    now: datetime,
) -> None:
    """A session with the claim of its first method and its first refresh token, in one round trip."""
    await connection.execute(
        """
        with session as (
          insert into auth.sessions (id, user_id, aal, user_agent, ip, created_at, updated_at)
          values ($1, $2, 'aal1', $3, nullif($4::text, '')::inet, $5, $5)
          returning id, user_id
        ), claim as (
          insert into auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
          select $6, session.id, $7, $5, $5 from session
        )
        insert into auth.refresh_tokens (instance_id, token, user_id, session_id, parent, revoked,
                                         created_at, updated_at)
        select '00000000-0000-0000-0000-000000000000', $8, session.user_id, session.id, null, false, $5, $5
          from session
        """,
        session_id,
        user_id,
        user_agent,
        ip,
        now,
        claim_id,
        method,
        token,
    )


async def insert_amr_claim(
    connection: Connection, *, claim_id: UUID, session_id: UUID, method: str, now: datetime
) -> None:
    await connection.execute(
        """
        insert into auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
        values ($1, $2, $3, $4, $4)
        on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at
        """,
        claim_id,
        session_id,
        method,
        now,
    )


async def find(connection: Connection, session_id: UUID) -> Session | None:
    row = await connection.fetchrow(f"{SESSION} where s.id = $1", session_id)
    return models.session(row) if row else None


async def find_living(connection: Connection, session_id: UUID) -> Session | None:
    """None also for a session whose refresh tokens were all revoked because one was stolen."""
    row = await connection.fetchrow(
        f"""
        {SESSION}
        where s.id = $1
          and exists (select from auth.refresh_tokens r where r.session_id = s.id and not r.revoked)
        """,
        session_id,
    )
    return models.session(row) if row else None


async def list_living(connection: Connection, user_id: UUID, limit: int) -> list[ListedSession]:
    """The sessions that can still be refreshed, last used first."""
    rows = await connection.fetch(
        f"""
        {LISTED}
         where s.user_id = $1
           and exists (select from auth.refresh_tokens r where r.session_id = s.id and not r.revoked)
         order by coalesce(s.refreshed_at at time zone 'UTC', s.created_at) desc
         limit $2
        """,
        user_id,
        limit,
    )
    return [models.listed_session(row) for row in rows]


async def delete_of(connection: Connection, user_id: UUID, session_id: UUID) -> bool:
    """Whether the session was one of this user's."""
    done: str = await connection.execute(
        "delete from auth.sessions where id = $2 and user_id = $1", user_id, session_id
    )
    return done == "DELETE 1"


async def set_refreshed(connection: Connection, session_id: UUID, user_agent: str, ip: str, now: datetime) -> None:
    await connection.execute(
        """
        update auth.sessions
           set refreshed_at = $4::timestamptz at time zone 'UTC', updated_at = $4, user_agent = $2,
               ip = nullif($3::text, '')::inet
         where id = $1
        """,
        session_id,
        user_agent,
        ip,
        now,
    )


async def delete(connection: Connection, session_id: UUID) -> None:
    await connection.execute("delete from auth.sessions where id = $1", session_id)


async def delete_all(connection: Connection, user_id: UUID) -> None:
    await connection.execute("delete from auth.sessions where user_id = $1", user_id)


async def delete_others(connection: Connection, user_id: UUID, kept: UUID) -> None:
    await connection.execute("delete from auth.sessions where user_id = $1 and id <> $2", user_id, kept)


async def lock(connection: Connection, session_id: UUID) -> bool:
    """Waits for a refresh of the session that is under way; False when the session is gone."""
    found = await connection.fetchval("select true from auth.sessions where id = $1 for update", session_id)
    return found is True


async def raise_to_aal2(connection: Connection, session_id: UUID, factor_id: UUID, now: datetime) -> None:
    await connection.execute(
        "update auth.sessions set aal = 'aal2', factor_id = $2, updated_at = $3 where id = $1",
        session_id,
        factor_id,
        now,
    )


async def delete_below_aal2(connection: Connection, user_id: UUID, kept: UUID) -> None:
    await connection.execute(
        "delete from auth.sessions where user_id = $1 and id <> $2 and coalesce(aal, 'aal1') = 'aal1'", user_id, kept
    )


async def lower_to_aal1(connection: Connection, factor_id: UUID, method: str, now: datetime) -> None:
    """The sessions that a factor raised, once it is gone."""
    await connection.execute(
        """
        with lowered as (
          update auth.sessions set aal = 'aal1', factor_id = null, updated_at = $3 where factor_id = $1 returning id)
        delete from auth.mfa_amr_claims a using lowered
         where a.session_id = lowered.id and a.authentication_method = $2
        """,
        factor_id,
        method,
        now,
    )
