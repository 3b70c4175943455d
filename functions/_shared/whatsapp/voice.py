"""Recordings: how long one lasts, and the job that has it become text.

WhatsApp records voice notes as Opus in Ogg (RFC 7845), whose pages count samples at 48 kHz from the start. Recordings
that people pass on are mostly MP3 (ISO 11172-3), a row of frames, or M4A (ISO 14496-12), whose header has the length.
Providers of AI take these three; AAC and AMR they do not.
"""

from __future__ import annotations

import math
from uuid import UUID

from backend.edge import api

JOB = "whatsapp_voice"
OGG, MP3, M4A = "audio/ogg", "audio/mpeg", "audio/mp4"
SAMPLES_A_S = 48_000
# Sound has 2 to 40 KB a second. A file with more than this, or none at all, has a count that is not true.
MOST_BYTES_A_S = 64_000
LONGEST_S = 86_400
PAGE, HEAD = b"OggS", b"OpusHead"
HEADER_BYTES = 27
# Layer III: kbit/s by the index in the header, and samples a second, of MPEG-1 and of MPEG-2 (half of these in 2.5).
KBITS = {
    1: (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
RATES = {1: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000)}


def mime_of(content: bytes) -> str | None:
    """Return the type of a recording that providers take; None for anything else, whatever it claims to be."""
    if content.startswith(PAGE):
        return OGG
    if content[4:8] == b"ftyp":
        return M4A
    return MP3 if content.startswith(b"ID3") or _frame(content, 0) else None


def length_s(content: bytes) -> int | None:
    """Return the seconds of a recording, rounded up; None for a file that is no recording that providers take."""
    measures = {OGG: _ogg_s, MP3: _mp3_s, M4A: _m4a_s}
    mime = mime_of(content)
    exact_s = measures[mime](content) if mime else 0
    seconds = math.ceil(exact_s)
    return seconds if 0 < seconds < LONGEST_S and len(content) <= seconds * MOST_BYTES_A_S else None


def _ogg_s(content: bytes) -> float:
    head = content.find(HEAD, 0, 512)
    last = content.rfind(PAGE)
    if head < 0 or len(content) < max(head + 12, last + HEADER_BYTES):
        return 0
    skipped = int.from_bytes(content[head + 10 : head + 12], "little")
    return (int.from_bytes(content[last + 6 : last + 14], "little", signed=True) - skipped) / SAMPLES_A_S


def _mp3_s(content: bytes) -> float:
    at, seconds = 0, 0.0
    if content.startswith(b"ID3") and len(content) > 10:
        # Its size has seven bits in a byte.
        at = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(content[6:10], (21, 14, 7, 0), strict=True))
    while frame := _frame(content, at):
        size_bytes, frame_s = frame
        at += size_bytes
        seconds += frame_s
    # A file that is mostly something else is no recording.
    return round(seconds, 3) if 2 * at > len(content) else 0


def _frame(content: bytes, at: int) -> tuple[int, float] | None:
    """Read the header of a frame of Layer III: its bytes and seconds; None when there is none."""
    header = int.from_bytes(content[at : at + 4], "big")
    version, kbits, rate = header >> 19 & 3, header >> 12 & 15, header >> 10 & 3
    if len(content) < at + 4 or header >> 21 != 0x7FF or header >> 17 & 3 != 1 or version == 1:
        return None
    if kbits in (0, 15) or rate == 3:
        return None
    family = 1 if version == 3 else 2
    samples_a_s = RATES[family][rate] // (2 if version == 0 else 1)
    samples = 1152 if family == 1 else 576
    size_bytes = samples // 8 * KBITS[family][kbits - 1] * 1000 // samples_a_s + (header >> 9 & 1)
    return size_bytes, samples / samples_a_s


def _m4a_s(content: bytes) -> float:
    header = _box(_box(content, b"moov"), b"mvhd")
    # Version 1 has times of eight bytes.
    start, width = (20, 8) if header[:1] == b"\1" else (12, 4)
    scale = int.from_bytes(header[start : start + 4], "big")
    length = int.from_bytes(header[start + 4 : start + 4 + width], "big")
    return length / scale if scale and len(header) >= start + 4 + width else 0


def _box(content: bytes, name: bytes) -> bytes:
    """Return what is in the first box of this name; empty when there is none."""
    at = 0
    while len(content) >= at + 8:
        size_bytes, head_bytes = int.from_bytes(content[at : at + 4], "big"), 8
        if size_bytes == 1:
            size_bytes, head_bytes = int.from_bytes(content[at + 8 : at + 16], "big"), 16
        if size_bytes < head_bytes:
            # Zero: to the end of the file.
            size_bytes = len(content) - at if size_bytes == 0 else 0
        if size_bytes < head_bytes:
            return b""
        if content[at + 4 : at + 8] == name:
            return content[at + head_bytes : at + size_bytes]
        at += size_bytes
    return b""


async def enqueue(
    connection: api.Connection, user_id: UUID | str, message_id: UUID, retry: int = 0, delay_s: float = 0
) -> None:
    """Have a voice note become text. A retry is a job of its own, because the one that asks for it still runs."""
    await api.enqueue(
        connection, JOB, {"message_id": str(message_id), "retry": retry},
        user_id=str(user_id), dedupe_key=f"whatsapp voice {message_id} {retry}", delay_s=delay_s,
    )  # fmt: skip
