"""The disk of `SOCIO_HOME`: how much of it is free, and which failures mean that a disk is full."""

from __future__ import annotations

import errno
import shutil

import asyncpg

from backend.core.config import Settings
from backend.core.errors import ServiceUnavailable

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# Space comes back when a person makes some, not in a second.
RETRY_AFTER_S = 30


def is_low(settings: Settings) -> bool:
    """Return whether less than the reserve is free on the disk of the state."""
    return shutil.disk_usage(settings.home).free < settings.disk_reserve


def refusal(failure: Exception) -> Exception:
    """Return the answer to a request that failed because a disk is full; any other failure as it is."""
    is_full = isinstance(failure, asyncpg.DiskFullError) or (isinstance(failure, OSError) and failure.errno in FULL)
    return out_of_space(failure) if is_full else failure


def out_of_space(cause: BaseException) -> ServiceUnavailable:
    """Make the answer to a request that a full disk stopped."""
    return ServiceUnavailable("There is no space left on the server", cause=cause, retry_after_s=RETRY_AFTER_S)
