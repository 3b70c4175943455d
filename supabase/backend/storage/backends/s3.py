"""Blobs in an S3-compatible store, as objects `<prefix>/<version>`; obstore speaks the protocol.

An object shows only when its upload is complete, so a half one never does. Space and durability are the store's.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import aiohttp
import obstore
from obstore.exceptions import NotFoundError
from obstore.store import S3Store

from backend.core.config_file import ConfigError
from backend.storage.backends import ORPHANED, OWNER, Missing, Stored, Written, is_version
from backend.storage.backends.local import gathered

SETTING = "SOCIO_STORAGE_S3"
# The smallest part S3 takes is 5 MiB; as much of an upload is held in memory, twice.
PART_BYTES = 5 * 1024 * 1024
READ_BYTES = 1024 * 1024
SMALL_AT_ONCE = 4


def store_of(address: str) -> S3Store:
    """The store an address names: `s3://key:secret@host:port/bucket/prefix?region=eu-south-1&tls=false`.

    Raises ConfigError.
    """
    parts = urlsplit(address)
    bucket, _, prefix = parts.path.strip("/").partition("/")
    if parts.scheme != "s3" or not parts.hostname or not bucket or not parts.username or not parts.password:
        raise ConfigError(f"{SETTING}: must be s3://key:secret@host/bucket?region=…")
    options = parse_qs(parts.query)
    tls = options.get("tls", ["true"])[0] != "false"
    host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
    return S3Store(
        bucket,
        prefix=prefix or None,
        endpoint=f"{'https' if tls else 'http'}://{host}",
        region=options.get("region", ["us-east-1"])[0],
        access_key_id=unquote(parts.username),
        secret_access_key=unquote(parts.password),
        virtual_hosted_style_request=False,
        client_options={
            "allow_http": not tls,
            "timeout": timedelta(seconds=60),
            "connect_timeout": timedelta(seconds=5),
        },
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=30)},
    )


class S3Backend:
    """The store of one bucket."""

    def __init__(self, store: S3Store, http: aiohttp.ClientSession) -> None:
        self._store = store
        self._http = http

    async def write(self, version: str, chunks: AsyncIterator[bytes]) -> Written:
        key, digest, size = _key(version), hashlib.sha256(), 0

        async def hashed() -> AsyncIterator[bytes]:
            nonlocal size
            async for piece in gathered(chunks):
                await asyncio.to_thread(digest.update, piece)
                size += len(piece)
                yield bytes(piece)

        await obstore.put_async(self._store, key, hashed(), chunk_size=PART_BYTES, max_concurrency=2)
        return Written(size, digest.hexdigest())

    async def adopt(self, version: str, path: Path) -> Written:
        try:
            written = await self.write(version, _read(path))
        except FileNotFoundError as error:
            raise Missing(version) from error
        await asyncio.to_thread(path.unlink, missing_ok=True)
        return written

    async def open(self, version: str) -> S3Blob:
        key = _key(version)
        try:
            found = await obstore.head_async(self._store, key)
        except (NotFoundError, FileNotFoundError) as error:
            raise Missing(version) from error
        return S3Blob(self._store, self._http, key, found["size"])

    async def read_small(self, versions: Sequence[str]) -> list[bytes | None]:
        at_once = asyncio.Semaphore(SMALL_AT_ONCE)

        async def read(version: str) -> bytes | None:
            async with at_once:
                try:
                    blob = await self.open(version)
                except Missing:
                    return None
                try:
                    return b"".join([piece async for piece in blob.read()])
                finally:
                    await blob.close()

        return await asyncio.gather(*map(read, versions))

    async def copy(self, source: str, target: str) -> None:
        try:
            await obstore.copy_async(self._store, _key(source), _key(target))
        except (NotFoundError, FileNotFoundError) as error:
            raise Missing(source) from error

    async def delete(self, versions: Sequence[str]) -> None:
        for version in versions:
            await self._drop(_key(version))

    async def _drop(self, key: str) -> None:
        with suppress(NotFoundError, FileNotFoundError):
            await obstore.delete_async(self._store, key)

    async def set_aside(self, versions: Sequence[str]) -> None:
        for version in versions:
            key = _key(version)
            with suppress(NotFoundError, FileNotFoundError):
                await obstore.copy_async(self._store, key, f"{ORPHANED}/{key}")
            await self._drop(key)

    async def drop_set_aside(self, before: datetime) -> None:
        async for page in obstore.list(self._store, prefix=ORPHANED):
            for found in page:
                if found["last_modified"] < before:
                    await self._drop(found["path"])

    async def owner(self) -> str | None:
        try:
            answer = await obstore.get_async(self._store, OWNER)
        except (NotFoundError, FileNotFoundError):
            return None
        return bytes(await answer.bytes_async()).decode()

    async def belong_to(self, installation_id: str) -> None:
        await obstore.put_async(self._store, OWNER, installation_id.encode())

    async def all(self) -> AsyncIterator[Stored]:
        async for page in obstore.list(self._store):
            for found in page:
                if "/" not in found["path"] and found["path"] != OWNER:
                    yield Stored(found["path"], found["size"], found["last_modified"])


class S3Blob:
    """An object that is there; a reader that has begun is not told of its deletion by the store."""

    def __init__(self, store: S3Store, http: aiohttp.ClientSession, key: str, size_bytes: int) -> None:
        self._store = store
        self._http = http
        self._key = key
        self.size_bytes = size_bytes

    async def read(self, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        stop = self.size_bytes if end is None else min(end, self.size_bytes)
        if start >= stop:
            return
        if (start, stop) == (0, self.size_bytes):
            answer = await obstore.get_async(self._store, self._key)
            async for piece in answer.stream(min_chunk_size=READ_BYTES):
                yield bytes(piece)
            return
        # By a signed address of our own, for some stores answer a part with 200, which obstore takes for a fault.
        address = await obstore.sign_async(self._store, "GET", self._key, timedelta(minutes=15))
        async with self._http.get(address, headers={"Range": f"bytes={start}-{stop - 1}"}) as response:
            response.raise_for_status()
            expected = f"bytes {start}-{stop - 1}/{self.size_bytes}"
            if response.headers.get("Content-Range") != expected:
                raise OSError(errno.EIO, "the store sent another part than was asked for")
            async for piece in response.content.iter_chunked(READ_BYTES):
                yield piece

    async def close(self) -> None:
        return


def _key(version: str) -> str:
    if not is_version(version):
        raise ValueError(f"{version!r} is no version")
    return version


async def _read(path: Path) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(file.read, READ_BYTES):
            yield piece
    finally:
        file.close()
