"""Received files: what Meta says of one, whether its bytes fit, and the job that fetches it."""

from __future__ import annotations

import base64
import binascii
import hashlib
from datetime import datetime
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.whatsapp import graph, payloads

JOB = "whatsapp_media"
# What browsers show or play, as Meta sends it.
ENDINGS = {
    "audio/aac": ".aac", "audio/amr": ".amr", "audio/mp4": ".m4a", "audio/mpeg": ".mp3", "audio/ogg": ".ogg",
    "image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "video/3gpp": ".3gp", "video/mp4": ".mp4",
}  # fmt: skip


async def enqueue(connection: api.Connection, user_id: UUID | str, message_id: UUID) -> None:
    """Have the file of a message fetched."""
    await api.enqueue(
        connection, JOB, {"message_id": str(message_id)}, user_id=str(user_id), dedupe_key=f"whatsapp file {message_id}"
    )


async def fetch(meta: graph.Graph, media: dict[str, Any], max_bytes: int) -> bytes | None:
    """Fetch a file in Meta's two steps; None when the bytes are not those that were announced.

    Raises graph.Refused, Unreachable, Uncertain and TooLarge.
    """
    told = await meta.request("GET", media["id"])
    size_bytes = told.get("file_size")
    if isinstance(size_bytes, int) and size_bytes > max_bytes:
        raise graph.TooLarge
    content = await meta.download(str(told.get("url")), max_bytes)
    announced = {digest(media.get("sha256")), digest(told.get("sha256"))} - {None}
    return content if announced <= {hashlib.sha256(content).digest()} else None


def digest(told: Any) -> bytes | None:
    """Read a SHA-256: base64 in webhooks, hexadecimal in answers of the Graph API; None when it is none."""
    try:
        read = bytes.fromhex(told) if len(told) == 64 else base64.b64decode(told, validate=True)
    except (TypeError, ValueError, binascii.Error):
        return None
    return read if len(read) == 32 else None


def mime_of(media: dict[str, Any]) -> str:
    """Return the type that a file claims to have, without parameters."""
    claimed = str(media.get("mime") or "").partition(";")[0].strip().lower()
    return claimed if claimed.count("/") == 1 else "application/octet-stream"


def name_of(media: dict[str, Any], kind: str, at: datetime) -> str:
    """Return the name of a file; pictures and voice notes have none of their own."""
    if media.get("name"):
        return str(media["name"])
    return f"{payloads.SUMMARIES.get(kind, 'File')} WhatsApp {at:%d-%m-%Y}{ENDINGS.get(mime_of(media), '')}"
