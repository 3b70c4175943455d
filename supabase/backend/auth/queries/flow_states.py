"""Statements on auth.flow_state: PKCE flows under way."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from backend.auth.models import FlowState

if TYPE_CHECKING:
    from backend.core.db import Connection


async def insert(
    connection: Connection,
    *,
    flow_id: UUID,
    user_id: UUID,
    code: str,
    challenge: str,
    challenge_method: str,
    method: str,
    now: datetime,
) -> None:
    """Also clears away a few flows whose mail nobody can open any more."""
    await connection.execute(
        """
        with stale as (
          delete from auth.flow_state
           where id in (select id from auth.flow_state
                         where authentication_method <> 'oauth' and created_at < $7::timestamptz - interval '2 days'
                         order by created_at limit 2 for update skip locked))
        insert into auth.flow_state (id, user_id, auth_code, code_challenge, code_challenge_method, provider_type,
                                     authentication_method, created_at, updated_at)
        values ($1, $2, $3, $4, $5::text::auth.code_challenge_method, 'email', $6, $7, $7)
        """,
        flow_id,
        user_id,
        code,
        challenge,
        challenge_method,
        method,
        now,
    )


async def issue_code(connection: Connection, user_id: UUID, methods: list[str], now: datetime) -> str | None:
    """The code of the newest flow of these kinds the user began, valid from now on."""
    code: str | None = await connection.fetchval(
        """
        update auth.flow_state set auth_code_issued_at = $3, updated_at = $3
         where id = (select id from auth.flow_state where user_id = $1 and authentication_method = any($2::text[])
                      order by created_at desc limit 1)
        returning auth_code
        """,
        user_id,
        methods,
        now,
    )
    return code


async def take(connection: Connection, code: str) -> FlowState | None:
    """Removes the flow: a code works once, even with a wrong verifier.

    Its user is locked before, as by everybody who ends the ways in of a user and then these flows.
    """
    row = await connection.fetchrow(
        """
        with owner as (
          select u.id from auth.users u join auth.flow_state f on f.user_id = u.id
           where f.auth_code = $1 and u.deleted_at is null for no key update of u)
        delete from auth.flow_state f using owner where f.auth_code = $1 and f.user_id = owner.id
        returning f.id, f.user_id, coalesce(f.code_challenge, '') as code_challenge,
                  coalesce(f.code_challenge_method::text, '') as code_challenge_method, f.authentication_method,
                  f.created_at, f.auth_code_issued_at, f.provider_type,
                  coalesce(f.provider_access_token, '') as provider_access_token,
                  coalesce(f.provider_refresh_token, '') as provider_refresh_token
        """,
        code,
    )
    return FlowState(**row) if row else None
