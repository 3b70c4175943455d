"""Opens the store of blobs that the settings name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from backend.core.config import Settings
from backend.storage.backends import Backend
from backend.storage.backends.local import LocalBackend


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Backend]:
    """The folder of this installation."""
    store = LocalBackend(settings.storage_folder)
    try:
        yield store
    finally:
        store.close()
