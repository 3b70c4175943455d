"""A ZIP that is written while it is sent, and tables as JSON and CSV."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
import zipfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Self, TypeVar, cast

from functions._shared import spreadsheets

PIECE_BYTES = 1024 * 1024
# Of each table that is being written; there are a hundred at a time.
BUFFER_BYTES = 32 * 1024
# The last entry: the digest of every other one, as `sha256sum -c` reads them.
DIGESTS = "impronte.sha256"
# What is small already is not made smaller.
PACKED = frozenset({".pdf", ".jpg", ".jpeg", ".png", ".webp", ".gif", ".heic", ".zip", ".docx", ".p7m"})
NUMBER = re.compile(r"-?\d+(\.\d+)?")
# By the ending it is known how a file is opened; a signed invoice has two.
ENDING = re.compile(r"(\.xml)?\.[a-z0-9]{1,5}$", re.IGNORECASE)
_T = TypeVar("_T")
# Made once: `json.dumps` would make an encoder for each row.
_JSON = json.JSONEncoder(ensure_ascii=False)


class _Outlet:
    """Collect what the archive writes; `take` gives what has come since.

    No `io` class: the collector may close one before a ZIP that was given up writes its last words into it.
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def flush(self) -> None:
        pass

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def take(self) -> list[bytes]:
        taken, self._pieces = self._pieces, []
        return taken


@dataclass(frozen=True)
class Small:
    """A file to put in at once, in memory or on this machine's disk; `sha256` is its digest where that is known."""

    name: str
    content: bytes | Path
    sha256: str | None = None


class Archive:
    """A ZIP in pieces; `end` writes its directory and the digests of all that is in it.

    `read_bytes` counts what was put in. Level 1 packs fastest.
    """

    def __init__(self, level: int | None = None) -> None:
        self.read_bytes = 0
        self._outlet = _Outlet()
        self._zip = zipfile.ZipFile(cast("BinaryIO", self._outlet), "w", zipfile.ZIP_DEFLATED, compresslevel=level)
        self._digests: list[str] = []

    def text(self, name: str, content: str) -> Iterator[bytes]:
        """Add a file of text."""
        data = content.encode()
        self._digests.append(f"{hashlib.sha256(data).hexdigest()}  {name}")
        self._zip.writestr(_info(name), data, zipfile.ZIP_DEFLATED)
        yield from self._outlet.take()

    async def file(
        self, name: str, pieces: AsyncIterator[bytes], sha256: str | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Add a file that comes in pieces; its end comes with the next entry.

        `sha256` is its digest where that is known: it then also shows what has been damaged since.
        """
        digest = hashlib.sha256()
        with self._entry(name) as entry:
            async with aclosing(read_ahead(pieces)) as coming:
                async for piece in coming:
                    for packed in await asyncio.to_thread(self._add, piece, entry, None if sha256 else digest):
                        yield packed
        self._digests.append(f"{sha256 or digest.hexdigest()}  {name}")

    async def small_files(self, files: Sequence[Small]) -> list[bytes]:
        """Add these files; return what there is of the ZIP since."""
        return await asyncio.to_thread(self._add_small, files)

    def _add_small(self, files: Sequence[Small]) -> list[bytes]:
        for file in files:
            content = file.content.read_bytes() if isinstance(file.content, Path) else file.content
            with self._entry(file.name) as entry:
                entry.write(content)
            self.read_bytes += len(content)
            self._digests.append(f"{file.sha256 or hashlib.sha256(content).hexdigest()}  {file.name}")
        return self._outlet.take()

    def _entry(self, name: str) -> IO[bytes]:
        info = _info(name)
        if PurePosixPath(name).suffix.lower() in PACKED:
            info.compress_type = zipfile.ZIP_STORED
        return self._zip.open(info, "w", force_zip64=True)

    def _add(self, piece: bytes, entry: IO[bytes], digest: Any) -> list[bytes]:
        """Add one piece; return what there is of the ZIP since."""
        if digest is not None:
            digest.update(piece)
        entry.write(piece)
        self.read_bytes += len(piece)
        return self._outlet.take()

    def end(self) -> Iterator[bytes]:
        """Add the digests and close."""
        self._zip.writestr(_info(DIGESTS), "\n".join(self._digests) + "\n", zipfile.ZIP_DEFLATED)
        self._zip.close()
        yield from self._outlet.take()


async def of_disk(path: Path) -> AsyncGenerator[bytes, None]:
    """Read a file of this machine in pieces."""
    with path.open("rb") as file:
        while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
            yield piece


async def read_ahead(pieces: AsyncIterator[_T]) -> AsyncGenerator[_T, None]:
    """Yield the pieces; while one is used, the next is read."""

    async def read() -> _T | None:
        return await anext(pieces, None)

    coming = asyncio.create_task(read())
    try:
        while (piece := await coming) is not None:
            coming = asyncio.create_task(read())
            yield piece
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, time.localtime()[:6])
    info.external_attr = 0o644 << 16
    return info


class TableWriter:
    """Rows as a JSON list and as a CSV, for Excel in Italian, written as they come."""

    def __init__(self, json_path: Path, csv_path: Path) -> None:
        self.count = 0
        self._json = json_path.open("w", BUFFER_BYTES, encoding="utf-8", newline="")
        self._csv = csv_path.open("w", BUFFER_BYTES, encoding="utf-8", newline="")
        self._sheet = spreadsheets.writer(self._csv)
        self._columns: Sequence[str] = ()
        self._json.write("[")
        self._csv.write("\ufeff")

    def add(self, text: str) -> None:
        """Write a row, a JSON object; the columns are those of the first."""
        row: dict[str, Any] = json.loads(text)
        if not self._columns:
            self._columns = tuple(row)
            self._sheet.writerow(self._columns)
        self._json.write(("\n" if not self.count else ",\n") + text)
        self._sheet.writerow([_cell(row.get(name)) for name in self._columns])
        self.count += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        # Both are closed even if the disk is full.
        with self._csv, self._json:
            self._json.write("\n]\n")


def json_text(value: Any) -> str:
    """JSON to be read by people."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def free_name(name: str, taken: set[str]) -> str:
    """Take the name, with a number where it is taken already."""
    number, free, last = 1, name, ending(name)
    while free.lower() in taken:
        number += 1
        free = f"{name.removesuffix(last)} ({number}){last}"
    taken.add(free.lower())
    return free


def ending(name: str) -> str:
    """Return how a name ends: «.pdf», «.xml.p7m», or nothing."""
    found = ENDING.search(name)
    return found[0] if found else ""


def _cell(value: Any) -> str:
    """Write a value as a cell. The first lines are for speed: most values are texts that no spreadsheet computes."""
    if value is None:
        return ""
    if isinstance(value, str):
        # Numbers may begin with a minus.
        return value if value[:1].isalnum() or NUMBER.fullmatch(value) else spreadsheets.as_text(value)
    return str(value) if type(value) is int else _JSON.encode(value)
