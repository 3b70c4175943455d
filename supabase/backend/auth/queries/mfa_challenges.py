"""Statements on auth.mfa_challenges. An unknown address counts as 0.0.0.0, for the column must hold one."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.auth.models import MfaChallenge

if TYPE_CHECKING:
    from backend.core.db import Connection


async def insert(
    connection: Connection,
    *,
    challenge_id: UUID,
    factor_id: UUID,
    ip: str,
    otp_code: str | None,
    session_data: dict[str, Any] | None,
    now: datetime,
) -> None:
    await connection.execute(
        """
        insert into auth.mfa_challenges (id, factor_id, ip_address, otp_code, web_authn_session_data, created_at)
        values ($1, $2, coalesce(nullif($3::text, ''), '0.0.0.0')::inet, $4, $5, $6)
        """,
        challenge_id,
        factor_id,
        ip,
        otp_code,
        session_data,
        now,
    )


async def find(connection: Connection, challenge_id: UUID, factor_id: UUID, ip: str) -> MfaChallenge | None:
    row = await connection.fetchrow(
        """
        select id, created_at, verified_at,
               ip_address = coalesce(nullif($3::text, ''), '0.0.0.0')::inet as same_address,
               coalesce(otp_code, '') as otp_code, web_authn_session_data as session_data
          from auth.mfa_challenges where id = $1 and factor_id = $2
        """,
        challenge_id,
        factor_id,
        ip,
    )
    return MfaChallenge(**row) if row else None


async def set_verified(connection: Connection, challenge_id: UUID, now: datetime) -> None:
    await connection.execute("update auth.mfa_challenges set verified_at = $2 where id = $1", challenge_id, now)


async def set_used_step(connection: Connection, challenge_id: UUID, step: int) -> None:
    """The time step of the TOTP code that answered it stands where an SMS code would."""
    await connection.execute("update auth.mfa_challenges set otp_code = $2 where id = $1", challenge_id, str(step))


async def last_used_step(connection: Connection, factor_id: UUID) -> int:
    """Of a TOTP factor; 0 when no challenge kept so far was answered."""
    step: int = await connection.fetchval(
        """
        select coalesce(max(otp_code::bigint), 0) from auth.mfa_challenges
         where factor_id = $1 and verified_at is not null
        """,
        factor_id,
    )
    return step


async def delete_older(connection: Connection, factor_id: UUID, before: datetime) -> None:
    """An answered one counts from its answer: it holds the used step as long as somebody could use it again."""
    await connection.execute(
        "delete from auth.mfa_challenges where factor_id = $1 and coalesce(verified_at, created_at) < $2",
        factor_id,
        before,
    )
