"""Statements on auth.webauthn_credentials and auth.webauthn_challenges."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.auth.models import Passkey

if TYPE_CHECKING:
    from backend.core.db import Connection

SELECT = """
select id, user_id, credential_id, public_key, sign_count, friendly_name, created_at, last_used_at
  from auth.webauthn_credentials
"""


async def insert(
    connection: Connection,
    *,
    passkey_id: UUID,
    user_id: UUID,
    credential_id: bytes,
    public_key: bytes,
    attestation_type: str,
    aaguid: UUID,
    sign_count: int,
    transports: list[str],
    backup_eligible: bool,
    backed_up: bool,
    friendly_name: str,
    now: datetime,
) -> bool:
    """False when the credential is registered already, for whomever."""
    inserted = await connection.fetchval(
        """
        insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid,
                                               sign_count, transports, backup_eligible, backed_up, friendly_name,
                                               created_at, updated_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
        on conflict (credential_id) do nothing
        returning true
        """,
        passkey_id,
        user_id,
        credential_id,
        public_key,
        attestation_type,
        aaguid,
        sign_count,
        transports,
        backup_eligible,
        backed_up,
        friendly_name,
        now,
    )
    return inserted is True


async def of_user(connection: Connection, user_id: UUID) -> list[Passkey]:
    """Oldest first."""
    rows = await connection.fetch(f"{SELECT} where user_id = $1 order by created_at, id", user_id)
    return [Passkey(**row) for row in rows]


async def find(connection: Connection, user_id: UUID, passkey_id: UUID) -> Passkey | None:
    """Only a passkey of this user."""
    row = await connection.fetchrow(f"{SELECT} where id = $1 and user_id = $2", passkey_id, user_id)
    return Passkey(**row) if row else None


async def lock_by_credential(connection: Connection, credential_id: bytes) -> Passkey | None:
    """Locked, so that two answers with the same sign count cannot both be the first."""
    row = await connection.fetchrow(f"{SELECT} where credential_id = $1 for update", credential_id)
    return Passkey(**row) if row else None


async def set_used(connection: Connection, passkey_id: UUID, sign_count: int, backed_up: bool, now: datetime) -> None:
    await connection.execute(
        """
        update auth.webauthn_credentials
           set sign_count = $2, backed_up = $3, last_used_at = $4, updated_at = $4
         where id = $1
        """,
        passkey_id,
        sign_count,
        backed_up,
        now,
    )


async def set_name(connection: Connection, passkey_id: UUID, friendly_name: str, now: datetime) -> None:
    await connection.execute(
        "update auth.webauthn_credentials set friendly_name = $2, updated_at = $3 where id = $1",
        passkey_id,
        friendly_name,
        now,
    )


async def delete(connection: Connection, passkey_id: UUID) -> None:
    await connection.execute("delete from auth.webauthn_credentials where id = $1", passkey_id)


async def insert_challenge(
    connection: Connection,
    *,
    challenge_id: UUID,
    user_id: UUID | None,
    challenge_type: str,
    session_data: dict[str, Any],
    now: datetime,
    expires_at: datetime,
) -> None:
    await connection.execute(
        """
        insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
        values ($1, $2, $3, $4, $5, $6)
        """,
        challenge_id,
        user_id,
        challenge_type,
        session_data,
        now,
        expires_at,
    )


async def take_challenge(
    connection: Connection, challenge_id: UUID, challenge_type: str, user_id: UUID | None
) -> tuple[dict[str, Any], datetime] | None:
    """Removes the challenge and returns (session data, expires at): of two at the same time only one gets it."""
    row = await connection.fetchrow(
        """
        delete from auth.webauthn_challenges
         where id = $1 and challenge_type = $2 and user_id is not distinct from $3
        returning session_data, expires_at
        """,
        challenge_id,
        challenge_type,
        user_id,
    )
    return (row["session_data"], row["expires_at"]) if row else None


async def delete_expired_challenges(connection: Connection, now: datetime) -> None:
    """A few at a time, those nobody else is removing: each new challenge pays for some old ones."""
    await connection.execute(
        """
        delete from auth.webauthn_challenges
         where id in (select id from auth.webauthn_challenges where expires_at < $1 limit 20 for update skip locked)
        """,
        now,
    )
