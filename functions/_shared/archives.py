"""A ZIP that is written while it is sent, and tables as JSON and CSV."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import re
import time
import zipfile
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Self, cast

from functions._shared import spreadsheets

PIECE_BYTES = 1024 * 1024
# The last entry: the digest of every other one, as `sha256sum -c` reads them.
DIGESTS = "impronte.sha256"
# What is small already is not made smaller.
PACKED = frozenset({".pdf", ".jpg", ".jpeg", ".png", ".webp", ".gif", ".heic", ".zip", ".docx", ".p7m"})
NUMBER = re.compile(r"-?\d+(\.\d+)?")
# By the ending it is known how a file is opened; a signed invoice has two.
ENDING = re.compile(r"(\.xml)?\.[a-z0-9]{1,5}$", re.IGNORECASE)
# Made once: `json.dumps` would make an encoder for each row.
_JSON = json.JSONEncoder(ensure_ascii=False)


class _Outlet(io.RawIOBase):
    """Where the archive is written to; `take` gives what has come since."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


class Archive:
    """A ZIP in pieces; `end` writes its directory and the digests of all that is in it.

    `read_bytes` counts what was put in, `size_bytes` and `sha256` are of the ZIP so far. Level 1 packs fastest.
    """

    def __init__(self, level: int | None = None) -> None:
        self.size_bytes = 0
        self.read_bytes = 0
        self._outlet = _Outlet()
        self._zip = zipfile.ZipFile(cast("BinaryIO", self._outlet), "w", zipfile.ZIP_DEFLATED, compresslevel=level)
        self._whole = hashlib.sha256()
        self._digests: list[str] = []

    @property
    def sha256(self) -> str:
        """The digest of the ZIP."""
        return self._whole.hexdigest()

    def text(self, name: str, content: str) -> Iterator[bytes]:
        """Add a file of text."""
        data = content.encode()
        self._digests.append(f"{hashlib.sha256(data).hexdigest()}  {name}")
        self._zip.writestr(_info(name), data, zipfile.ZIP_DEFLATED)
        yield self._taken()

    async def file(self, name: str, source: Path | IO[bytes]) -> AsyncGenerator[bytes, None]:
        """Add a file from disk or an open one, piece by piece; its end comes with the next entry."""
        digest, info = hashlib.sha256(), _info(name)
        info.compress_type = (
            zipfile.ZIP_STORED if PurePosixPath(name).suffix.lower() in PACKED else zipfile.ZIP_DEFLATED
        )
        with (
            source.open("rb") if isinstance(source, Path) else nullcontext(source) as data,
            self._zip.open(info, "w", force_zip64=True) as entry,
        ):
            is_more = True
            while is_more:
                piece, is_more = await asyncio.to_thread(self._add, data, entry, digest)
                if piece:
                    yield piece
        self._digests.append(f"{digest.hexdigest()}  {name}")

    def _add(self, data: IO[bytes], entry: IO[bytes], digest: Any) -> tuple[bytes, bool]:
        """Add one piece; return what there is of the ZIP since, and False after the last piece."""
        piece = data.read(PIECE_BYTES)
        digest.update(piece)
        entry.write(piece)
        self.read_bytes += len(piece)
        return self._taken(), len(piece) == PIECE_BYTES

    def end(self) -> Iterator[bytes]:
        """Add the digests and close."""
        self._zip.writestr(_info(DIGESTS), "\n".join(self._digests) + "\n", zipfile.ZIP_DEFLATED)
        self._zip.close()
        yield self._taken()

    def _taken(self) -> bytes:
        piece = self._outlet.take()
        self.size_bytes += len(piece)
        self._whole.update(piece)
        return piece


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, time.localtime()[:6])
    info.external_attr = 0o644 << 16
    return info


class TableWriter:
    """Rows as a JSON list and as a CSV, for Excel in Italian, written as they come."""

    def __init__(self, json_path: Path, csv_path: Path) -> None:
        self.count = 0
        self._json = json_path.open("w", encoding="utf-8")
        self._csv = csv_path.open("w", encoding="utf-8", newline="")
        self._columns: Sequence[str] = ()
        self._json.write("[")
        self._csv.write("\ufeff")

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a row; the columns are those of the first."""
        if not self._columns:
            self._columns = tuple(row)
            spreadsheets.write(self._csv, [self._columns])
        self._json.write(("\n" if not self.count else ",\n") + _JSON.encode(row))
        spreadsheets.write(self._csv, [[_cell(row.get(name)) for name in self._columns]])
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
    if value is None:
        return ""
    if not isinstance(value, str):
        return _JSON.encode(value)
    # Numbers may begin with a minus.
    return value if NUMBER.fullmatch(value) else spreadsheets.as_text(value)
