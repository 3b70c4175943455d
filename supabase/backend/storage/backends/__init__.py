"""Where the bytes of objects lie: a folder of this machine, or an S3-compatible store.

A blob is known by its object's `version` (a uuid), never by a name: names are data of a table, so moving is an update
of a row, and overwriting writes a new blob, commits the row and then drops the old blob.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol
from uuid import UUID

from backend.core.files import Written as Written

# Beside the blobs: whose they are, and what a sweep has set aside.
OWNER, ORPHANED = "installation", "orphaned"


class Missing(Exception):
    """There is no blob of this version."""


class OutOfSpace(Exception):
    """The store is full; nothing of the blob was kept."""


def is_version(text: str) -> bool:
    """Check for a uuid in its canonical form."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


@dataclass(frozen=True)
class Stored:
    """A blob as the store lists it."""

    version: str
    size_bytes: int
    modified_at: datetime


class Blob(Protocol):
    """An opened blob: whoever reads it gets the bytes of one version, although it is deleted meanwhile."""

    @property
    def size_bytes(self) -> int: ...

    def read(self, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes from `start` up to, not including, `end`."""

    async def close(self) -> None: ...


class Backend(Protocol):
    """A store of blobs. `version` must be a uuid in its canonical form; anything else is a ValueError."""

    async def write(self, version: str, chunks: AsyncIterator[bytes]) -> Written:
        """Stores the stream durably, whole or not at all. Raises OutOfSpace and whatever the stream raises."""

    async def adopt(self, version: str, path: Path) -> Written:
        """Makes a finished file of this machine a blob and takes the file away. Raises Missing, OutOfSpace."""

    async def open(self, version: str) -> Blob:
        """Raises Missing."""

    async def read_small(self, versions: Sequence[str]) -> list[bytes | None]:
        """Whole blobs, None for each that is missing. They are in memory together."""

    async def copy(self, source: str, target: str) -> None:
        """Raises Missing, OutOfSpace."""

    async def delete(self, versions: Sequence[str]) -> None:
        """Drops blobs; those that are gone already are no fault."""

    async def set_aside(self, versions: Sequence[str]) -> None:
        """Puts blobs where nobody reads and `all` does not look: below `orphaned/`."""

    async def drop_set_aside(self, before: datetime) -> None:
        """Drops what was set aside before that moment."""

    async def owner(self) -> str | None:
        """The id of the installation that this store belongs to, None while it belongs to nobody."""

    async def belong_to(self, installation_id: str) -> None:
        """Writes that id into the store."""

    def all(self) -> AsyncIterator[Stored]:
        """Every blob, in no order; for the sweep, on which old drafts are forgotten too."""
