"""Statements on auth.users. Moments are parameters, never now(): the clock belongs to the app."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.auth import models
from backend.auth.models import User

if TYPE_CHECKING:
    from backend.core.db import Connection

USER = """
select u.id, coalesce(u.aud, '') as aud, coalesce(u.role, '') as role,
       coalesce(u.email, '') as email, coalesce(u.phone, '') as phone,
       coalesce(u.encrypted_password, '') as encrypted_password,
       coalesce(u.email_change, '') as email_change,
       coalesce(u.email_change_confirm_status, 0) as email_change_confirm_status,
       coalesce(u.phone_change, '') as phone_change,
       coalesce(u.raw_app_meta_data, '{}') as app_metadata, coalesce(u.raw_user_meta_data, '{}') as user_metadata,
       coalesce(u.created_at, 'epoch') as created_at, coalesce(u.updated_at, u.created_at, 'epoch') as updated_at,
       u.invited_at, u.email_confirmed_at, u.phone_confirmed_at, u.confirmed_at, u.confirmation_sent_at,
       u.recovery_sent_at, u.email_change_sent_at, u.phone_change_sent_at, u.reauthentication_sent_at,
       u.last_sign_in_at, u.banned_until, u.deleted_at, u.is_sso_user, u.is_anonymous,
       coalesce((
         select jsonb_agg(jsonb_build_object(
                  'id', i.id, 'provider_id', i.provider_id, 'user_id', i.user_id, 'identity_data', i.identity_data,
                  'provider', i.provider, 'last_sign_in_at', i.last_sign_in_at,
                  'created_at', coalesce(i.created_at, 'epoch'), 'updated_at', coalesce(i.updated_at, 'epoch'),
                  'email', i.email) order by i.created_at, i.id)
           from auth.identities i where i.user_id = u.id), '[]') as identities,
       coalesce((
         select jsonb_agg(jsonb_build_object(
                  'id', f.id, 'friendly_name', f.friendly_name, 'factor_type', f.factor_type, 'status', f.status,
                  'created_at', f.created_at, 'updated_at', f.updated_at, 'phone', f.phone,
                  'last_challenged_at', f.last_challenged_at, 'web_authn_aaguid', f.web_authn_aaguid)
                order by f.created_at, f.id)
           from auth.mfa_factors f where f.user_id = u.id), '[]') as factors
  from auth.users u
"""


# The accounts that have one of the addresses $1, as theirs or by an identity whose provider had proof of it. Accounts
# and identities of companies (`sso:`) are a world of their own.
OWNERS = """
select id from auth.users where email = any($1::text[]) and not is_sso_user and deleted_at is null
union
select i.user_id from auth.identities i join auth.users u on u.id = i.user_id and u.deleted_at is null
 where i.email = any($1::text[]) and i.provider not like 'sso:%'
   and (i.identity_data ->> 'email_verified')::text = 'true'
