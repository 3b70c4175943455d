"""What each rule of `public.retention_rules` erases, in sweeps that answer how many after each batch.

Times are compared with the database's clock, which wrote them; those of the waiting list with the clock of the job.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from backend.edge import api
from functions._shared import batches, personal_archive
from functions._shared.documents import cache, care

Sweep = Callable[[api.Context], AsyncIterator[int]]

TRASH_DAYS = 30
TRASH_TABLES = ("contacts", "deals", "drafts", "notes", "projects", "tasks")
# As long as public.undo_merge() takes a merge back.
MERGE_DAYS = 30
AVATARS = "avatars"
EXPORTS = "exports"
# Longer than any archive takes.
EXPORT_FOLDER_KEPT_S = 24 * 3600
IMPORTS = "imports"
# Bound what strangers can fill the disk with between two runs.
KEPT_ROWS = {"analytics_events": 2_000_000, "error_logs": 20_000}
UNCONFIRMED_KEPT = timedelta(days=7)
CONFIRMED_KEPT_MONTHS = 24
REQUESTS_KEPT = timedelta(hours=1)
LEFT_KEPT = timedelta(days=7)

# The fact of a deleted insight is computed again; if it still holds, it becomes a new insight.
OLD_INSIGHTS = """
with gone as (
  delete from public.insights
  where id in (select id from public.insights where created_at < now() - interval '30 days' limit $1)
  returning user_id
), marked as (
  insert into private.insight_marks (user_id) select distinct user_id from gone
)
select count(*) from gone
"""


def _statement(text: str) -> Sweep:
    return lambda context: batches.each(context, text)


def _rows(table: str, condition: str) -> Sweep:
    return _statement(
        f"""
        with gone as (
          delete from public.{table} where id in (select id from public.{table} where {condition} limit $1)
          returning id
        )
        select count(*) from gone
        """  # noqa: S608 - constants and a number
    )


async def _documents(context: api.Context) -> AsyncIterator[int]:
    """Erase old documents of the trash: the file before its row, so that no file stays without a row."""
    found = batches.BATCH
    while found:
        async with context.as_service() as connection:
            rows = await care.long_in_the_trash(connection, TRASH_DAYS, batches.BATCH)
        if rows:
            await context.storage_as_service.remove(cache.BUCKET, [row["storage_path"] for row in rows])
            async with context.as_service() as connection:
                await care.erase(connection, [row["id"] for row in rows])
        found = len(rows)
        yield found


def _strays(bucket: str) -> Sweep:
    """Remove files that no row names."""

    async def sweep(context: api.Context) -> AsyncIterator[int]:
        found = batches.BATCH
        while found:
            async with context.as_service() as connection:
                paths = await care.strays(connection, bucket, batches.BATCH)
            if paths:
                await context.storage_as_service.remove(bucket, paths)
            found = len(paths)
            yield found

    return sweep


def _too_many(table: str) -> Sweep:
    """Delete the oldest rows beyond a number."""

    async def sweep(context: api.Context) -> AsyncIterator[int]:
        async with context.as_service() as connection:
            border = await connection.fetchval(
                f"select id from public.{table} order by id desc offset $1 limit 1",  # noqa: S608 - constants
                KEPT_ROWS[table],
            )
        if border is not None:
            async for done in _rows(table, f"id <= {border}")(context):
                yield done

    return sweep


async def _networks(context: api.Context) -> AsyncIterator[int]:
    """Delete the counters of past days; they are no rows of anybody, so they do not count."""
    async with context.as_service() as connection:
        await connection.execute("delete from private.telemetry_networks where day < current_date")
    yield 0


async def _exports(context: api.Context) -> AsyncIterator[int]:
    """Remove the archives whose week is over, and those that are replaced or cancelled."""
    await context.call("private.expire_exports", context.now())
    found = batches.BATCH
    while found:
        async with context.as_service() as connection:
            rows = await connection.fetch("select private.superfluous_exports($1) as name", batches.BATCH)
        if rows:
            await context.storage_as_service.remove(EXPORTS, [row["name"] for row in rows])
        found = len(rows)
        yield found


async def _export_folders(context: api.Context) -> AsyncIterator[int]:
    """Remove what archives left that were killed while they were made; these are no rows, so they do not count."""
    await asyncio.to_thread(_drop_old_folders, personal_archive.root(context))
    yield 0


def _drop_old_folders(root: Path) -> None:
    for folder in root.iterdir() if root.exists() else ():
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime < time.time() - EXPORT_FOLDER_KEPT_S:
                shutil.rmtree(folder, ignore_errors=True)


async def _waiting_list(context: api.Context) -> AsyncIterator[int]:
    """Delete expired addresses, counters and tokens of people who left; count the addresses."""
    async with context.as_service() as connection:
        erased = await connection.fetchval(
            """
            with gone as (
              delete from public.waiting_list
              where (confirmed_at is null and mailed_at < $1)
                 or confirmed_at < $2::timestamptz - make_interval(months => $3)
              returning 1
            )
            select count(*) from gone
            """,
            context.now() - UNCONFIRMED_KEPT,
            context.now(),
            CONFIRMED_KEPT_MONTHS,
        )
        await connection.execute(
            "delete from private.waiting_list_requests where requested_at < $1", context.now() - REQUESTS_KEPT
        )
        await connection.execute("delete from private.waiting_list_left where left_at < $1", context.now() - LEFT_KEPT)
    yield erased


# Each sweep of a rule is run even if another fails.
SWEEPS: dict[str, tuple[Sweep, ...]] = {
    "temporary_conversations": (
        _rows("conversations", "is_temporary and last_message_at < now() - interval '1 hour'"),
    ),
    "trash": tuple(_rows(table, f"deleted_at < now() - interval '{TRASH_DAYS} days'") for table in TRASH_TABLES),
    "documents": (_documents, _strays(cache.BUCKET), _strays(AVATARS), _strays(IMPORTS)),
    "billing": (_statement("select private.forget_accounting($1)"),),
    "certificates": (_statement("select private.forget_certificates($1)"),),
    "client_requests": (_statement("select private.forget_contact_requests($1)"),),
    "merges": (_statement(f"select private.forget_merges({MERGE_DAYS}, $1)"),),
    "goals": (_statement("select private.forget_goals($1)"),),
    "ethical_logs": (_statement("select private.forget_ethics($1)"),),
    "insights": (_statement(OLD_INSIGHTS),),
    "mails": (_statement("select private.forget_mails($1)"),),
    "shared_mails": (_statement("select private.forget_shared_mails($1)"),),
    "whatsapp_deliveries": (_statement("select private.forget_whatsapp_deliveries($1)"),),
    "notifications": (
        _rows("notifications", "is_read and coalesce(read_at, created_at) < now() - interval '12 months'"),
    ),
    "deleted_notifications": (_statement("select private.forget_deleted_notifications($1)"),),
    "deliveries": (_statement("select private.forget_deliveries($1)"),),
    "events": (
        _networks,
        _rows("analytics_events", "created_at < now() - interval '24 months'"),
        _too_many("analytics_events"),
    ),
    "errors": (_rows("error_logs", "created_at < now() - interval '90 days'"), _too_many("error_logs")),
    "waiting_list": (_waiting_list,),
    "payment_events": (_statement("select private.forget_payment_events($1)"),),
    "exports": (_exports, _export_folders),
    "runs": (_statement("select private.forget_retention_runs($1)"),),
    "qa_runs": (_statement("select private.forget_qa_runs($1)"),),
}
