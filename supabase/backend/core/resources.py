"""What a running process holds open, built once and handed to every service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import aiohttp

from backend.core import db, jwt, tracing
from backend.core.background import Background
from backend.core.config import Settings
from backend.core.files import OpenFiles
from backend.core.job_times import JobTimes

OUTWARD_TIMEOUT = aiohttp.ClientTimeout(total=30, connect=5, sock_read=20)


def utc_now() -> datetime:
    """The clock; tests pass another one."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Resources:
    """Hold settings, database, keys, clock (aware, UTC), the client for outward calls, and work after the answer.

    `tracer` records spans where the settings name an address for them. `files` is there where jobs run.
    """

    settings: Settings
    pool: db.Pool
    keys: jwt.KeyRing
    now: Callable[[], datetime]
    http: aiohttp.ClientSession
    background: Background
    tracer: tracing.Tracer | None = None
    job_times: JobTimes = field(default_factory=JobTimes)
    files: OpenFiles | None = None


@asynccontextmanager
async def open_all(
    settings: Settings, now: Callable[[], datetime] = utc_now, *, role: str = "server"
) -> AsyncIterator[Resources]:
    """Open everything and close it in the end; does not wait for the database to be there.

    `role` names this process in traces.
    """
    keys = jwt.load(settings.home, settings.own_keys)
    async with (
        tracing.opened(settings, keys, role) as tracer,
        db.create_pool(settings, None if tracer is None else tracer.statement) as pool,
        aiohttp.ClientSession(timeout=OUTWARD_TIMEOUT, trust_env=True) as http,
        # The last to open and so the first to end: what it writes in its end needs the others.
        Background() as background,
    ):
        yield Resources(settings, pool, keys, now, http, background, tracer)