"""


async def find(connection: Connection, user_id: UUID) -> User | None:
    row = await connection.fetchrow(f"{USER} where u.id = $1 and u.deleted_at is null", user_id)
    return models.user(row) if row else None


async def lock(connection: Connection, user_id: UUID) -> None:
    """Until the end of the transaction; whoever changes factors and sessions of one person takes turns here."""
    await connection.execute("select from auth.users where id = $1 for no key update", user_id)


async def find_by_email(connection: Connection, email: str) -> User | None:
    row = await connection.fetchrow(f"{USER} where u.email = $1 and not u.is_sso_user and u.deleted_at is null", email)
    return models.user(row) if row else None


async def find_owner(connection: Connection, email: str) -> User | None:
    """Whose address it is; of several first somebody who has proved it."""
    row = await connection.fetchrow(
        f"""
        {USER} where u.id in ({OWNERS})
         order by u.confirmed_at is null and u.email = any($1::text[]), u.created_at limit 1
        """,
        [email],
    )
    return models.user(row) if row else None


async def is_email_taken(connection: Connection, email: str, by_other_than: UUID | None = None) -> bool:
    taken: bool = await connection.fetchval(
        f"select exists (select from ({OWNERS}) as owners where id is distinct from $2)",  # noqa: S608 - constants
        [email],
        by_other_than,
    )
    return taken


async def merge_metadata(connection: Connection, user_id: UUID, data: dict[str, Any], now: datetime) -> None:
    """Sets the given keys; a null removes its key."""
    kept = {name: value for name, value in data.items() if value is not None}
    await connection.execute(
        """
        update auth.users
           set raw_user_meta_data = (coalesce(raw_user_meta_data, '{}') || $2::jsonb) - $3::text[], updated_at = $4
         where id = $1
        """,
        user_id,
        kept,
        [name for name, value in data.items() if value is None],
        now,
    )


async def imported_hashes(connection: Connection) -> dict[str, str]:
    """One password hash of each kind (algorithm and cost) that is not today's; '' is the kind of what is damaged.

    In the words of its index (schema/24_imported_hashes.sql).
    """
    rows = await connection.fetch(
        r"""
        select coalesce(substring(encrypted_password from '^\$[^$]*\$[^$]*(?:\$m=[^$]*)?'), '') as kind,
               min(encrypted_password) as sample
          from auth.users
         where encrypted_password <> '' and encrypted_password not like '$argon2id$v=19$m=19456,t=2,p=1$%'
         group by 1
        """
    )
    return {row["kind"]: row["sample"] for row in rows}


async def set_password(connection: Connection, user_id: UUID, encrypted_password: str, now: datetime) -> None:
    await connection.execute(
        "update auth.users set encrypted_password = $2, updated_at = $3 where id = $1",
        user_id,
        encrypted_password,
        now,
    )


async def set_last_sign_in(connection: Connection, user_id: UUID, provider: str, now: datetime) -> None:
    """Of the user, who is locked from here on, and of the identity by which it was."""
    await connection.execute(
        """
        with identity as (
          update auth.identities set last_sign_in_at = $3, updated_at = $3 where user_id = $1 and provider = $2
        )
        update auth.users set last_sign_in_at = $3, updated_at = $3 where id = $1
        """,
        user_id,
        provider,
        now,
    )


async def confirm_email(connection: Connection, user_id: UUID, now: datetime) -> None:
    """The address is proved; as upstream has it, no mail or SMS from before opens the account any more."""
    await connection.execute(
        """
        with gone as (delete from auth.one_time_tokens where user_id = $1)
        update auth.users
           set email_confirmed_at = coalesce(email_confirmed_at, $2), confirmation_token = '', is_anonymous = false,
               raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"email_verified": true}', updated_at = $2
         where id = $1
        """,
        user_id,
        now,
    )


async def set_confirmation_sent(connection: Connection, user_id: UUID, token_hash: str, now: datetime) -> None:
    await connection.execute(
        "update auth.users set confirmation_token = $2, confirmation_sent_at = $3, updated_at = $3 where id = $1",
        user_id,
        token_hash,
        now,
    )


async def set_recovery_sent(connection: Connection, user_id: UUID, token_hash: str, now: datetime) -> None:
    await connection.execute(
        "update auth.users set recovery_token = $2, recovery_sent_at = $3, updated_at = $3 where id = $1",
        user_id,
        token_hash,
        now,
    )


async def clear_recovery(connection: Connection, user_id: UUID) -> None:
    """Somebody came back in by mail; as upstream has it, no other mail or SMS opens the account any more."""
    await connection.execute(
        """
        with gone as (delete from auth.one_time_tokens where user_id = $1)
        update auth.users set recovery_token = '' where id = $1
        """,
        user_id,
    )


async def set_reauthentication_sent(connection: Connection, user_id: UUID, token_hash: str, now: datetime) -> None:
    await connection.execute(
        """
        update auth.users set reauthentication_token = $2, reauthentication_sent_at = $3, updated_at = $3
         where id = $1
        """,
        user_id,
        token_hash,
        now,
    )


async def set_email_change_sent(
    connection: Connection, user_id: UUID, new_email: str, new_hash: str, current_hash: str, now: datetime
) -> None:
    await connection.execute(
        """
        update auth.users
           set email_change = $2, email_change_token_new = $3, email_change_token_current = $4,
               email_change_sent_at = $5, email_change_confirm_status = 0, updated_at = $5
         where id = $1
        """,
        user_id,
        new_email,
        new_hash,
        current_hash,
        now,
    )


async def set_metadata(connection: Connection, user_id: UUID, data: dict[str, Any]) -> None:
    """Replace what the user may write of the account."""
    await connection.execute("update auth.users set raw_user_meta_data = $2 where id = $1", user_id, data)


async def accept_half_email_change(connection: Connection, user_id: UUID, token_type: str, now: datetime) -> int:
    """Notes that one of the two addresses agreed; returns how many have, the row locked until the end."""
    agreed: int = await connection.fetchval(
        """
        update auth.users
           set email_change_confirm_status = least(coalesce(email_change_confirm_status, 0) + 1, 2),
               email_change_token_new = case when $2 = 'email_change_token_new' then '' else email_change_token_new end,
               email_change_token_current =
                 case when $2 = 'email_change_token_current' then '' else email_change_token_current end,
               updated_at = $3
         where id = $1
        returning email_change_confirm_status
        """,
        user_id,
        token_type,
        now,
    )
    return agreed


async def apply_email_change(connection: Connection, user_id: UUID, now: datetime) -> None:
    """The address the user asked for becomes the address; it has just been proved. What the old one got by mail
    opens nothing any more.
    """
    await connection.execute(
        """
        with gone as (delete from auth.one_time_tokens where user_id = $1)
        update auth.users
           set email = email_change, email_change = '', email_change_token_new = '', email_change_token_current = '',
               email_change_confirm_status = 0, email_confirmed_at = coalesce(email_confirmed_at, $2),
               is_anonymous = false, updated_at = $2,
               raw_user_meta_data = coalesce(raw_user_meta_data, '{}')
                 || jsonb_build_object('email', email_change, 'email_verified', true)
         where id = $1
        """,
        user_id,
        now,
    )


async def clear_pending_tokens(connection: Connection, user_id: UUID) -> None:
    """Ends every way in that is under way: mails and SMS, PKCE flows and linkings, codes given to applications."""
    await connection.execute(
        """
        with tokens as (delete from auth.one_time_tokens where user_id = $1),
        flows as (delete from auth.flow_state where user_id = $1 or linking_target_id = $1),
        codes as (
          update auth.oauth_authorizations set status = 'expired' where user_id = $1 and status = 'approved')
        update auth.users
           set confirmation_token = '', recovery_token = '', reauthentication_token = '', email_change_token_new = '',
               email_change_token_current = '', email_change = '', email_change_confirm_status = 0,
               phone_change = '', phone_change_token = ''
         where id = $1
        """,
        user_id,
    )
