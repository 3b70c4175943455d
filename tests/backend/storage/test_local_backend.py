"""backend.storage.backends.local: blobs as files, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from backend.storage.backends import Missing, OutOfSpace
from backend.storage.backends.local import UNFINISHED, LocalBackend
from tests.disks import largest_file

pytestmark = pytest.mark.anyio


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LocalBackend]:
    opened = LocalBackend(tmp_path)
    yield opened
    opened.close()


async def _stream(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def _content(store: LocalBackend, version: str, start: int = 0, end: int | None = None) -> bytes:
    blob = await store.open(version)
    try:
        return b"".join([piece async for piece in blob.read(start, end)])
    finally:
        await blob.close()


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def test_what_was_written_is_read_back_whole_and_in_parts(store: LocalBackend) -> None:
    version, content = str(uuid.uuid4()), os.urandom(3_000_001)
    written = await store.write(version, _stream(content[:5], content[5:2_000_000], b"", content[2_000_000:]))
    assert (written.size_bytes, written.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert await _content(store, version) == content
    assert await _content(store, version, 1_000_000, 1_000_010) == content[1_000_000:1_000_010]


@pytest.mark.parametrize("piece_bytes", [1_000, 300_000, 9_000_000])
async def test_a_long_blob_is_whole_whatever_pieces_it_comes_in(store: LocalBackend, piece_bytes: int) -> None:
    version, content = str(uuid.uuid4()), os.urandom(90_000_001)
    pieces = (content[start : start + piece_bytes] for start in range(0, len(content), piece_bytes))
    written = await store.write(version, _stream(*pieces))
    assert (written.size_bytes, written.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert await store.read_small([version, str(uuid.uuid4())]) == [content, None]


async def test_a_broken_stream_leaves_nothing(store: LocalBackend, tmp_path: Path) -> None:
    async def breaks() -> AsyncIterator[bytes]:
        yield os.urandom(1_500_000)
        raise ConnectionError("the client left")

    with pytest.raises(ConnectionError):
        await store.write(str(uuid.uuid4()), breaks())
    assert _files(tmp_path) == []


async def test_readers_keep_a_deleted_blob_to_its_end(store: LocalBackend) -> None:
    version, content = str(uuid.uuid4()), os.urandom(1_000_000)
    await store.write(version, _stream(content))
    blob = await store.open(version)
    reading = blob.read()
    begun = await anext(reading)
    await store.delete([version])
    assert begun + b"".join([piece async for piece in reading]) == content
    await blob.close()
    with pytest.raises(Missing):
        await store.open(version)


async def test_deleting_what_is_gone_is_no_fault(store: LocalBackend) -> None:
    await store.delete([str(uuid.uuid4())])


async def test_a_copy_is_a_blob_of_its_own(store: LocalBackend) -> None:
    source, target = str(uuid.uuid4()), str(uuid.uuid4())
    await store.write(source, _stream(b"original"))
    await store.copy(source, target)
    await store.delete([source])
    assert await _content(store, target) == b"original"
    with pytest.raises(Missing):
        await store.copy(source, str(uuid.uuid4()))


async def test_all_blobs_are_listed_and_drafts_are_not(store: LocalBackend, tmp_path: Path) -> None:
    versions = {str(uuid.uuid4()) for _ in range(5)}
    for version in versions:
        await store.write(version, _stream(b"12345"))
    (tmp_path / UNFINISHED / "left-by-a-crash").write_bytes(b"half")
    assert {(stored.version, stored.size_bytes) async for stored in store.all()} == {(known, 5) for known in versions}


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "ab/cd"])
async def test_a_version_is_a_canonical_uuid_and_nothing_else(store: LocalBackend, name: str) -> None:
    with pytest.raises(ValueError):
        await store.write(name, _stream(b"x"))


async def test_a_full_disk_refuses_and_keeps_no_half(store: LocalBackend, tmp_path: Path) -> None:
    kept = str(uuid.uuid4())
    await store.write(kept, _stream(b"before"))
    with largest_file(2_000_000):
        with pytest.raises(OutOfSpace):
            await store.write(str(uuid.uuid4()), _stream(os.urandom(3_000_000)))
        assert await _content(store, kept) == b"before"
    assert len(_files(tmp_path)) == 1
