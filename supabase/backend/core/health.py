"""How the installation is doing, for a monitor on this machine: it must say so when everything else is down."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import asyncpg

from backend.core import backup, db, migrate
from backend.core.config import Settings

# As in the report for admins (functions/health_report.py).
WAIT_AT_MOST_S = 300
DISK_FREE_AT_LEAST = 0.1
# The worker looks every hour whether the one of the day is due, and a large one takes its time.
BACKUP_AGE_AT_MOST = backup.EVERY + timedelta(hours=4)
REST_TIMEOUT = aiohttp.ClientTimeout(total=5)
DATABASE_TIMEOUT_S = 15
CLOSE_TIMEOUT_S = 2


async def problems(settings: Settings, product_migrations: Path) -> list[str]:
    """List the problems that a person should look at, one line each; empty when all is well."""
    found = [each async for each in _database(settings, product_migrations)]
    if not await _rest_answers(settings):
        found.append(f"PostgREST does not answer on {settings.postgrest_socket}")
    disk = shutil.disk_usage(settings.home)
    if disk.free / disk.total < DISK_FREE_AT_LEAST:
        found.append(f"{disk.free / disk.total:.0%} of the disk of {settings.home} is free")
    return [*found, *_backups(settings)]


def _backups(settings: Settings) -> Iterator[str]:
    if settings.backups is None:
        return
    kept = backup.find(settings.backups)
    if not kept:
        yield f"there is no backup in {settings.backups}"
    elif (age := datetime.now(UTC) - kept[0].made_at) > BACKUP_AGE_AT_MOST:
        yield f"the newest backup in {settings.backups} is {age // timedelta(hours=1)} hours old"


async def _database(settings: Settings, product_migrations: Path) -> AsyncIterator[str]:
    try:
        async with asyncio.timeout(DATABASE_TIMEOUT_S):
            connection = await db.connect(settings)
            try:
                await db.prepare(connection)
                behind = await migrate.pending(connection, product_migrations)
                facts = await connection.fetchval("select jobs.health()")
            finally:
                await connection.close(timeout=CLOSE_TIMEOUT_S)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        yield f"the database is not usable: {str(error) or type(error).__name__}"
        return
    for migration in behind:
        yield f"the migration {migration.path.name} is not applied"
    waited_s = max(facts["longest_wait_s"], facts["periodic_late_s"])
    if waited_s > WAIT_AT_MOST_S:
        yield f"a job has been due for {waited_s} s: is a worker running?"
    if facts["oldest_mail_s"] > WAIT_AT_MOST_S:
        yield f"{facts['mails_waiting']} mails wait, the oldest for {facts['oldest_mail_s']} s"
    if facts["mails_failed_today"]:
        yield f"{facts['mails_failed_today']} mails were given up today"
    if facts["dead_letters"]:
        yield f"{facts['dead_letters']} jobs were given up: python -m backend jobs dead"


async def _rest_answers(settings: Settings) -> bool:
    connector = aiohttp.UnixConnector(str(settings.postgrest_socket))
    try:
        async with (
            aiohttp.ClientSession(connector=connector, timeout=REST_TIMEOUT) as session,
            session.head("http://postgrest/") as answer,
        ):
            return answer.status < 500
    except (aiohttp.ClientError, OSError):
        return False
