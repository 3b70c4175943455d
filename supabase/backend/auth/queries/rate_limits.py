"""The statement on auth.rate_limits."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.core.db import Connection


# By how much the clocks of two servers may differ.
CLOCKS_DIFFER = timedelta(minutes=1)


async def take(
    connection: Connection, bucket: bytes, *, cost: timedelta, window: timedelta, period: timedelta, now: datetime
) -> datetime | None:
    """Takes one token; None when there was one, else the moment from which there is.

    The bucket is the moment at which it will be full (the generic cell rate algorithm, ITU-T I.371): each token puts
    it off by `cost`, and it may lie at most `window` ahead. One that lies further ahead than the whole `period` comes
    from a clock that was wrong, and would refuse all for as long as that was ahead: it begins anew, with this the last
    token. Each call also clears away two buckets that are full.
    """
    row = await connection.fetchrow(
        """
        with stale as (
          delete from auth.rate_limits
           where bucket in (
             select bucket from auth.rate_limits
              where full_at < $4 and bucket <> $1 order by full_at limit 2 for update skip locked)),
        taken as (
          insert into auth.rate_limits as b (bucket, full_at) values ($1, $4::timestamptz + $2::interval)
          on conflict (bucket) do update set full_at = least(greatest(b.full_at, $4) + $2, $4 + $5)
           where greatest(b.full_at, $4) + $2 <= $4 + $3::interval or b.full_at > $4 + $5::interval + $6::interval
          returning true)
        select exists (select from taken) as taken, (select full_at from auth.rate_limits where bucket = $1) as full_at
        """,
        bucket,
        cost,
        window,
        now,
        period,
        CLOCKS_DIFFER,
    )
    assert row is not None
    if row["taken"]:
        return None
    # Another request may have used the bucket since this statement began: then it is at least this full.
    full_at: datetime = row["full_at"] or now + window
    return full_at + cost - window


async def is_empty(
    connection: Connection, bucket: bytes, *, cost: timedelta, window: timedelta, period: timedelta, now: datetime
) -> bool:
    """Whether a token would be refused now; takes none."""
    empty: bool = await connection.fetchval(
        """
        select exists (
          select from auth.rate_limits where bucket = $1 and full_at + $2::interval > $4::timestamptz + $3::interval
             and full_at <= $4 + $5::interval + $6::interval)
        """,
        bucket,
        cost,
        window,
        now,
        period,
        CLOCKS_DIFFER,
    )
    return empty
