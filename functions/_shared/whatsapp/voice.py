"""Voice notes: how long one lasts, and the job that has it become text.

WhatsApp records them as Opus in Ogg (RFC 7845), whose pages count samples at 48 kHz from the start.
"""

from __future__ import annotations

import math
from uuid import UUID

from backend.edge import api

JOB = "whatsapp_voice"
MIME = "audio/ogg"
SAMPLES_A_S = 48_000
# Voice has 2 to 4 KB a second. A file with more than this, or none at all, has a count that is not true.
MOST_BYTES_A_S = 64_000
PAGE, HEAD = b"OggS", b"OpusHead"
HEADER_BYTES = 27


def length_s(content: bytes) -> int | None:
    """Return the seconds of a recording, rounded up; None for a file that is no Opus in Ogg."""
    head = content.find(HEAD, 0, 512)
    last = content.rfind(PAGE)
    if not content.startswith(PAGE) or head < 0 or len(content) < max(head + 12, last + HEADER_BYTES):
        return None
    skipped = int.from_bytes(content[head + 10 : head + 12], "little")
    samples = int.from_bytes(content[last + 6 : last + 14], "little", signed=True) - skipped
    seconds = math.ceil(samples / SAMPLES_A_S)
    return seconds if 0 < seconds < 86_400 and len(content) <= seconds * MOST_BYTES_A_S else None


async def enqueue(
    connection: api.Connection, user_id: UUID | str, message_id: UUID, retry: int = 0, delay_s: float = 0
) -> None:
    """Have a voice note become text. A retry is a job of its own, because the one that asks for it still runs."""
    await api.enqueue(
        connection, JOB, {"message_id": str(message_id), "retry": retry},
        user_id=str(user_id), dedupe_key=f"whatsapp voice {message_id} {retry}", delay_s=delay_s,
    )  # fmt: skip
