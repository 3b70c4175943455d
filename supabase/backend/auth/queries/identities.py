"""Statements on auth.identities."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from backend.core.db import Connection


async def put_email(connection: Connection, *, user_id: UUID, email: str, verified: bool, now: datetime) -> None:
    """The identity of the e-mail provider; its facts also stand in the user's metadata, as upstream does it."""
    facts = {"sub": str(user_id), "email": email, "email_verified": verified, "phone_verified": False}
    await connection.execute(
        """
        with metadata as (
          update auth.users set raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || $2::jsonb where id = $1)
        insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at,
                                     created_at, updated_at)
        values ($3, $1, $2, 'email', $4, $4, $4)
        on conflict (provider_id, provider) do update
           set identity_data = excluded.identity_data, updated_at = excluded.updated_at
        """,
        user_id,
        facts,
        str(user_id),
        now,
    )


async def put_phone(connection: Connection, *, user_id: UUID, phone: str, verified: bool, now: datetime) -> None:
    """The identity of the phone provider; its facts also stand in the user's metadata, as upstream does it."""
    facts = {"sub": str(user_id), "phone": phone, "phone_verified": verified}
    await connection.execute(
        """
        with metadata as (
          update auth.users set raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || $2::jsonb where id = $1)
        insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at,
                                     created_at, updated_at)
        values ($3, $1, '{"email_verified": false}'::jsonb || $2::jsonb, 'phone', $4, $4, $4)
        on conflict (provider_id, provider) do update
           set identity_data = auth.identities.identity_data || excluded.identity_data,
               updated_at = excluded.updated_at
        """,
        user_id,
        facts,
        str(user_id),
        now,
    )


async def set_email(connection: Connection, user_id: UUID, email: str, now: datetime) -> bool:
    """The proved address of the e-mail identity; False when the user has none."""
    status = await connection.execute(
        """
        update auth.identities
           set identity_data = identity_data || jsonb_build_object('email', $2::text, 'email_verified', true),
               updated_at = $3
         where user_id = $1 and provider = 'email'
        """,
        user_id,
        email,
        now,
    )
    return status != "UPDATE 0"
