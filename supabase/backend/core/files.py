"""The storage's objects for a job that moves gigabytes: without HTTP, with every right.

backend.storage has the implementation; whoever starts a worker hands it over (backend/worker.py).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol


class Lost(Exception):
    """There are no bytes of this version."""


@dataclass(frozen=True)
class Written:
    """Size and digest of a blob as it was stored; `etag` is unquoted and opaque, the first half of the SHA-256."""

    size_bytes: int
    sha256: str

    @property
    def etag(self) -> str:
        return self.sha256[:32]


class Files(Protocol):
    """Objects in buckets, straight from and to the store of their bytes."""

    def read(self, version: str) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a version that `storage.objects` names. Raises Lost, Away."""

    async def read_small(self, versions: Sequence[str]) -> list[bytes | None]:
        """Return the bytes of each version, None for those that are lost. Raises Away."""

    async def write(self, bucket_id: str, name: str, mime_type: str, pieces: AsyncIterator[bytes]) -> Written:
        """Store an object, whole or not at all, in place of one of this name.

        Raises Away, OSError for a full disk, and whatever the pieces raise.
        """


# Opens the store for the time of a job.
OpenFiles = Callable[[], AbstractAsyncContextManager[Files]]
