"""Opens the store of blobs that the settings name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from backend.core.config import Settings
from backend.storage.backends import Backend
from backend.storage.backends.local import READ_BYTES, LocalBackend
from backend.storage.backends.s3 import S3Backend, store_of

# A reader may be slow, but a store that says nothing for so long is away.
TIMEOUT = aiohttp.ClientTimeout(total=None, connect=5, sock_read=60)


@asynccontextmanager
async def opened(settings: Settings, read_bytes: int = READ_BYTES) -> AsyncIterator[Backend]:
    """The folder of this installation, or the S3-compatible store that SOCIO_STORAGE_S3 names. Raises ConfigError.

    `read_bytes` are the pieces in which blobs of a folder are read.
    """
    if settings.storage_s3:
        async with aiohttp.ClientSession(timeout=TIMEOUT) as http:
            yield S3Backend(store_of(settings.storage_s3), http)
        return
    store = LocalBackend(settings.storage_folder, read_bytes)
    try:
        yield store
    finally:
        store.close()
