"""Find what a crash left in the storage: blobs without a row, rows without a blob, unfinished uploads.

Runs as a periodic job and as `python -m backend storage sweep`. Nothing young is touched, for an upload under way has
a blob before it has a row, and a blob without a row is set aside for a month before it goes. Nothing at all is touched
in a store that belongs to another database, and no blob when too many seem to have lost their rows: then the database
is the wrong one or an old one. Rows without a blob are only reported: such an object cannot be read (`Object not
found`), and whether to restore its file from a backup or to remove it is a person's decision.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from backend.core import db, installation
from backend.core.resources import Resources
from backend.storage import blobs as stores
from backend.storage import queries, resumable_queries
from backend.storage.backends import Backend
from backend.storage.parts import Parts
from backend.storage.service import SERVICE, drop_superfluous

logger = logging.getLogger("backend.storage.sweep")

JOB = "storage.sweep"
EVERY = timedelta(hours=1)
GRACE = timedelta(hours=24)
# An upload past its day of which something arrived as lately may still be under way.
UNDER_WAY = timedelta(hours=1)
PIECE = 500
SET_ASIDE_FOR = timedelta(days=30)
# More orphans than both are no crash's remains.
MOST_ORPHANS = 100
MOST_ORPHANED_SHARE = 0.05
# As many missing files are named in the report.
NAMED = 20


class Refused(Exception):
    """The store and the database do not seem to belong together; the message says what to do."""


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
            f"{self.orphans} files without an object set aside",
            f"{self.expired_uploads} unfinished uploads dropped",
            f"{len(self.missing)} objects without their file" + "".join(f"\n  {name}" for name in self.missing[:NAMED]),
        ]


async def run(resources: Resources, _payload: dict[str, Any]) -> None:
    """Sweep the store once; log a refusal and lost files."""
    async with stores.opened(resources.settings) as store:
        try:
            report = await sweep(resources, store)
        except Refused as refusal:
            # Trying again changes nothing: a person must look.
            logger.error("storage is not swept", extra={"reason": str(refusal)})
            return
    if report.missing:
        found = {"count": len(report.missing), "objects": report.missing[:NAMED]}
        logger.error("objects have lost their files", extra=found)


async def sweep(resources: Resources, store: Backend, *, everything: bool = False) -> Report:
    """One round; bears being interrupted and repeated. `everything`: however many orphans there are. Raises Refused."""
    await _require_own(resources, store)
    report = Report()
    await _drop_superfluous(resources, store, report)
    await _drop_expired_uploads(resources, report)
    known = {stored.version: stored.modified_at async for stored in store.all()}
    await _set_orphans_aside(resources, store, known, report, everything=everything)
    await _find_missing(resources, known, report)
    logger.info(
        "storage swept",
        extra={"superfluous": report.superfluous, "orphans": report.orphans, "expired": report.expired_uploads},
    )
    return report


async def adopt(resources: Resources, store: Backend) -> None:
    """Make the store belong to this database, whoever owned it before."""
    async with db.connection(resources.pool) as connection:
        await store.belong_to(await installation.installation_id(connection))


async def _require_own(resources: Resources, store: Backend) -> None:
    """Adopt a store without an owner if at least half of its files are ours; refuse any other store."""
    async with db.connection(resources.pool) as connection:
        ours = await installation.installation_id(connection)
    if (owner := await store.owner()) == ours:
        return
    if owner is None:
        files = [stored.version async for stored in store.all()]
        if 2 * len(await _orphans(resources, files)) <= len(files):
            await store.belong_to(ours)
            return
    raise Refused(
        f"the files belong to {f'installation {owner}' if owner else 'an unknown database'}, this database is {ours}: "
        "set the right DATABASE_URL and SOCIO_HOME, or run 'storage adopt' if they do belong together"
    )


async def _drop_superfluous(resources: Resources, store: Backend, report: Report) -> None:
    while True:
        versions = await drop_superfluous(resources, store, None, PIECE)
        report.superfluous += len(versions)
        if len(versions) < PIECE:
            return


async def _drop_expired_uploads(resources: Resources, report: Report) -> None:
    parts, now = Parts(resources.settings), resources.now()
    under_way = parts.written_since(now - UNDER_WAY)
    while True:
        async with db.as_claims(resources.pool, SERVICE) as connection:
            expired = await resumable_queries.delete_expired(connection, now, under_way, PIECE)
        for upload_id in expired:
            parts.drop(upload_id)
        report.expired_uploads += len(expired)
        if len(expired) < PIECE:
            break
    parts.drop_older_than(now - GRACE)


async def _set_orphans_aside(
    resources: Resources, store: Backend, known: dict[str, datetime], report: Report, *, everything: bool
) -> None:
    now = resources.now()
    orphans = await _orphans(resources, [version for version, moment in known.items() if moment < now - GRACE])
    if not everything and len(orphans) > max(MOST_ORPHANS, MOST_ORPHANED_SHARE * len(known)):
        raise Refused(
            f"{len(orphans)} of {len(known)} files have no object: the database is an old one or has lost rows; "
            "restore it, or run 'storage sweep --all' if these files may go"
        )
    await store.set_aside(orphans)
    report.orphans = len(orphans)
    await store.drop_set_aside(now - SET_ASIDE_FOR)


async def _orphans(resources: Resources, versions: Sequence[str]) -> list[str]:
    found: list[str] = []
    for piece in _pieces(versions):
        async with db.as_claims(resources.pool, SERVICE) as connection:
            named = await queries.named_versions(connection, piece)
        found += [version for version in piece if version not in named]
    return found


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
