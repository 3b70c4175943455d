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
    """What is packed in it, put into the bucket beside it; files that are none of ours stay in the original only."""
    into = await cache.folder_for_entries(context, document["id"])
    entries = await reading.unpacked(file, kind, document["filename"], into)
    stored = []
    for number, entry in enumerate(entries):
        if entry.mime is not None and 0 < (size_bytes := entry.path.stat().st_size) <= limits.MAX_BYTES:
            child = Child(_path(document, number, entry), entry.name, size_bytes, entry.mime)
            await _store(context, child, entry)
            stored.append(child)
    return stored


def _path(document: queries.Row, number: int, entry: Packed) -> str:
    """No upload has such a key: its names never begin with an equals sign that no code follows (web: object-names)."""
    ending = PurePosixPath(entry.name).suffix.lower()
    safe = ending if ending[1:].isalnum() and ending.isascii() else ""
    return f"{document['user_id']}/{document['id']}/=n{number:03}{safe}"


async def _store(context: api.Context, child: Child, entry: Packed) -> None:
    try:
        await context.storage_as_service.upload(
            cache.BUCKET, child.path, entry.path.read_bytes(), child.mime, upsert=True
        )
    except api.PlatformError as error:
        raise api.Away(str(error)) from error
