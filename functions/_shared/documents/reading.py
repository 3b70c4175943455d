"""Asks the decoder in the sandbox, with limits, and answers in types; what goes wrong is an Unreadable of the list."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from backend.edge import api
from functions._shared.documents.errors import CODES, DISK_FULL, Code, Unreadable
from functions._shared.documents.formats import MIME_TYPES, Format
from functions._shared.documents.words import Page

DECODER = "functions._shared.documents.decoder"
MEMORY_BYTES = 2 * 1024**3
QUICK = api.Limits(memory_bytes=MEMORY_BYTES, cpu_s=50, wall_s=60)
# All that a page may take.
THOROUGH = api.Limits(memory_bytes=MEMORY_BYTES, cpu_s=170, wall_s=180)
# So many pages with text are read in one go.
PAGES_AT_ONCE = 25
# A page is one core's work; the others wait for their turn.
AT_ONCE = asyncio.Semaphore(os.cpu_count() or 1)
FORMATS = {mime: kind for kind, mime in MIME_TYPES.items()}


@dataclass(frozen=True)
class Inspected:
    """What a file is."""

    format: Format
    mime: str
    pages: int


@dataclass(frozen=True)
class Packed:
    """A file inside another one, unpacked; `mime` is None for what is none of ours."""

    name: str
    path: Path
    mime: str | None


def format_of(mime: str) -> Format:
    """How a file of a type of `Inspected.mime` is read."""
    return Format.PICTURE if mime.startswith("image/") else FORMATS[mime]


async def inspected(file: Path, filename: str) -> Inspected:
    """What it is and how many pages it has. Raises Unreadable."""
    told = json.loads(await _decoded("inspect", {"filename": filename}, file, QUICK))
    return Inspected(Format(told["format"]), told["mime"], told["pages"])


async def unpacked(file: Path, kind: Format, filename: str, into: Path) -> list[Packed]:
    """Writes what is packed in it into a folder. Raises Unreadable."""
    options = {"format": kind, "filename": filename, "into": str(into)}
    entries = json.loads(await _decoded("unpack", options, file, QUICK))
    return [Packed(each["name"], into / each["file"], each["mime"]) for each in entries]


async def pages(source: Path | bytes, kind: Format, first: int, most: int = PAGES_AT_ONCE) -> list[Page]:
    """The pages from `first` that need no recognition, or the one that does. Raises Unreadable."""
    options = {"format": kind, "first": first, "most": most}
    async with AT_ONCE:
        read = json.loads(await _decoded("pages", options, source, THOROUGH))
    return [Page(**{**page, "words": [tuple(word) for word in page["words"]]}) for page in read]


async def picture(file: Path, kind: Format, no: int, width: int) -> bytes:
    """A page as WebP. Raises Unreadable."""
    async with AT_ONCE:
        return await _decoded("picture", {"format": kind, "no": no, "width": width}, file, QUICK)


async def invoices(file: Path, today: date) -> list[dict[str, Any]]:
    """The invoices of an XML or P7M, as `Invoice.to_json` writes them. Raises Unreadable."""
    found: list[dict[str, Any]] = json.loads(await _decoded("invoices", {"today": str(today)}, file, QUICK))
    return found


async def analysed(read: list[dict[str, Any]], corrections: list[dict[str, Any]]) -> dict[str, Any]:
    """What pages {no, width, height, words, source} say: {kind, confidence, rule, fields}. Raises Unreadable."""
    source = json.dumps({"pages": read, "corrections": corrections}).encode()
    told: dict[str, Any] = json.loads(await _decoded("analyse", {}, source, QUICK))
    return told


async def _decoded(do: str, options: Mapping[str, Any], source: Path | bytes, limits: api.Limits) -> bytes:
    result = await api.isolated(DECODER, {"do": do, **options}, source, limits)
    match result.ending:
        case api.Ending.DONE:
            return result.output
        case api.Ending.REFUSED if result.status in CODES:
            raise Unreadable(CODES[result.status], json.loads(result.output)["sentence"])
        case api.Ending.REFUSED if result.status == DISK_FULL:
            raise api.Away("the disk is full")
        case api.Ending.TOOK_TOO_LONG:
            raise Unreadable(Code.TOOK_TOO_LONG)
        case api.Ending.OUT_OF_MEMORY | api.Ending.TOO_MUCH_OUTPUT:
            raise Unreadable(Code.BOMB)
        case api.Ending.CRASHED:
            raise Unreadable(Code.TRUNCATED)
        case _:
            raise Unreadable(Code.GAVE_UP)
