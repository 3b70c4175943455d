"""Blobs as files below one folder: `ab/abcdef01-…`, written aside, fsynced and renamed, so a half one never shows."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import shutil
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from backend.core import disk, durable
from backend.storage.backends import ORPHANED, OWNER, Missing, OutOfSpace, Stored, Written, is_version

# Small pieces from the network are gathered to this much before a thread is asked to hash and write them. By their
# number too, for each costs memory of its own; the kernel takes 1024 at once.
GATHERED_BYTES = 1024 * 1024
GATHERED_PIECES = 256
# Each time that a draft grew by so much, the disk is asked to begin.
SENT_BYTES = 8 * 1024 * 1024
# So far back the kernel forgets what the disk has by then: a gigabyte would displace what others read, and memory that
# was not used yet costs more than the copy into it.
FORGOTTEN_BYTES = 64 * 1024 * 1024
# Of a download; as much of each is held in memory.
READ_BYTES = 256 * 1024
THREADS = 8
# Drafts; one of this age was left by a crash.
UNFINISHED = "unfinished"
DRAFT_LIFE_S = 24 * 3600

_T = TypeVar("_T")


class LocalBackend:
    """The store of one folder; hashing and disk work happen in threads of its own."""

    def __init__(self, folder: Path, read_bytes: int = READ_BYTES, gathered_bytes: int = GATHERED_BYTES) -> None:
        self._folder = folder
        self._read_bytes = read_bytes
        self._gathered_bytes = gathered_bytes
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="storage")
        (folder / UNFINISHED).mkdir(parents=True, exist_ok=True, mode=0o700)

    def close(self) -> None:
        """Waits for what the threads are doing."""
        self._threads.shutdown()

    async def write(self, version: str, chunks: AsyncIterator[bytes]) -> Written:
        target = self._path(version)
        draft = await self._run(lambda: _Draft(self._folder / UNFINISHED / f"{version}.{uuid.uuid4().hex}"))
        try:
            await self._fill(draft, chunks)
            return await self._run(draft.publish, target)
        except BaseException:
            await asyncio.shield(self._run(draft.discard))
            raise

    async def _fill(self, draft: _Draft, chunks: AsyncIterator[bytes]) -> None:
        """Hashes and writes what was gathered in two threads while more is gathered."""
        waiting, size = list[bytes](), 0
        under_way: asyncio.Future[tuple[None, None]] | None = None
        try:
            async for chunk in chunks:
                waiting.append(chunk)
                size += len(chunk)
                if size >= self._gathered_bytes or len(waiting) == GATHERED_PIECES:
                    if under_way is not None:
                        await under_way
                    under_way = self._take(draft, waiting)
                    waiting, size = [], 0
        finally:
            if under_way is not None:
                # Also when the stream broke: the draft is not taken away under the threads' hands.
                await asyncio.shield(under_way)
        await self._take(draft, waiting)

    def _take(self, draft: _Draft, pieces: Sequence[bytes]) -> asyncio.Future[tuple[None, None]]:
        return asyncio.gather(self._run(draft.hash, pieces), self._run(draft.add, pieces))

    async def adopt(self, version: str, path: Path) -> Written:
        return await self._run(_adopt, path, self._path(version))

    async def open(self, version: str) -> LocalBlob:
        path = self._path(version)
        try:
            descriptor = await self._run(os.open, path, os.O_RDONLY)
        except FileNotFoundError as error:
            raise Missing(version) from error
        return LocalBlob(descriptor, self._threads, self._read_bytes)

    async def read_small(self, versions: Sequence[str]) -> list[bytes | None]:
        return await self._run(_read_all, [self._path(version) for version in versions])

    async def copy(self, source: str, target: str) -> None:
        origin, destination = self._path(source), self._path(target)
        await self._run(self._copy, origin, destination)

    def _copy(self, origin: Path, destination: Path) -> None:
        destination.parent.mkdir(exist_ok=True, mode=0o700)
        draft = self._folder / UNFINISHED / f"{destination.name}.{uuid.uuid4().hex}"
        try:
            shutil.copyfile(origin, draft)
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
            draft.replace(destination)
            durable.sync_folder(destination.parent)
        except FileNotFoundError as error:
            raise Missing(origin.name) from error
        except OSError as error:
            raise translated(error) from error
        finally:
            draft.unlink(missing_ok=True)

    async def delete(self, versions: Sequence[str]) -> None:
        paths = [self._path(version) for version in versions]
        await self._run(_unlink_all, paths)

    async def set_aside(self, versions: Sequence[str]) -> None:
        paths = [self._path(version) for version in versions]
        await self._run(_move_all, paths, self._folder / ORPHANED)

    async def drop_set_aside(self, before: datetime) -> None:
        await self._run(_drop_older, self._folder / ORPHANED, before.timestamp())

    async def owner(self) -> str | None:
        try:
            return await self._run((self._folder / OWNER).read_text)
        except FileNotFoundError:
            return None

    async def belong_to(self, installation_id: str) -> None:
        await self._run(self._write_owner, installation_id)

    def _write_owner(self, installation_id: str) -> None:
        draft = _Draft(self._folder / UNFINISHED / f"{OWNER}.{uuid.uuid4().hex}")
        draft.add([installation_id.encode()])
        draft.publish(self._folder / OWNER)

    async def all(self) -> AsyncIterator[Stored]:
        await self._run(_drop_older, self._folder / UNFINISHED, time.time() - DRAFT_LIFE_S)
        shelves = await self._run(lambda: [entry.path for entry in os.scandir(self._folder) if len(entry.name) == 2])
        for shelf in shelves:
            for stored in await self._run(lambda shelf=shelf: list(_listed(shelf))):
                yield stored

    def _path(self, version: str) -> Path:
        if not is_version(version):
            raise ValueError(f"{version!r} is no version")
        return self._folder / version[:2] / version

    async def _run(self, work: Callable[..., _T], *arguments: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


class LocalBlob:
    """An open file: unlinking it does not take it from its readers."""

    def __init__(self, descriptor: int, threads: ThreadPoolExecutor, read_bytes: int) -> None:
        self._descriptor = descriptor
        self._threads = threads
        self._read_bytes = read_bytes
        self.size_bytes = os.fstat(descriptor).st_size

    async def read(self, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        position, stop = start, self.size_bytes if end is None else min(end, self.size_bytes)
        loop = asyncio.get_running_loop()
        while position < stop:
            wanted = min(self._read_bytes, stop - position)
            piece = await loop.run_in_executor(self._threads, os.pread, self._descriptor, wanted, position)
            if not piece:
                raise OSError(errno.EIO, "the blob is shorter than it was")
            position += len(piece)
            yield piece

    async def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class _Draft:
    """A blob while it is written; every method runs in a thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = hashlib.sha256()
        self._size = self._sent = 0
        try:
            self._file = path.open("xb", buffering=0)
        except OSError as error:
            raise translated(error) from error

    def hash(self, pieces: Sequence[bytes]) -> None:
        for piece in pieces:
            self._digest.update(piece)

    def add(self, pieces: Sequence[bytes]) -> None:
        try:
            self._write(pieces)
            if self._size - self._sent >= SENT_BYTES:
                # Of such a range Linux begins to write what is new, and forgets what is written.
                begin = max(0, self._sent - FORGOTTEN_BYTES)
                os.posix_fadvise(self._file.fileno(), begin, self._size - begin, os.POSIX_FADV_DONTNEED)
                self._sent = self._size
        except OSError as error:
            raise translated(error) from error

    def _write(self, pieces: Sequence[bytes]) -> None:
        size = sum(map(len, pieces))
        written = os.writev(self._file.fileno(), pieces) if size else 0
        self._size += size
        if written < size:
            write_all(self._file.fileno(), memoryview(b"".join(pieces))[written:])

    def publish(self, target: Path) -> Written:
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            target.parent.mkdir(exist_ok=True, mode=0o700)
            self._path.replace(target)
            durable.sync_folder(target.parent)
        except OSError as error:
            raise translated(error) from error
        return Written(self._size, self._digest.hexdigest())

    def discard(self) -> None:
        with suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)


