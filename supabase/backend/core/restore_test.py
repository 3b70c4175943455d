"""The restore test: a backup is worth what a restore of it has shown.

A backup is restored into a scratch database beside ours, what is there is compared with what was saved, and the caller
may look further before the database is dropped. Nothing is served from it and no job runs in it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from backend.core import db, migrate
from backend.core.backup import BLOBS, FILES, Backup, BackupError, alone, count_rows, load
from backend.core.config import Settings

# Of the scratch database, after the name of ours.
SUFFIX = "_restore_test"


@dataclass(frozen=True)
class Restored:
    """A backup in a scratch database, and what differs from what was saved."""

    connection: asyncpg.Connection[asyncpg.Record]
    # Rows of all tables, and of each table with another number: as saved, and as restored.
    rows: int
    differing: Mapping[str, tuple[int, int]]
    # None: the files are in a bucket, which is backed up by its own means.
    files: int | None
    missing_files: int


@asynccontextmanager
async def restored(settings: Settings, backup: Backup) -> AsyncIterator[Restored]:
    """Restore a backup into a scratch database of our own server, which is dropped at the end.

    What a test that was killed left there is dropped first. Raises BackupBusy, and BackupError: the login may make no
    database, or the backup cannot be restored.
    """
    async with alone(settings) as owner:
        name = f"{await owner.fetchval('select current_database()')}{SUFFIX}"
        await owner.execute(f'drop database if exists "{name}" with (force)')
        try:
            await owner.execute(f'create database "{name}" template template0')
        except asyncpg.InsufficientPrivilegeError:
            raise BackupError("the login of DATABASE_URL may not make a database: alter role … createdb") from None
        try:
            parts = urlsplit(settings.database_url)
            scratch = replace(settings, database_url=urlunsplit(parts._replace(path=f"/{name}")))
            await load(scratch, backup.folder)
            connection = await db.connect(scratch)
            try:
                yield await _compare(connection, backup)
            finally:
                await connection.close()
        finally:
            await owner.execute(f'drop database "{name}" with (force)')


async def _compare(connection: asyncpg.Connection[asyncpg.Record], backup: Backup) -> Restored:
    """Count what was restored, then let the platform say who owns what, as after a restore in earnest."""
    there, saved = await count_rows(connection), backup.manifest.get("rows", {})
    differing = {
        name: (saved.get(name, 0), there.get(name, 0))
        for name in sorted(saved.keys() | there.keys())
        if saved and saved.get(name) != there.get(name)
    }
    has_files = "files" in backup.manifest
    known = await connection.fetch("select version, size from storage.objects where version is not null")
    files = {path.name: path.stat().st_size for path in (backup.folder / FILES).glob(BLOBS)}
    missing = [row for row in known if files.get(row["version"]) != row["size"]]
    await connection.execute("delete from platform.migrations")
    await migrate.platform(connection)
    return Restored(
        connection,
        sum(there.values()),
        differing,
        len(known) if has_files else None,
        len(missing) if has_files else 0,
    )
