"""Opens a document: fetches it once, sees what it is, unpacks what is in it, and lays a row for each page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from backend.edge import api
from functions._shared.documents import cache, limits, queries, reading
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.formats import Format
from functions._shared.documents.reading import Inspected, Packed

# These have others packed in them.
CONTAINERS = frozenset({Format.ZIP, Format.EML, Format.P7M, Format.XML})


@dataclass(frozen=True)
class Child:
    """A file out of this one, stored as a document of its own."""

    path: str
    filename: str
    size_bytes: int
    mime: str


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Bears being repeated: children are known by their path, pages by their number."""
    async with context.as_service() as connection:
        document = await queries.begin(connection, payload["document_id"], "lettura")
    if document is None:
        return
    try:
        found, sha256, children = await _opened(context, document)
    except Unreadable as reason:
        async with context.as_service() as connection:
            await queries.fail(connection, document, reason)
        await cache.forget(context, document["id"])
        return
    async with context.as_service() as connection:
        if await queries.begin(connection, payload["document_id"], "lettura") is None:
            return
        await queries.opened(connection, document, found, sha256)
        for child in children:
            about = (child.path, child.filename, child.size_bytes, child.mime)
            await queries.register(connection, document["user_id"], *about, parent_id=document["id"])
        await queries.enqueue_next(connection, document)


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Whatever it was, it was not only the file."""
    await queries.fail_by_id(context, payload["document_id"], Code.GAVE_UP)


async def _opened(context: api.Context, document: queries.Row) -> tuple[Inspected, str, list[Child]]:
    file = await cache.file_of(context, document)
    size_bytes = file.stat().st_size
    if size_bytes == 0:
        raise Unreadable(Code.EMPTY)
    if size_bytes > limits.MAX_BYTES:
        raise Unreadable(Code.TOO_LARGE)
    found = await reading.inspected(file, document["filename"])
    children: list[Child] = []
    if found.format in CONTAINERS:
        async with context.as_service() as connection:
            depth = await queries.depth(connection, document["id"])
        if depth < limits.MAX_DEPTH:
            children = await _children(context, document, file, found.format)
        elif found.format is Format.ZIP:
            raise Unreadable(Code.BOMB)
    return found, await cache.digest(file), children


async def _children(context: api.Context, document: queries.Row, file: Path, kind: Format) -> list[Child]:
    """Store what is packed in it beside it, as files of the same person; what is none of ours stays in the original.

    Their bytes are counted before the first is stored. Raises Unreadable.
    """
    into = await cache.folder_for_entries(context, document["id"])
    entries = await reading.unpacked(file, kind, document["filename"], into)
    wanted: list[tuple[Child, Packed]] = []
    for number, entry in enumerate(entries):
        if entry.mime is not None and 0 < (size_bytes := entry.path.stat().st_size) <= limits.MAX_BYTES:
            child = Child(_path(document, number, entry), entry.name, size_bytes, entry.mime)
            wanted.append((child, entry))
    async with context.as_service() as connection:
        if not await queries.reserve(connection, document, sum(child.size_bytes for child, _ in wanted)):
            raise Unreadable(Code.BOMB)
    storage = context.storage_of(document["user_id"])
    for done, (child, entry) in enumerate(wanted):
        try:
            await _store(storage, child, entry)
        except Unreadable:
            await storage.remove(cache.BUCKET, [stored.path for stored, _ in wanted[:done]])
            raise
    return [child for child, _ in wanted]


def _path(document: queries.Row, number: int, entry: Packed) -> str:
    """No upload has such a key: its names never begin with an equals sign that no code follows (web: object-names)."""
    ending = PurePosixPath(entry.name).suffix.lower()
    safe = ending if ending[1:].isalnum() and ending.isascii() else ""
    return f"{document['user_id']}/{document['id']}/=n{number:03}{safe}"


async def _store(storage: api.Storage, child: Child, entry: Packed) -> None:
    """Raises Unreadable (no_space) and Away."""
    try:
        await storage.upload(cache.BUCKET, child.path, entry.path.read_bytes(), child.mime, upsert=True)
    except api.PlatformError as error:
        if error.code == "QuotaExceeded":
            raise Unreadable(Code.NO_SPACE) from error
        raise api.Away(str(error)) from error
