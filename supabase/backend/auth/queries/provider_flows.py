"""Statements on sign-ins through providers: a row of auth.flow_state whose id is the `state`, and the secret beside it
in auth.oauth_client_states, whose removal is what makes a state work once.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from backend.auth.providers.rows import ProviderFlow

if TYPE_CHECKING:
    from backend.core.db import Connection

METHOD = "oauth"


async def insert(connection: Connection, flow: ProviderFlow, challenge_method: str, email_optional: bool) -> None:
    await connection.execute(
        """
        with secret as (
          insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
          values (gen_random_uuid(), $2, $3, $4) returning id)
        insert into auth.flow_state (id, provider_type, created_at, updated_at, authentication_method, auth_code,
                                     code_challenge, code_challenge_method, referrer, invite_token, linking_target_id,
                                     email_optional, session_id, oauth_client_state_id)
        select $1, $2, $4, $4, 'oauth', nullif($5, ''), nullif($6, ''),
               nullif($7::text, '')::auth.code_challenge_method, $8, nullif($9, ''), $10, $11, $12, secret.id
          from secret
        """,
        flow.id,
        flow.provider,
        flow.verifier,
        flow.created_at,
        flow.auth_code,
        flow.code_challenge,
        challenge_method,
        flow.redirect_to,
        flow.invite_token,
        flow.linking_target_id,
        email_optional,
        flow.session_id,
    )


async def take(connection: Connection, state: UUID) -> ProviderFlow | None:
    """The flow of a state, with its secret for the first who asks; None for a state nobody was given."""
    row = await connection.fetchrow(
        """
        with taken as (
          delete from auth.oauth_client_states s using auth.flow_state f
           where f.id = $1 and f.authentication_method = 'oauth' and s.id = f.oauth_client_state_id
          returning s.code_verifier)
        select f.id, f.provider_type as provider, f.created_at, coalesce(f.code_challenge, '') as code_challenge,
               coalesce(f.auth_code, '') as auth_code, coalesce(f.referrer, '') as redirect_to,
               coalesce(f.invite_token, '') as invite_token, f.linking_target_id, f.session_id,
               (select code_verifier from taken) as verifier
          from auth.flow_state f where f.id = $1 and f.authentication_method = 'oauth'
        """,
        state,
    )
    return ProviderFlow(**row) if row else None


async def issue_code(
    connection: Connection, flow_id: UUID, user_id: UUID, access_token: str, refresh_token: str, now: datetime
) -> None:
    """The flow's code works from now on, and brings the provider's tokens along."""
    await connection.execute(
        """
        update auth.flow_state
           set user_id = $2, provider_access_token = $3, provider_refresh_token = nullif($4, ''),
               auth_code_issued_at = $5, updated_at = $5
         where id = $1
        """,
        flow_id,
        user_id,
        access_token,
        refresh_token,
        now,
    )


async def forget_old(connection: Connection, before: datetime) -> None:
    """A few flows that nobody came back from, so that they never pile up."""
    await connection.execute(
        """
        with gone as (
          delete from auth.flow_state
           where id in (select id from auth.flow_state where authentication_method = 'oauth' and created_at < $1
                         order by created_at limit 20 for update skip locked))
        delete from auth.oauth_client_states
         where id in (select id from auth.oauth_client_states where created_at < $1
                       order by created_at limit 20 for update skip locked)
        """,
        before,
    )
