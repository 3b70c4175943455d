"""backend.storage.backends.s3 against a real S3 server (rclone serve s3), alone and below the whole service."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import obstore
import pytest

from backend.core.config import Settings
from backend.core.config_file import ConfigError
from backend.core.jobs import Away
from backend.storage import files as job_files
from backend.storage import sweep
from backend.storage.backends import ORPHANED, Missing
from backend.storage.backends.s3 import S3Backend, store_of
from scripts import postgres
from tests.backend.storage import test_files
from tests.backend.storage.conftest import ANNA, BUCKET, Files
from tests.backend.storage.test_resumable import begin, patch

pytestmark = pytest.mark.anyio
KEY, SECRET = "socio", "un-segreto"
START_TIMEOUT_S = 30


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("s3")
    (folder / "files").mkdir()
    port = postgres.free_port()
    command = ["rclone", "serve", "s3", str(folder), "--addr", f"127.0.0.1:{port}", "--auth-key", f"{KEY},{SECRET}"]
    environment = {**os.environ, "RCLONE_CONFIG": str(folder.parent / "rclone.conf")}
    with (folder.parent / "rclone.log").open("wb") as output:
        child = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        try:
            _wait_for(port)
            yield f"s3://{KEY}:{SECRET}@127.0.0.1:{port}/files?tls=false"
        finally:
            child.terminate()
            child.wait(START_TIMEOUT_S)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)  # waits for the child's own start, which tells nobody when it is over
    raise TimeoutError("rclone does not listen")


@pytest.fixture
async def store(address: str) -> AsyncIterator[S3Backend]:
    async with aiohttp.ClientSession() as http:
        yield S3Backend(store_of(address), http)


@pytest.fixture
def settings(settings: Settings, address: str) -> Settings:
    return replace(settings, storage_s3=address)


async def _stream(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 100_000):
        yield content[start : start + 100_000]


async def _content(store: S3Backend, version: str, start: int = 0, end: int | None = None) -> bytes:
    blob = await store.open(version)
    return b"".join([piece async for piece in blob.read(start, end)])


@pytest.mark.parametrize("size", [0, 5, 12_000_001], ids=["empty", "small", "in parts"])
async def test_what_was_written_is_read_back(store: S3Backend, size: int) -> None:
    version, content = str(uuid.uuid4()), os.urandom(size)
    written = await store.write(version, _stream(content))
    assert (written.size_bytes, written.sha256) == (size, hashlib.sha256(content).hexdigest())
    assert await _content(store, version) == content
    assert await _content(store, version, 2, 4) == content[2:4]


async def test_copy_list_and_delete(store: S3Backend, tmp_path: Path) -> None:
    source, target, adopted = (str(uuid.uuid4()) for _ in range(3))
    await store.write(source, _stream(b"original"))
    await store.copy(source, target)
    await store.delete([source, str(uuid.uuid4())])
    assert await _content(store, target) == b"original"
    (tmp_path / "arrived").write_bytes(b"adopted")
    await store.adopt(adopted, tmp_path / "arrived")
    assert not (tmp_path / "arrived").exists()
    found = {stored.version: stored.size_bytes async for stored in store.all()}
    assert {target: 8, adopted: 7}.items() <= found.items()
    assert source not in found
    with pytest.raises(Missing):
        await store.open(source)


async def test_a_broken_stream_leaves_nothing(store: S3Backend) -> None:
    async def breaks() -> AsyncIterator[bytes]:
        yield os.urandom(6_000_000)
        raise ConnectionError("the client left")

    version = str(uuid.uuid4())
    with pytest.raises(Exception, match="the client left"):
        await store.write(version, breaks())
    with pytest.raises(Missing):
        await store.open(version)


async def test_the_service_works_on_it(files: Files, store: S3Backend) -> None:
    mine = f"{BUCKET}/{ANNA}"
    assert (await files.put(ANNA, f"{mine}/a.txt", b"0123456789")).status_code == 200
    assert (await files.get(ANNA, f"{mine}/a.txt", range="bytes=3-5")).content == b"345"
    path = await begin(files, f"{ANNA}/b.bin", 10)
    await patch(files, path, 0, b"01234")
    await patch(files, path, 5, b"56789")
    assert (await files.get(ANNA, f"{mine}/b.bin")).content == b"0123456789"
    await files.put(ANNA, f"{mine}/a.txt", b"new", x_upsert="true")
    assert (await files.get(ANNA, f"{mine}/a.txt")).content == b"new"
    removed = await files.call(
        ANNA, "DELETE", f"object/{BUCKET}", json={"prefixes": [f"{ANNA}/a.txt", f"{ANNA}/b.bin"]}
    )
    assert len(removed.json()) == 2
    await sweep.adopt(files.resources, store)  # other tests have left blobs
    assert (await sweep.sweep(files.resources, store)).missing == []


async def test_a_job_reads_and_writes_objects_in_it(files: Files, address: str) -> None:
    async with job_files.opened(files.resources) as opened:
        await test_files.assert_reads_and_writes(files, opened)
    elsewhere = replace(files.resources.settings, storage_s3=address.replace("files?", "absent?"))
    async with job_files.opened(replace(files.resources, settings=elsewhere)) as away:
        with pytest.raises(Away):
            await away.write(BUCKET, "a.txt", "text/plain", _stream(b"a"))


async def test_orphans_are_set_aside_in_the_store_and_it_knows_its_owner(address: str) -> None:
    below = store_of(address.replace("/files", "/files/below"))
    async with aiohttp.ClientSession() as http:
        store, version = S3Backend(below, http), str(uuid.uuid4())
        assert await store.owner() is None
        await store.belong_to("an-id")
        assert await store.owner() == "an-id"
        await store.write(version, _stream(b"orphan"))
        assert [stored.version async for stored in store.all()] == [version]
        for _ in range(2):
            await store.set_aside([version])
            assert [stored.version async for stored in store.all()] == []
        for moment, left in ((timedelta(hours=-1), [f"{ORPHANED}/{version}"]), (timedelta(hours=1), [])):
            await store.drop_set_aside(datetime.now(UTC) + moment)
            assert [found["path"] async for page in obstore.list(below, prefix=ORPHANED) for found in page] == left


@pytest.mark.parametrize("bad", ["http://x/y", "s3://host/bucket", "s3://k:s@host", "nonsense"])
def test_a_malformed_address_is_refused_with_its_setting(bad: str) -> None:
    with pytest.raises(ConfigError, match="SOCIO_STORAGE_S3"):
        store_of(bad)
