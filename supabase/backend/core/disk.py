"""The disk of `SOCIO_HOME`: how much of it is free, and which failures mean that a disk is full."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Mapping
from pathlib import Path

import asyncpg

from backend.core.config import Settings
from backend.core.errors import ServiceUnavailable

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# Space comes back when a person makes some, not in a second.
RETRY_AFTER_S = 30


def is_low(settings: Settings) -> bool:
    """Return whether less than the reserve is free on the disk of the state."""
    return shutil.disk_usage(settings.home).free < settings.disk_reserve


def is_full(failure: BaseException) -> bool:
    """Return whether a failure means that a disk is full."""
    return isinstance(failure, asyncpg.DiskFullError) or (isinstance(failure, OSError) and failure.errno in FULL)


def require(settings: Settings, needed_bytes: Mapping[Path, int]) -> None:
    """Check that so much fits into these folders and leaves the reserve free. Raises OSError, of which is_full is true.

    Folders on the same disk share its space. One that does not exist yet is on the disk of its parent.
    """
    disks: dict[int, tuple[Path, int]] = {}
    for folder, size_bytes in needed_bytes.items():
        there = next(each for each in (folder, *folder.parents) if each.exists())
        device = there.stat().st_dev
        disks[device] = (there, disks.get(device, (there, 0))[1] + size_bytes)
    for folder, size_bytes in disks.values():
        free_bytes = shutil.disk_usage(folder).free
        if free_bytes < size_bytes + settings.disk_reserve:
            needed = f"{size_bytes} bytes and the reserve of {settings.disk_reserve} are needed, {free_bytes} are free"
            raise OSError(errno.ENOSPC, needed, str(folder))


def refusal(failure: Exception) -> Exception:
    """Return the answer to a request that failed because a disk is full; any other failure as it is."""
    return out_of_space(failure) if is_full(failure) else failure


def out_of_space(cause: BaseException) -> ServiceUnavailable:
    """Make the answer to a request that a full disk stopped."""
    return ServiceUnavailable("There is no space left on the server", cause=cause, retry_after_s=RETRY_AFTER_S)
