"""Finds what a crash left behind: blobs without a row, rows without their blob, uploads that nobody finished.

Runs as a periodic job and as `python -m backend storage sweep`. Nothing young is touched, for an upload under way has
a blob before it has a row. Rows without a blob are only reported: such an object cannot be read (`Object not found`),
and whether to restore its file from a backup or to remove it is a person's decision.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from backend.core import db
from backend.core.resources import Resources
from backend.storage import blobs as stores
from backend.storage import queries, resumable_queries
from backend.storage.backends import Backend
from backend.storage.parts import Parts
from backend.storage.service import SERVICE

logger = logging.getLogger("backend.storage.sweep")

JOB = "storage.sweep"
EVERY = timedelta(hours=1)
GRACE = timedelta(hours=24)
PIECE = 500
# As many missing files are named in the report.
NAMED = 20


@dataclass
class Report:
    """What a sweep found; everything but `missing` has been put right."""

    superfluous: int = 0
    orphans: int = 0
    expired_uploads: int = 0
    missing: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For a person."""
        return [
            f"{self.superfluous} files of replaced or removed objects dropped",
            f"{self.orphans} files without an object dropped",
            f"{self.expired_uploads} unfinished uploads dropped",
            f"{len(self.missing)} objects without their file" + "".join(f"\n  {name}" for name in self.missing[:NAMED]),
        ]


async def run(resources: Resources, _payload: dict[str, Any]) -> None:
    """The job's handler."""
    async with stores.opened(resources.settings) as store:
        report = await sweep(resources, store)
    if report.missing:
        found = {"count": len(report.missing), "objects": report.missing[:NAMED]}
        logger.error("objects have lost their files", extra=found)


async def sweep(resources: Resources, store: Backend) -> Report:
    """One round; bears being interrupted and repeated."""
    report = Report()
    await _drop_superfluous(resources, store, report)
    await _drop_expired_uploads(resources, report)
    known = {stored.version: stored.modified_at async for stored in store.all()}
    await _drop_orphans(resources, store, known, report)
    await _find_missing(resources, known, report)
    logger.info(
        "storage swept",
        extra={"superfluous": report.superfluous, "orphans": report.orphans, "expired": report.expired_uploads},
    )
    return report


async def _drop_superfluous(resources: Resources, store: Backend, report: Report) -> None:
    while True:
        async with db.as_claims(resources.pool, SERVICE) as connection:
            versions = await queries.superfluous(connection, None, PIECE)
            await store.delete(versions)
            await queries.forget_superfluous(connection, versions)
        report.superfluous += len(versions)
        if len(versions) < PIECE:
            return


async def _drop_expired_uploads(resources: Resources, report: Report) -> None:
    parts, now = Parts(resources.settings), resources.now()
    while True:
        async with db.as_claims(resources.pool, SERVICE) as connection:
            expired = await resumable_queries.delete_expired(connection, now, PIECE)
        for upload_id in expired:
            parts.drop(upload_id)
        report.expired_uploads += len(expired)
        if len(expired) < PIECE:
            break
    parts.drop_older_than(now - GRACE)


async def _drop_orphans(resources: Resources, store: Backend, known: dict[str, datetime], report: Report) -> None:
    limit = resources.now() - GRACE
    old = [version for version, modified_at in known.items() if modified_at < limit]
    for piece in _pieces(old):
        async with db.as_claims(resources.pool, SERVICE) as connection:
            named = await queries.named_versions(connection, piece)
        orphans = [version for version in piece if version not in named]
        await store.delete(orphans)
        report.orphans += len(orphans)


async def _find_missing(resources: Resources, known: dict[str, datetime], report: Report) -> None:
    async for page in _objects(resources):
        lost = [(object_id, name) for object_id, name, version in page if version not in known]
        if not lost:
            continue
        # Asked again: what was replaced or removed since the files were listed is not lost.
        async with db.as_claims(resources.pool, SERVICE) as connection:
            there = await queries.versions_of(connection, [object_id for object_id, _ in lost])
        before = {object_id: version for object_id, _, version in page}
        report.missing += [name for object_id, name in lost if there.get(object_id) == before[object_id]]


async def _objects(resources: Resources) -> AsyncIterator[list[tuple[UUID, str, str]]]:
    """Id, path and version of every object that is older than the sweep, page by page."""
    started, after = resources.now(), UUID(int=0)
    while True:
        async with db.as_claims(resources.pool, SERVICE) as connection:
            page = await queries.objects_after(connection, after, started - GRACE, PIECE)
        if not page:
            return
        yield page
        after = page[-1][0]


def _pieces(items: Sequence[str]) -> list[Sequence[str]]:
    return [items[start : start + PIECE] for start in range(0, len(items), PIECE)]
