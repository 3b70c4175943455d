"""Statements on auth.audit_log_entries."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.auth.models import AuditEntry

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


# $1 names of the payload, $2 what one of them contains; none for all.
_MATCHING = """
  from auth.audit_log_entries e
 where $2 = '' or exists (select from unnest($1::text[]) as name where e.payload ->> name ilike $2)
"""


async def count(connection: Connection, fields: list[str], pattern: str) -> int:
    total: int = await connection.fetchval(f"select count(*) {_MATCHING}", fields, pattern)
    return total


async def page(connection: Connection, fields: list[str], pattern: str, *, limit: int, offset: int) -> list[AuditEntry]:
    """Newest first."""
    rows = await connection.fetch(
        f"""
        select e.id, coalesce(e.payload, '{{}}') as payload, coalesce(e.created_at, 'epoch') as created_at, e.ip_address
        {_MATCHING}
         order by e.created_at desc, e.id limit $3 offset $4
        """,
        fields,
        pattern,
        limit,
        offset,
    )
    return [AuditEntry(**row) for row in rows]
