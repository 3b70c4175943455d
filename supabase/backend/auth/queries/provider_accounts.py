"""Statements by which a provider's word about somebody becomes, or joins, an account."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.auth.queries.users import OWNERS

if TYPE_CHECKING:
    from backend.core.db import Connection


async def take_turns(connection: Connection, keys: list[str]) -> None:
    """Until the end of the transaction, others with one of these keys wait; sorted, so that nobody waits in a ring."""
    await connection.execute(
        "select pg_advisory_xact_lock(hashtextextended('backend.auth ' || key, 0)) from unnest($1::text[]) as key",
        sorted(keys),
    )


async def find_owner(connection: Connection, provider: str, subject: str) -> UUID | None:
    """Whose identity it is."""
    found: UUID | None = await connection.fetchval(
        "select user_id from auth.identities where provider = $1 and provider_id = $2", provider, subject
    )
    return found


async def find_candidates(connection: Connection, addresses: list[str]) -> list[UUID]:
    """The accounts that have one of these addresses; of many only two."""
    rows = await connection.fetch(f"{OWNERS} limit 2", addresses)
    return [row["id"] for row in rows]


async def put_identity(
    connection: Connection, *, user_id: UUID, provider: str, subject: str, facts: dict[str, Any], now: datetime
) -> None:
    """Adds the identity, or brings its facts up to date; it never changes its owner."""
    await connection.execute(
        """
        insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at,
                                     created_at, updated_at)
        values ($1, $2, $3, $4, $5, $5, $5)
        on conflict (provider_id, provider) do update
           set identity_data = excluded.identity_data, last_sign_in_at = excluded.last_sign_in_at,
               updated_at = excluded.updated_at
        """,
        subject,
        user_id,
        facts,
        provider,
        now,
    )


async def delete_identity(connection: Connection, identity_id: UUID) -> None:
    await connection.execute("delete from auth.identities where id = $1", identity_id)


async def name_providers(connection: Connection, user_id: UUID, now: datetime) -> None:
    """`provider` and `providers` of the app metadata follow from the identities, the oldest first."""
    await connection.execute(
        """
        update auth.users
           set updated_at = $2,
               raw_app_meta_data = coalesce(raw_app_meta_data, '{}')
                 || jsonb_strip_nulls(jsonb_build_object('provider', known.names -> 0, 'providers', known.names))
          from (select coalesce(jsonb_agg(provider order by since, provider), '[]') as names
                  from (select provider, min(created_at) as since
                          from auth.identities where user_id = $1 group by provider) as used) as known
         where id = $1
        """,
        user_id,
        now,
    )


async def merge_facts(
    connection: Connection, user_id: UUID, facts: dict[str, Any], max_bytes: int, now: datetime
) -> None:
    """What the provider says is what the user's metadata say, as far as there is room."""
    await connection.execute(
        """
        update auth.users set raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || $2::jsonb, updated_at = $4
         where id = $1 and octet_length((coalesce(raw_user_meta_data, '{}') || $2::jsonb)::text) <= $3
        """,
        user_id,
        facts,
        max_bytes,
        now,
    )


async def forget_unproved(
    connection: Connection, user_id: UUID, provider: str, subject: str, facts: dict[str, Any], now: datetime
) -> None:
    """Leaves nothing of what somebody without proof of the address may have put into the account before its owner
    came: no password, no phone (unless that is what is proved), no other identity, factor, passkey or session.
    """
    await connection.execute(
        """
        with identities as (
          delete from auth.identities where user_id = $1 and not (provider = $2 and provider_id = $3)),
        factors as (delete from auth.mfa_factors where user_id = $1),
        passkeys as (delete from auth.webauthn_credentials where user_id = $1),
        sessions as (delete from auth.sessions where user_id = $1)
        update auth.users
           set encrypted_password = null, phone = case when $2 = 'phone' then phone end, phone_confirmed_at = null,
               raw_user_meta_data = $4, updated_at = $5
         where id = $1
        """,
        user_id,
        provider,
        subject,
        facts,
        now,
    )


async def set_email(connection: Connection, user_id: UUID, email: str, now: datetime) -> None:
    """The address of an account, as an identity has it whose provider had proof of it; '' for none.

    Raises UniqueViolationError when another account has it.
    """
    await connection.execute(
        """
        with gone as (delete from auth.one_time_tokens where user_id = $1)
        update auth.users
           set email = nullif($2, ''), updated_at = $3,
               email_confirmed_at = case when $2 <> '' then coalesce(email_confirmed_at, $3) end
         where id = $1
        """,
        user_id,
        email,
        now,
    )


async def end_anonymity(connection: Connection, user_id: UUID) -> None:
    await connection.execute("update auth.users set is_anonymous = false where id = $1 and is_anonymous", user_id)


async def clear_password(connection: Connection, user_id: UUID) -> None:
    await connection.execute("update auth.users set encrypted_password = null where id = $1", user_id)


async def clear_phone(connection: Connection, user_id: UUID) -> None:
    await connection.execute("update auth.users set phone = null, phone_confirmed_at = null where id = $1", user_id)
