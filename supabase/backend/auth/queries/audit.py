"""The statement on auth.audit_log_entries."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from backend.core.db import Connection


async def insert(connection: Connection, *, entry_id: UUID, payload: dict[str, Any], ip: str, now: datetime) -> None:
    await connection.execute(
        """
        insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4)
        """,
        entry_id,
        payload,
        now,
        ip,
    )
