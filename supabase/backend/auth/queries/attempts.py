"""Statements on auth.attempts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from backend.auth.queries.rate_limits import CLOCKS_DIFFER

if TYPE_CHECKING:
    from backend.core.db import Connection


async def begin(
    connection: Connection, subject: bytes, *, free: int, longest: timedelta, memory: timedelta, now: datetime
) -> datetime | None:
    """Counts a try before it is made; None when it may be made, else the moment from which the next one may.

    Counted first, so that a hundred tries at once are a hundred tries. After `free` of them each one closes the door
    for twice as long as the one before. Each call also clears away two subjects that nobody tries any more.
    """
    row = await connection.fetchrow(
        """
        with stale as (
          delete from auth.attempts
           where subject in (
             select subject from auth.attempts
              where forgotten_at < $5 and subject <> $1 order by forgotten_at limit 2 for update skip locked)),
        counted as (
          insert into auth.attempts as a (subject, tries, open_at, forgotten_at)
          values ($1, 1, $5::timestamptz, $5::timestamptz + $4::interval)
          on conflict (subject) do update
             set tries = case when a.forgotten_at < $5 then 1 else a.tries + 1 end,
                 open_at = case
                   when a.forgotten_at < $5 or a.tries + 1 < $2 then $5
                   else $5 + least($3::interval, interval '1 second' * 2 ^ least(a.tries + 1 - $2, 30)) end,
                 forgotten_at = $5 + $4
           -- A free try closes nothing: of two at the same moment the later may have counted first.
           -- Further ahead than any wait: a clock was wrong.
           where a.tries < $2 or a.open_at <= $5 or a.open_at > $5 + $3 + $6::interval
          returning true)
        select exists (select from counted) as counted,
               (select open_at from auth.attempts where subject = $1) as open_at
        """,
        subject,
        free,
        longest,
        memory,
        now,
        CLOCKS_DIFFER,
    )
    assert row is not None
    if row["counted"]:
        return None
    # Another request may have closed the door since this statement began.
    open_at: datetime = row["open_at"] or now
    return max(open_at, now + timedelta(seconds=1))


async def is_known(connection: Connection, place: bytes, now: datetime) -> bool:
    """Tell whether somebody signed in from this place, by its hash, and it is remembered still."""
    known: bool = await connection.fetchval(
        "select exists (select from auth.known_places where place = $1 and forgotten_at > $2)", place, now
    )
    return known


async def remember(connection: Connection, place: bytes, now: datetime, forgotten_at: datetime) -> None:
    """Remember a place. Each call also clears away two places that are over."""
    await connection.execute(
        """
        with stale as (
          delete from auth.known_places
           where place in (
             select place from auth.known_places
              where forgotten_at < $2 and place <> $1 order by forgotten_at limit 2 for update skip locked))
        insert into auth.known_places (place, forgotten_at) values ($1, $3)
        on conflict (place) do update set forgotten_at = excluded.forgotten_at
         -- Once a day is enough: sign-ins write little.
         where known_places.forgotten_at < excluded.forgotten_at - interval '1 day'
        """,
        place,
        now,
        forgotten_at,
    )


async def forget(connection: Connection, subject: bytes) -> None:
    """The secret was right."""
    await connection.execute("delete from auth.attempts where subject = $1", subject)