def write_all(descriptor: int, content: bytes | bytearray | memoryview) -> None:
    """Write the content, however little of it the system takes at a time. Raises OSError."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _read_all(paths: Sequence[Path]) -> list[bytes | None]:
    found = list[bytes | None]()
    for path in paths:
        try:
            found.append(path.read_bytes())
        except FileNotFoundError:
            found.append(None)
    return found


def _adopt(path: Path, target: Path) -> Written:
    try:
        with path.open("rb+") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
            os.fsync(file.fileno())
        target.parent.mkdir(exist_ok=True, mode=0o700)
        path.replace(target)
        durable.sync_folder(target.parent)
    except FileNotFoundError as error:
        raise Missing(path.name) from error
    except OSError as error:
        raise translated(error) from error
    return Written(size, digest)


async def gathered(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytearray]:
    """The same bytes in pieces of about a mebibyte."""
    waiting = bytearray()
    async for chunk in chunks:
        waiting += chunk
        if len(waiting) >= GATHERED_BYTES:
            yield waiting
            waiting = bytearray()
    if waiting:
        yield waiting


def _drop_older(folder: Path, limit: float) -> None:
    for entry in os.scandir(folder) if folder.exists() else ():
        with suppress(FileNotFoundError):
            if entry.stat().st_mtime < limit:
                Path(entry.path).unlink()


def _listed(shelf: str) -> Iterator[Stored]:
    for entry in os.scandir(shelf):
        with suppress(FileNotFoundError):
            status = entry.stat()
            yield Stored(entry.name, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))


def _unlink_all(paths: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _move_all(paths: Sequence[Path], folder: Path) -> None:
    folder.mkdir(exist_ok=True, mode=0o700)
    for path in paths:
        with suppress(FileNotFoundError):
            os.utime(path)  # from now on its time says since when it lies aside
            path.replace(folder / path.name)


def translated(error: OSError) -> Exception:
    """Return OutOfSpace for a full disk, and any other error as it is."""
    return OutOfSpace(str(error)) if error.errno in disk.FULL else error
