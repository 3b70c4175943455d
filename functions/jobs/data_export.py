"""Make the archive of a person's data and put it into the bucket `exports`, where its owner downloads it for a week.

The tables are read to disk, as of one moment, while the ZIP with the files goes into the store of files. So it needs no
second copy and little memory, and no byte goes over HTTP. The storage keeps whole files only. A process
that dies leaves nothing but its folder, and the next attempt begins again. A full disk ends it at once: its owner is
asked to try again later.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from backend.edge import api
from functions._shared import archives, batches, personal_archive

# Gigabytes over a slow line to a store elsewhere.
TIMEOUT_S = 6 * 3600.0
BUCKET = "exports"
NOTE_EVERY_S = 1.0
# Most of an archive is packed already; level 6 takes three times as long and saves a tenth.
LEVEL = 1


class Unwanted(Exception):
    """The archive was cancelled, or its account is gone."""


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Make one archive, unless it is over. Raises Away while the storage cannot be reached."""
    export = await context.call("private.start_export", payload["export_id"])
    if export is None or export["id"] is None:
        return
    folder = personal_archive.root(context) / str(export["id"])
    # What an attempt left that was killed.
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    try:
        await asyncio.to_thread(folder.mkdir, parents=True, mode=0o700)
        await _make(context, export, folder)
    except Unwanted:
        context.log.info("export not wanted any more", extra={"export": str(export["id"])})
    except OSError as error:
        if not api.is_disk_full(error):
            raise
        context.log.error("no space for an export", extra={"export": str(export["id"]), "reason": str(error)})
        await context.call("private.fail_export", export["id"], True)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    await _remove_others(context, export["user_id"])


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Tell the owner that it did not work."""
    await context.call("private.fail_export", payload["export_id"])


async def _make(context: api.Context, export: Any, folder: Path) -> None:
    """Store the archive and note that it is there. Raises Unwanted, Away, and OSError for a full disk."""
    wish = personal_archive.Wish(export["domains"], export["with_files"])
    archive = archives.Archive(LEVEL)
    async with context.files() as store, personal_archive.reading(context, export["user_id"], wish, folder) as content:
        await context.require_space(content.total_bytes())
        async with aclosing(_noted(context, store, export, archive, content)) as pieces:
            written = await store.write(BUCKET, f"{export['user_id']}/{export['id']}.zip", "application/zip", pieces)
    finished = ("private.finish_export", export["id"], written.size_bytes, written.sha256, context.now())
    if not await context.call(*finished):
        raise Unwanted


async def _noted(
    context: api.Context, store: api.Files, export: Any, archive: archives.Archive, content: personal_archive.Content
) -> AsyncGenerator[bytes, None]:
    """Yield the archive; write into its row every second how much is done. Raises Unwanted."""
    percent, noted_s = 0, 0.0
    async with aclosing(personal_archive.pieces(context, store, archive, content)) as pieces:
        async for piece in pieces:
            yield piece
            if time.monotonic() - noted_s > NOTE_EVERY_S:
                noted_s = time.monotonic()
                # Tables are still being read: there is more to do than was known before.
                done = 100 * archive.read_bytes // max(1, content.total_bytes())
                percent = max(percent, min(99, done))
                if not await context.call("private.note_export_progress", export["id"], percent):
                    raise Unwanted


async def _remove_others(context: api.Context, user_id: Any) -> None:
    """Remove the files of this person's archives that are replaced or cancelled."""
    async with context.as_service() as connection:
        rows = await connection.fetch("select private.superfluous_exports($1, $2) as name", batches.BATCH, user_id)
    if rows:
        await context.storage_as_service.remove(BUCKET, [row["name"] for row in rows])
