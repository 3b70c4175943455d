"""Files that reach a person by a channel: which of them are documents, and where they are stored."""

from __future__ import annotations

from pathlib import PurePosixPath
from uuid import UUID

from backend.edge import api
from functions._shared.documents import cache, formats
from functions._shared.documents.errors import Unreadable

# Smaller pictures are logos of signatures.
LEAST_PICTURE_BYTES = 20_000


class NotKept(api.Away):
    """Storage takes no file with such bytes, as pages with scripts."""


def readable(name: str, mime: str, content: bytes) -> str | None:
    """Return the type that the bytes have; None for what is no document."""
    if mime.startswith("text/") or (mime.startswith("image/") and len(content) < LEAST_PICTURE_BYTES):
        return None
    try:
        return formats.of(content, name)[1]
    except Unreadable:
        return None


def ending(name: str) -> str:
    """Return the ending of a name as a path may have it; empty when it has none."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if suffix[1:].isalnum() and suffix.isascii() else ""


async def store(context: api.Context, user_id: UUID, path: str, content: bytes, mime: str) -> bool:
    """Store a file of a person, again after a crash; False when the quota is full. Raises Away and NotKept."""
    try:
        await context.storage_of(user_id).upload(cache.BUCKET, path, content, mime, upsert=True)
    except api.PlatformError as error:
        if error.code == "QuotaExceeded" or error.status == 413:
            return False
        raise (NotKept if error.code == "InvalidMimeType" else api.Away)(str(error)) from error
    return True
