"""Opens the store of blobs that the settings name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from backend.core.config import Settings
from backend.storage.backends import Backend
from backend.storage.backends.local import GATHERED_BYTES, READ_BYTES, LocalBackend
from backend.storage.backends.s3 import S3Backend, store_of

# A reader may be slow, but a store that says nothing for so long is away.
TIMEOUT = aiohttp.ClientTimeout(total=None, connect=5, sock_read=60)


@asynccontextmanager
async def opened(
    settings: Settings, read_bytes: int = READ_BYTES, gathered_bytes: int = GATHERED_BYTES
) -> AsyncIterator[Backend]:
    """The folder of this installation, or the S3-compatible store that SOCIO_STORAGE_S3 names. Raises ConfigError.

    Of a folder: blobs are read in pieces of `read_bytes`, and written when `gathered_bytes` have come.
    """
    if settings.storage_s3:
        async with aiohttp.ClientSession(timeout=TIMEOUT) as http:
            yield S3Backend(store_of(settings.storage_s3), http)
        return
    store = LocalBackend(settings.storage_folder, read_bytes, gathered_bytes)
    try:
        yield store
    finally:
        store.close()
