"""Bring an archive of a person's data into their account.

The rows come in one transaction, so that they are all there or none; files follow one by one. A run that dies goes on:
with all rows again, or with the files that are missing. Nothing is deleted or overwritten but the archive, at the end.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import personal_restore
from functions._shared.personal_restore import DAMAGED, USED, NewIds, Opened, Shape, Unusable

TIMEOUT_S = 6 * 3600.0
BUCKET = "imports"
# A row or a file at a time would write more progress than data.
FILES_A_STEP = 20
GAVE_UP = "L’importazione si è fermata più volte: riprova, e se succede ancora scrivici"
# What the values of an archive that is not as we wrote it may raise.
REFUSED = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Do nothing when the import has ended. Raises Away while the storage cannot be reached."""
    import_id = UUID(payload["import_id"])
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            "update public.data_imports set state = 'in_corso' where id = $1 and finished_at is null returning *",
            import_id,
        )
    if row is None:
        return
    try:
        with tempfile.TemporaryDirectory(prefix="socio-import-") as folder:
            await _bring_in(context, dict(row), Path(folder))
    except Unusable as reason:
        await _end(context, import_id, str(reason))
    else:
        await _end(context, import_id)
    await context.storage_as_service.remove(BUCKET, [row["storage_path"]])


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Say so: another attempt is the person's."""
    await _end(context, UUID(payload["import_id"]), GAVE_UP)


async def _bring_in(context: api.Context, row: dict[str, Any], folder: Path) -> None:
    copy = folder / "archive.zip"
    with copy.open("wb") as into:
        try:
            await context.storage_as_service.save(BUCKET, row["storage_path"], into)
        except api.PlatformError as error:
            if error.status in (400, 404):
                raise Unusable("Il file non è arrivato: caricalo di nuovo") from error
            raise api.Away(str(error)) from error
    found = await asyncio.to_thread(personal_restore.opened, copy, folder)
    ids = NewIds(found.owner, row["user_id"], found.ids)
    await _note(context, row["id"], rows=found.rows, files=len(found.files))
    if row["restored_at"] is None:
        await _restore(context, row["id"], found, ids)
    await _files(context, row["id"], found, ids)


async def _restore(context: api.Context, import_id: UUID, found: Opened, ids: NewIds) -> None:
    """Write all rows in one transaction."""
    done = 0
    async with context.as_service() as connection:
        if not await connection.fetchval("select private.lock_unused($1)", ids.new_owner):
            raise Unusable(USED)
        shapes = {
            row["name"]: Shape(frozenset(row["ids"]), tuple(row["own_ids"]), frozenset(row["needs"]))
            for row in await connection.fetch("select * from private.table_shapes($1)", list(personal_restore.PLACES))
        }
        try:
            for table in personal_restore.in_order(shapes):
                shape = shapes[table]
                await connection.execute("select private.make_way($1, $2)", ids.new_owner, table)

                def convert(row: dict[str, Any], table: str = table, shape: Shape = shape) -> dict[str, Any]:
                    return personal_restore.converted(table, row, shape, ids, context.now())

                batches = found.batches(table, shape, convert)
                while (batch := await asyncio.to_thread(next, batches, None)) is not None:
                    written = await asyncio.to_thread(json.dumps, batch)
                    await connection.execute(
                        "select private.restore_rows($1, $2, $3::text::jsonb)", ids.new_owner, table, written
                    )
                    done += len(batch)
                    await _note(context, import_id, rows_done=done)
        except REFUSED as error:
            # The name of a rule is no content.
            rule = getattr(error, "constraint_name", None) or type(error).__name__
            context.log.warning("an archive was refused", extra={"table": table, "rule": rule})
            raise Unusable(DAMAGED) from error
        await connection.execute("update public.data_imports set restored_at = now() where id = $1", import_id)


async def _files(context: api.Context, import_id: UUID, found: Opened, ids: NewIds) -> None:
    """Store the files where the rows look for them; one that is there already is written again."""
    storage = context.storage_of(ids.new_owner)
    lost = 0
    for done, stored in enumerate(found.files, 1):
        name = ids.place(stored)
        if name is None:
            lost += 1
        else:
            try:
                content = await asyncio.to_thread(found.unpack, stored)
                await storage.upload(stored.bucket, name, content, stored.mime, upsert=True)
            except api.PlatformError as error:
                if error.status in (0, 429) or error.status >= 500:
                    raise api.Away(str(error)) from error
                if error.code == "QuotaExceeded":
                    await _note(context, import_id, files_done=done - 1, files_lost=lost + len(found.files) - done + 1)
                    return
                lost += 1
            except Unusable:
                lost += 1
        if done % FILES_A_STEP == 0 or done == len(found.files):
            await _note(context, import_id, files_done=done - lost, files_lost=lost)


async def _note(context: api.Context, import_id: UUID, **progress: int) -> None:
    """Show how far it is, outside the transaction of the rows."""
    columns = ", ".join(f"{name} = ${place}" for place, name in enumerate(progress, 2))
    async with context.as_service() as connection:
        await connection.execute(
            f"update public.data_imports set {columns} where id = $1",  # noqa: S608 - names of this file
            import_id,
            *progress.values(),
        )


async def _end(context: api.Context, import_id: UUID, error: str | None = None) -> None:
    async with context.as_service() as connection:
        await connection.execute(
            """
            update public.data_imports
            set state = case when $2::text is null then 'fatto' else 'fallito' end::public.data_import_state,
              error = $2, finished_at = now()
            where id = $1 and finished_at is null
            """,
            import_id,
            error,
        )
