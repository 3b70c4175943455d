"""Statements on auth.mfa_factors."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.auth.models import Factor

if TYPE_CHECKING:
    from backend.core.db import Connection

SELECT = """
select f.id, f.user_id, f.factor_type::text as factor_type, f.status::text as status,
       coalesce(f.friendly_name, '') as friendly_name, coalesce(f.secret, '') as secret,
       coalesce(f.phone, '') as phone, f.last_challenged_at, f.web_authn_credential
  from auth.mfa_factors f
"""


async def insert(
    connection: Connection,
    *,
    factor_id: UUID,
    user_id: UUID,
    factor_type: str,
    status: str,
    friendly_name: str,
    secret: str | None = None,
    phone: str | None = None,
    now: datetime,
) -> None:
    await connection.execute(
        """
        insert into auth.mfa_factors (id, user_id, factor_type, status, friendly_name, secret, phone,
                                      created_at, updated_at)
        values ($1, $2, $3::text::auth.factor_type, $4::text::auth.factor_status, $5, $6, $7, $8, $8)
        """,
        factor_id,
        user_id,
        factor_type,
        status,
        friendly_name,
        secret,
        phone,
        now,
    )


async def find(connection: Connection, user_id: UUID, factor_id: UUID) -> Factor | None:
    """Only a factor of this user."""
    row = await connection.fetchrow(f"{SELECT} where f.id = $1 and f.user_id = $2", factor_id, user_id)
    return Factor(**row) if row else None


async def of_user(connection: Connection, user_id: UUID) -> list[Factor]:
    """Oldest first."""
    rows = await connection.fetch(f"{SELECT} where f.user_id = $1 order by f.created_at, f.id", user_id)
    return [Factor(**row) for row in rows]


async def set_verified(connection: Connection, factor_id: UUID, now: datetime) -> None:
    await connection.execute(
        "update auth.mfa_factors set status = 'verified', updated_at = $2 where id = $1", factor_id, now
    )


async def set_challenged(connection: Connection, factor_id: UUID, now: datetime) -> None:
    await connection.execute("update auth.mfa_factors set last_challenged_at = $2 where id = $1", factor_id, now)


async def set_credential(
    connection: Connection, factor_id: UUID, credential: dict[str, Any], aaguid: UUID, now: datetime
) -> None:
    await connection.execute(
        "update auth.mfa_factors set web_authn_credential = $2, web_authn_aaguid = $3, updated_at = $4 where id = $1",
        factor_id,
        credential,
        aaguid,
        now,
    )


async def set_sign_count(connection: Connection, factor_id: UUID, sign_count: int, now: datetime) -> None:
    await connection.execute(
        """
        update auth.mfa_factors
           set web_authn_credential =
                 jsonb_set(web_authn_credential, '{authenticator,signCount}', to_jsonb($2::bigint)),
               updated_at = $3
         where id = $1
        """,
        factor_id,
        sign_count,
        now,
    )


async def update(connection: Connection, factor_id: UUID, friendly_name: str, phone: str, now: datetime) -> None:
    """'' leaves a value as it is."""
    await connection.execute(
        """
        update auth.mfa_factors
           set friendly_name = coalesce(nullif($2, ''), friendly_name), phone = coalesce(nullif($3, ''), phone),
               updated_at = $4
         where id = $1
        """,
        factor_id,
        friendly_name,
        phone,
        now,
    )


async def is_enrolled_since(connection: Connection, user_id: UUID, since: datetime) -> bool:
    """Whether a factor that is verified was begun after this moment."""
    found: bool = await connection.fetchval(
        """
        select exists (
          select from auth.mfa_factors where user_id = $1 and status = 'verified' and created_at > $2
        )
        """,
        user_id,
        since,
    )
    return found


async def delete(connection: Connection, factor_id: UUID) -> None:
    await connection.execute("delete from auth.mfa_factors where id = $1", factor_id)


async def delete_stale(connection: Connection, user_id: UUID, before: datetime) -> None:
    """Enrolments that were begun before this moment and never finished."""
    await connection.execute(
        "delete from auth.mfa_factors where user_id = $1 and status = 'unverified' and created_at < $2",
        user_id,
        before,
    )


async def delete_unverified(connection: Connection, user_id: UUID, factor_type: str) -> None:
    await connection.execute(
        """
        delete from auth.mfa_factors
         where user_id = $1 and status = 'unverified' and factor_type = $2::text::auth.factor_type
        """,
        user_id,
        factor_type,
    )
