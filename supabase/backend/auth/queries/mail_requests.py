"""Statements on auth.mail_requests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.core.db import Connection


async def note(
    connection: Connection, address_hash: bytes, purpose: str, now: datetime, not_since: datetime
) -> datetime | None:
    """Notes a request for mail; None if it may go out, else when the last one was made.

    Two requests for one address wait for each other here. Each call also clears away two rows that no longer matter.
    """
    noted = await connection.fetchval(
        """
        with stale as (
          delete from auth.mail_requests
           where (address_hash, purpose) in (
             select address_hash, purpose from auth.mail_requests
              where requested_at < $3::timestamptz - interval '1 day'
              order by requested_at limit 2 for update skip locked)
             and (address_hash, purpose) <> ($1, $2))
        insert into auth.mail_requests as earlier (address_hash, purpose, requested_at) values ($1, $2, $3)
        on conflict (address_hash, purpose) do update
           set requested_at = excluded.requested_at where earlier.requested_at <= $4
        returning true
        """,
        address_hash,
        purpose,
        now,
        not_since,
    )
    if noted:
        return None
    last: datetime = await connection.fetchval(
        "select requested_at from auth.mail_requests where address_hash = $1 and purpose = $2", address_hash, purpose
    )
    return last


async def is_noted(connection: Connection, address_hash: bytes, purposes: Sequence[str], since: datetime) -> bool:
    """Tell whether a mail for one of these purposes was asked for after a moment."""
    noted: bool = await connection.fetchval(
        """
        select exists (select from auth.mail_requests
                        where address_hash = $1 and purpose = any($2::text[]) and requested_at > $3)
        """,
        address_hash,
        purposes,
        since,
    )
    return noted
