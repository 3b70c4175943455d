"""What has arrived of resumable uploads: one file each, appended to by one request at a time.

Its length is the offset the client may go on from, so whatever arrived before a connection was cut is kept.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.core.config import Settings
from backend.storage.backends.local import GATHERED_BYTES, translated, write_all

FOLDER = "arriving"
# How long a newcomer waits for the request before it to let go, which then has been told to.
PATIENCE_S = 5.0


class Taken(Exception):
    """Another process is writing this upload."""


class WrongOffset(Exception):
    """The client goes on from another place than the file's end."""


class Parts:
    """The part files of this installation, and who of this process writes which."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.storage_folder / FOLDER
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._readers: dict[UUID, asyncio.Task[object]] = {}
        self._told: set[asyncio.Task[object]] = set()
        self._locks: dict[UUID, asyncio.Lock] = {}

    def path(self, upload_id: UUID) -> Path:
        return self._folder / str(upload_id)

    def length(self, upload_id: UUID) -> int | None:
        """How many bytes have arrived; None when there is no file."""
        try:
            return self.path(upload_id).stat().st_size
        except FileNotFoundError:
            return None

    def create(self, upload_id: UUID) -> None:
        """Raises OutOfSpace."""
        try:
            self.path(upload_id).touch(mode=0o600, exist_ok=False)
        except OSError as error:
            raise translated(error) from error

    def drop(self, upload_id: UUID) -> None:
        self.path(upload_id).unlink(missing_ok=True)

    def written_since(self, moment: datetime) -> list[str]:
        """The uploads of which something arrived since then."""
        return [entry.name for entry, written_s in self._files() if written_s >= moment.timestamp()]

    def drop_older_than(self, moment: datetime) -> None:
        """Takes away files that no upload can go on with any more."""
        for entry, written_s in self._files():
            if written_s < moment.timestamp():
                Path(entry.path).unlink(missing_ok=True)

    def _files(self) -> Iterator[tuple[os.DirEntry[str], float]]:
        """The files, each with the time of its last byte."""
        for entry in os.scandir(self._folder):
            with suppress(FileNotFoundError):
                yield entry, entry.stat().st_mtime

    @asynccontextmanager
    async def alone(self, upload_id: UUID) -> AsyncIterator[None]:
        """The one request at an upload. One that still reads from a dead connection is told to let go.

        Raises Taken when the other finishes the upload just now, or belongs to another process.
        """
        if (reader := self._readers.get(upload_id)) is not None:
            self._told.add(reader)
            reader.cancel()
        lock = self._locks.setdefault(upload_id, asyncio.Lock())
        try:
            async with asyncio.timeout(PATIENCE_S):
                await lock.acquire()
        except TimeoutError as error:
            raise Taken(str(upload_id)) from error
        try:
            with _file_lock(self.path(upload_id)):
                yield
        finally:
            lock.release()
            if not lock.locked():
                self._locks.pop(upload_id, None)

    async def append(self, upload_id: UUID, offset: int, chunks: AsyncIterator[bytes]) -> int:
        """Appends what arrives, durably; returns the new length. What the stream raises comes after what it gave.

        Raises WrongOffset, OutOfSpace, FileNotFoundError, and Taken when a newcomer took over.
        """
        descriptor = os.open(self.path(upload_id), os.O_WRONLY | os.O_APPEND)
        try:
            if os.fstat(descriptor).st_size != offset:
                raise WrongOffset(str(upload_id))
            await self._read_into(descriptor, upload_id, chunks)
            await asyncio.to_thread(os.fsync, descriptor)
            return os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)

    async def _read_into(self, descriptor: int, upload_id: UUID, chunks: AsyncIterator[bytes]) -> None:
        task = asyncio.current_task()
        assert task is not None
        waiting = bytearray()
        self._readers[upload_id] = task
        try:
            async for chunk in chunks:
                waiting += chunk
                if len(waiting) >= GATHERED_BYTES:
                    full, waiting = waiting, bytearray()
                    await _unbroken(asyncio.to_thread(_write, descriptor, full))
        except asyncio.CancelledError:
            if task not in self._told:
                raise
            task.uncancel()
            raise Taken(str(upload_id)) from None
        finally:
            self._told.discard(task)
            del self._readers[upload_id]
            # Also when the connection was cut or a newcomer took over: every byte that came is kept.
            _write(descriptor, waiting)


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """Keeps other processes out; a file that is not there needs no lock. Raises Taken."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise Taken(path.name) from error
    finally:
        os.close(descriptor)


async def _unbroken(work: Coroutine[Any, Any, None]) -> None:
    """Waits for the end of this even when cancelled: what comes later must stand behind it in the file."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def _write(descriptor: int, content: bytes | bytearray) -> None:
    try:
        write_all(descriptor, content)
    except OSError as error:
        raise translated(error) from error
