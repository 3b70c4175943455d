"""Statements on auth.users by which accounts are made, changed by an admin, reached by phone and removed."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.auth import models
from backend.auth.models import User
from backend.auth.queries.users import USER

if TYPE_CHECKING:
    from backend.core.db import Connection


async def insert(
    connection: Connection,
    *,
    user_id: UUID,
    audience: str,
    role: str,
    email: str,
    phone: str,
    encrypted_password: str,
    app_metadata: dict[str, Any],
    user_metadata: dict[str, Any],
    is_anonymous: bool,
    now: datetime,
) -> None:
    """'' means none. Triggers of the product run here: what they raise comes out of this call."""
    await connection.execute(
        """
        insert into auth.users (instance_id, id, aud, role, email, phone, encrypted_password, raw_app_meta_data,
                                raw_user_meta_data, is_anonymous, created_at, updated_at)
        values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, nullif($4, ''), nullif($5, ''), $6, $7, $8, $9,
                $10, $10)
        """,
        user_id,
        audience,
        role,
        email,
        phone,
        encrypted_password,
        app_metadata,
        user_metadata,
        is_anonymous,
        now,
    )


async def find(connection: Connection, user_id: UUID) -> User | None:
    """Also one that was soft-deleted: admins see those."""
    row = await connection.fetchrow(f"{USER} where u.id = $1", user_id)
    return models.user(row) if row else None


async def find_by_phone(connection: Connection, phone: str) -> User | None:
    row = await connection.fetchrow(f"{USER} where u.phone = $1 and u.deleted_at is null", phone)
    return models.user(row) if row else None


async def find_by_phone_change(connection: Connection, phone: str) -> User | None:
    """Who wants to have this number, or has it and wants another; of several the last who asked."""
    row = await connection.fetchrow(
        f"""
        {USER}
         where u.phone_change <> '' and (u.phone = $1 or u.phone_change = $1) and u.deleted_at is null
         order by u.phone_change_sent_at desc limit 1
        """,
        phone,
    )
    return models.user(row) if row else None


async def is_phone_taken(connection: Connection, phone: str, by_other_than: UUID) -> bool:
    taken: bool = await connection.fetchval(
        "select exists (select from auth.users where phone = $1 and id <> $2)", phone, by_other_than
    )
    return taken


# Addresses and numbers --------------------------------------------------------------------------------------------


# Whoever had the old address or number must not come in by what was sent there: with it, all tokens end.


async def confirm_phone(connection: Connection, user_id: UUID, now: datetime) -> None:
    """The number is proved; as upstream has it, no mail or SMS from before opens the account any more."""
    await connection.execute(
        """
        with gone as (delete from auth.one_time_tokens where user_id = $1)
        update auth.users
           set phone_confirmed_at = coalesce(phone_confirmed_at, $2), confirmation_token = '', is_anonymous = false,
               raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"phone_verified": true}', updated_at = $2
         where id = $1
        """,
        user_id,
        now,
    )


async def set_phone_change_sent(
    connection: Connection, user_id: UUID, phone: str, token_hash: str, now: datetime
) -> None:
    await connection.execute(
        """
        update auth.users set phone_change = $2, phone_change_token = $3, phone_change_sent_at = $4, updated_at = $4
         where id = $1
        """,
        user_id,
        phone,
        token_hash,
        now,
    )


async def apply_phone_change(connection: Connection, user_id: UUID, phone: str, now: datetime) -> None:
    """The number becomes the user's; it has just been proved. Raises UniqueViolationError."""
    await connection.execute(
        """
        with gone as (delete from auth.one_time_tokens where user_id = $1)
        update auth.users
           set phone = $2, phone_confirmed_at = $3, phone_change = '', phone_change_token = '', is_anonymous = false,
               raw_user_meta_data = coalesce(raw_user_meta_data, '{}')
                 || jsonb_build_object('phone', $2::text, 'phone_verified', true),
               updated_at = $3
         where id = $1
        """,
        user_id,
        phone,
        now,
    )


async def set_email(connection: Connection, user_id: UUID, email: str, now: datetime) -> None:
    """By an admin's word. Raises UniqueViolationError."""
    await connection.execute(
        """
        with gone as (delete from auth.one_time_tokens where user_id = $1)
        update auth.users
           set email = $2, email_change = '', email_change_token_new = '', email_change_token_current = '',
               email_change_confirm_status = 0, updated_at = $3
         where id = $1
        """,
        user_id,
        email,
        now,
    )


async def set_phone(connection: Connection, user_id: UUID, phone: str, now: datetime) -> None:
    """By an admin's word. Raises UniqueViolationError."""
    await connection.execute(
        """
        with gone as (delete from auth.one_time_tokens where user_id = $1)
        update auth.users set phone = $2, phone_change = '', phone_change_token = '', updated_at = $3 where id = $1
        """,
        user_id,
        phone,
        now,
    )


async def set_invited(connection: Connection, user_id: UUID, now: datetime) -> None:
    await connection.execute("update auth.users set invited_at = $2, updated_at = $2 where id = $1", user_id, now)


