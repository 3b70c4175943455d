"""What a running process holds open, built once and handed to every service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import aiohttp

from backend.core import db, jwt
from backend.core.background import Background
from backend.core.config import Settings

if TYPE_CHECKING:
    import asyncpg

OUTWARD_TIMEOUT = aiohttp.ClientTimeout(total=30, connect=5, sock_read=20)


def utc_now() -> datetime:
    """The clock; tests pass another one."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Resources:
    """Hold settings, database, keys, clock (aware, UTC), the client for outward calls, and work after the answer."""

    settings: Settings
    pool: asyncpg.Pool
    keys: jwt.KeyRing
    now: Callable[[], datetime]
    http: aiohttp.ClientSession
    background: Background


@asynccontextmanager
async def open_all(settings: Settings, now: Callable[[], datetime] = utc_now) -> AsyncIterator[Resources]:
    """Opens everything and closes it in the end; does not wait for the database to be there."""
    async with (
        db.create_pool(settings) as pool,
        aiohttp.ClientSession(timeout=OUTWARD_TIMEOUT, trust_env=True) as http,
        # The last to open and so the first to end: what it writes in its end needs the others.
        Background() as background,
    ):
        yield Resources(settings, pool, jwt.load(settings.home, settings.own_keys), now, http, background)
