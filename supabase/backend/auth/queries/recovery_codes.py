"""Statements on auth.mfa_recovery_code_sets and auth.mfa_recovery_codes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from backend.auth.models import RecoveryCodeSet

if TYPE_CHECKING:
    from backend.core.db import Connection


async def find(connection: Connection, user_id: UUID) -> RecoveryCodeSet | None:
    row = await connection.fetchrow(
        """
        select s.id, s.mfa_factor_id as factor_id, coalesce(f.friendly_name, '') as friendly_name,
               s.failed_verification_count as failed_count, s.verification_locked_until as locked_until,
               count(c.id) as total, count(c.id) filter (where c.consumed_at is null) as remaining
          from auth.mfa_recovery_code_sets s
          join auth.mfa_factors f on f.id = s.mfa_factor_id
          left join auth.mfa_recovery_codes c on c.mfa_recovery_code_set_id = s.id
         where s.user_id = $1
         group by s.id, f.friendly_name
        """,
        user_id,
    )
    return RecoveryCodeSet(**row) if row else None


async def insert_set(connection: Connection, *, set_id: UUID, user_id: UUID, factor_id: UUID, now: datetime) -> None:
    await connection.execute(
        """
        insert into auth.mfa_recovery_code_sets (id, user_id, mfa_factor_id, created_at, updated_at)
        values ($1, $2, $3, $4, $4)
        """,
        set_id,
        user_id,
        factor_id,
        now,
    )


async def replace_codes(connection: Connection, set_id: UUID, code_hashes: list[str], now: datetime) -> None:
    """Also lifts a lock: whoever may make new codes has just shown another factor."""
    await connection.execute("delete from auth.mfa_recovery_codes where mfa_recovery_code_set_id = $1", set_id)
    await connection.executemany(
        """
        insert into auth.mfa_recovery_codes (id, mfa_recovery_code_set_id, code_hash, created_at)
        values ($1, $2, $3, $4)
        """,
        [(uuid4(), set_id, code_hash, now) for code_hash in code_hashes],
    )
    await set_failures(connection, set_id, 0, None, now)


async def use(connection: Connection, set_id: UUID, code_hash: str, now: datetime) -> bool:
    """Uses a code up; False when there is none or it has been used."""
    used = await connection.fetchval(
        """
        update auth.mfa_recovery_codes set consumed_at = $3
         where mfa_recovery_code_set_id = $1 and code_hash = $2 and consumed_at is null
        returning true
        """,
        set_id,
        code_hash,
        now,
    )
    return used is True


async def set_failures(
    connection: Connection, set_id: UUID, failed_count: int, locked_until: datetime | None, now: datetime
) -> None:
    await connection.execute(
        """
        update auth.mfa_recovery_code_sets
           set failed_verification_count = $2, verification_locked_until = $3, updated_at = $4
         where id = $1
        """,
        set_id,
        failed_count,
        locked_until,
        now,
    )