async def begin_email_change(connection: Connection, user_id: UUID, new_email: str, now: datetime) -> None:
    """A change of address asked for by an admin; none of the addresses has agreed yet."""
    await connection.execute(
        """
        update auth.users
           set email_change = $2, email_change_sent_at = $3, email_change_confirm_status = 0, updated_at = $3
         where id = $1
        """,
        user_id,
        new_email,
        now,
    )


# What an admin sets -----------------------------------------------------------------------------------------------


async def set_role(connection: Connection, user_id: UUID, role: str, now: datetime) -> None:
    await connection.execute("update auth.users set role = $2, updated_at = $3 where id = $1", user_id, role, now)


async def ban_until(connection: Connection, user_id: UUID, until: datetime | None, now: datetime) -> None:
    await connection.execute(
        "update auth.users set banned_until = $2, updated_at = $3 where id = $1", user_id, until, now
    )


async def merge_app_metadata(connection: Connection, user_id: UUID, data: dict[str, Any], now: datetime) -> None:
    """Sets the given keys; a null removes its key."""
    kept = {name: value for name, value in data.items() if value is not None}
    await connection.execute(
        """
        update auth.users
           set raw_app_meta_data = (coalesce(raw_app_meta_data, '{}') || $2::jsonb) - $3::text[], updated_at = $4
         where id = $1
        """,
        user_id,
        kept,
        [name for name, value in data.items() if value is None],
        now,
    )


# Removal ----------------------------------------------------------------------------------------------------------


async def delete(connection: Connection, user_id: UUID) -> None:
    """The row and all that hangs on it. Raises ForeignKeyViolationError and what the product's triggers raise."""
    # A connection keeps its plans of what cascades from when tables were small. By those each of ten thousand contacts
    # would be looked for among all of them, and the request be cut short.
    await connection.execute("discard plans")
    await connection.execute(
        """
        with flows as (delete from auth.flow_state where user_id = $1)
        delete from auth.users where id = $1
        """,
        user_id,
    )


async def delete_softly(connection: Connection, user_id: UUID, email: str, phone: str, now: datetime) -> None:
    """The row stays, so that others may still refer to it, with nothing in it that says who it was.

    `email` and `phone` are what stands in their place.
    """
    await connection.execute(
        """
        with sessions as (delete from auth.sessions where user_id = $1),
        factors as (delete from auth.mfa_factors where user_id = $1),
        passkeys as (delete from auth.webauthn_credentials where user_id = $1),
        tokens as (delete from auth.one_time_tokens where user_id = $1),
        flows as (delete from auth.flow_state where user_id = $1),
        identities as (
          update auth.identities
             set identity_data = '{}', updated_at = $4,
                 provider_id = encode(sha256(convert_to(user_id || provider_id, 'UTF8')), 'hex')
           where user_id = $1)
        update auth.users
           set email = nullif($2, ''), phone = nullif($3, ''), encrypted_password = '', raw_user_meta_data = '{}',
               raw_app_meta_data = '{}', email_change = '', phone_change = '', confirmation_token = '',
               recovery_token = '', email_change_token_new = '', email_change_token_current = '',
               reauthentication_token = '', phone_change_token = '', deleted_at = $4, updated_at = $4
         where id = $1
        """,
        user_id,
        email,
        phone,
        now,
    )


# Lists ------------------------------------------------------------------------------------------------------------

# $1 audience, $2 what the address or the name contains, $3 the exact address; '' for all.
_MATCHING = """
 where u.aud = $1
   and ($2 = '' or u.email like $2 or u.raw_user_meta_data ->> 'full_name' ilike $2)
   and ($3 = '' or u.email = $3)
"""


async def count(connection: Connection, audience: str, pattern: str, email: str) -> int:
    total: int = await connection.fetchval(
        f"select count(*) from auth.users u {_MATCHING}",  # noqa: S608 - a constant
        audience,
        pattern,
        email,
    )
    return total


async def page(
    connection: Connection, audience: str, pattern: str, email: str, *, ascending: bool, limit: int, offset: int
) -> list[User]:
    """By age; users of the same moment by id, so that no page repeats what another showed."""
    way = "asc" if ascending else "desc"
    rows = await connection.fetch(
        f"{USER} {_MATCHING} order by u.created_at {way}, u.id {way} limit $4 offset $5",
        audience,
        pattern,
        email,
        limit,
        offset,
    )
    return [models.user(row) for row in rows]


async def page_after(
    connection: Connection,
    audience: str,
    pattern: str,
    email: str,
    *,
    created_at: datetime | None,
    user_id: UUID | None,
    limit: int,
) -> list[User]:
    """Newest first, from the one after this user on; from the newest without one."""
    rows = await connection.fetch(
        f"""
        {USER} {_MATCHING}
           and ($4::timestamptz is null or (u.created_at, u.id) < ($4, $5::uuid))
         order by u.created_at desc, u.id desc limit $6
        """,
        audience,
        pattern,
        email,
        created_at,
        user_id,
        limit,
    )
    return [models.user(row) for row in rows]
