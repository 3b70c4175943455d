"""backend.storage.files: objects for jobs, without HTTP."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest

from backend.core import db
from backend.core.files import Files as JobFiles
from backend.core.files import Lost
from backend.core.jobs import Away
from backend.storage import files as job_files
from tests.backend.storage.conftest import ANNA, BUCKET, SERVICE, Files
from tests.disks import largest_file

pytestmark = pytest.mark.anyio
NAME = f"{ANNA}/archive.zip"


async def pieces_of(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 700_000):
        yield content[start : start + 700_000]


async def breaking() -> AsyncIterator[bytes]:
    yield bytes(6_000_000)
    raise ValueError("no more")


async def version_of(files: Files, name: str = NAME) -> str | None:
    async with db.connection(files.resources.pool) as connection:
        found: str | None = await connection.fetchval("select version from storage.objects where name = $1", name)
    return found


async def assert_reads_and_writes(files: Files, opened: JobFiles) -> None:
    """Check that an object which a job writes is one for everybody, whole or not at all."""
    content = os.urandom(3_000_001)
    written = await opened.write(BUCKET, NAME, "application/zip", pieces_of(content))
    assert (written.size_bytes, written.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    answer = await files.get(ANNA, f"{BUCKET}/{NAME}")
    assert (answer.content, answer.headers["content-type"]) == (content, "application/zip")
    with pytest.raises(ValueError, match="no more"):
        await opened.write(BUCKET, NAME, "application/zip", breaking())
    assert (await files.get(ANNA, f"{BUCKET}/{NAME}")).content == content
    first = await version_of(files)
    assert first is not None
    assert b"".join([piece async for piece in opened.read(first)]) == content
    nowhere = [str(uuid4()), "", "../../etc/passwd"]
    assert await opened.read_small([nowhere[0], first, *nowhere]) == [None, content, None, None, None]
    await opened.write(BUCKET, NAME, "text/plain", pieces_of(b"another"))
    assert (await files.get(ANNA, f"{BUCKET}/{NAME}")).content == b"another"
    for lost in (first, *nowhere):
        with pytest.raises(Lost):
            await anext(opened.read(lost))


async def test_a_job_reads_and_writes_objects(files: Files) -> None:
    async with job_files.opened(files.resources) as opened:
        await assert_reads_and_writes(files, opened)
    # Of the one that was replaced, and of the half one, nothing is left.
    assert files.blobs() == [await version_of(files)]


async def test_a_full_disk_and_a_refused_row_leave_no_bytes(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    async with job_files.opened(files.resources) as opened:
        with largest_file(1_000_000), pytest.raises(OSError, match="large") as full:
            await opened.write(BUCKET, NAME, "application/zip", pieces_of(bytes(3_000_000)))
        assert full.value.errno == 28
        with pytest.raises(Away):
            await opened.write("no-such-bucket", NAME, "application/zip", pieces_of(b"a"))
    assert files.blobs() == []
    assert await database_owner.fetchval("select count(*) from storage.objects") == 0


async def test_a_reader_that_has_begun_reads_a_file_that_is_removed_to_its_end(files: Files) -> None:
    content = os.urandom(3_000_001)
    async with job_files.opened(files.resources) as opened:
        await opened.write(BUCKET, NAME, "application/zip", pieces_of(content))
        reading = opened.read(await version_of(files) or "")
        first = await anext(reading)
        removed = await files.call(SERVICE, "DELETE", f"object/{BUCKET}/{NAME}")
        assert (removed.status_code, files.blobs()) == (200, [])
        assert first + b"".join([piece async for piece in reading]) == content
