"""Objects for a job that moves gigabytes: from and to the store of blobs in the job's own process.

Over HTTP each byte would be copied through two sockets and two event loops of the same machine.
"""

from __future__ import annotations

import errno
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

import aiohttp
from obstore.exceptions import BaseError

from backend.core.errors import ApiError
from backend.core.files import Files, Lost, Written
from backend.core.jobs import Away
from backend.core.resources import Resources
from backend.storage import blobs, objects
from backend.storage.backends import Backend, Missing, OutOfSpace, is_version
from backend.storage.models import Upload
from backend.storage.service import SERVICE, Acting

# One reader and one writer at a time: larger pieces need fewer turns of the event loop.
READ_BYTES = 1024 * 1024
GATHERED_BYTES = 8 * 1024 * 1024
# What an S3 store that cannot be reached, or does not do what it should, raises.
AWAY = (BaseError, aiohttp.ClientError, TimeoutError, FileNotFoundError, PermissionError)


def at_hand(resources: Resources) -> Resources:
    """Give jobs the storage."""
    return replace(resources, files=partial(opened, resources))


@asynccontextmanager
async def opened(resources: Resources) -> AsyncIterator[Files]:
    """Open the store of blobs that the settings name."""
    async with blobs.opened(resources.settings, READ_BYTES, GATHERED_BYTES) as store:
        yield StoredFiles(resources, store)


@dataclass(frozen=True)
class StoredFiles:
    """The objects of this installation, as `backend.core.files.Files` describes them."""

    resources: Resources
    blobs: Backend

    async def read(self, version: str) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a version. Raises Lost, Away."""
        try:
            blob = await self.blobs.open(version)
        except (Missing, ValueError) as error:
            raise Lost(version) from error
        except AWAY as error:
            raise Away(str(error)) from error
        try:
            async for piece in blob.read():
                yield piece
        except AWAY as error:
            raise Away(str(error)) from error
        finally:
            await blob.close()

    async def read_small(self, versions: Sequence[str]) -> list[bytes | None]:
        """Return the bytes of each version, None for those that are lost. Raises Away."""
        named = [version for version in versions if is_version(version)]
        try:
            found = dict(zip(named, await self.blobs.read_small(named), strict=True))
        except AWAY as error:
            raise Away(str(error)) from error
        return [found.get(version) for version in versions]

    async def write(self, bucket_id: str, name: str, mime_type: str, pieces: AsyncIterator[bytes]) -> Written:
        """Store an object in place of one of this name.

        Raises Away, OSError for a full disk, and whatever the pieces raise.
        """
        version, broken = str(uuid.uuid4()), list[Exception]()
        try:
            written = await self.blobs.write(version, _watched(pieces, broken))
        except OutOfSpace as error:
            raise OSError(errno.ENOSPC, str(error)) from error
        except AWAY as error:
            # A store may raise an error of its own because the pieces did.
            raise (broken[0] if broken else Away(str(error))) from error
        upload = Upload(bucket_id, name, mime_type, upsert=True)
        acting = Acting(self.resources, SERVICE, self.blobs, "PUT", f"/storage/v1/object/{bucket_id}/{name}")
        try:
            metadata = upload.metadata(written, mime_type, self.resources.now())
            await objects.finish_row(acting, upload, version, metadata)
        except ApiError as error:
            raise Away(error.message) from error
        return written


async def _watched(pieces: AsyncIterator[bytes], broken: list[Exception]) -> AsyncIterator[bytes]:
    """Yield the pieces; note what they raise."""
    try:
        async for piece in pieces:
            yield piece
    except Exception as error:
        broken.append(error)
        raise
