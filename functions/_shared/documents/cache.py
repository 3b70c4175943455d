"""The worker's own copies of files that are being read: fetched once a document, not once a page.

A copy may vanish at any time; it is fetched again. Folders that nobody has touched for a while are swept.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from backend.edge import api
from functions._shared.documents.errors import Code, Unreadable

BUCKET = "documents"
# Longer than a page may take, its waiting included.
STALE_S = 6 * 3600


def root(context: api.Context) -> Path:
    """Where the copies lie."""
    return context.data_folder / "documents"


async def file_of(context: api.Context, document: Mapping[str, Any]) -> Path:
    """The document's file. Raises Unreadable (missing_file) and Away, also when the disk is full."""
    copy = root(context) / str(document["id"]) / "file"
    if not await asyncio.to_thread(copy.exists):
        try:
            await _fetch(context, document["storage_path"], copy)
        except OSError as error:
            raise _away(error) from error
    return copy


async def _fetch(context: api.Context, path: str, copy: Path) -> None:
    part = copy.with_name(f"part-{uuid4().hex}")
    await asyncio.to_thread(part.parent.mkdir, parents=True, exist_ok=True)
    try:
        with await asyncio.to_thread(part.open, "xb") as file:
            await save(context.storage_as_service, path, file)
        await asyncio.to_thread(part.rename, copy)
    finally:
        await asyncio.to_thread(part.unlink, missing_ok=True)


async def save(storage: Any, path: str, file: Any) -> None:
    """Writes an object of the bucket into a file. Raises Unreadable (missing_file) and Away."""
    try:
        await storage.save(BUCKET, path, file)
    except api.PlatformError as error:
        if error.status in (400, 403, 404):
            raise Unreadable(Code.MISSING_FILE) from error
        raise api.Away(str(error)) from error


def _away(error: OSError) -> Exception:
    return api.Away("the disk is full") if api.is_disk_full(error) else error


async def folder_for_entries(context: api.Context, document_id: UUID) -> Path:
    """An empty folder beside the copy. Raises Away when the disk is full."""
    folder = root(context) / str(document_id) / "entries"

    def make() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    try:
        await asyncio.to_thread(make)
    except OSError as error:
        raise _away(error) from error
    return folder


async def digest(file: Path) -> str:
    """The SHA-256 of a file, hexadecimal."""

    def read() -> str:
        with file.open("rb") as source:
            return hashlib.file_digest(source, "sha256").hexdigest()

    return await asyncio.to_thread(read)


async def forget(context: api.Context, document_id: UUID) -> None:
    """Removes the copy."""
    await asyncio.to_thread(shutil.rmtree, root(context) / str(document_id), ignore_errors=True)


async def sweep(context: api.Context) -> None:
    """Removes what a killed worker left."""

    def remove() -> None:
        for folder in root(context).glob("*"):
            newest = max((entry.stat().st_atime for entry in [folder, *folder.rglob("*")] if entry.exists()), default=0)
            if time.time() - newest > STALE_S:
                shutil.rmtree(folder, ignore_errors=True)

    await asyncio.to_thread(remove)
