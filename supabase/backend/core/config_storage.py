"""The settings of the storage service, by the CLI's keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NewType

# A number of bytes, which the file writes as Docker does: "50MiB", "500KB", always in powers of 1024.
ByteSize = NewType("ByteSize", int)

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
NO_LIMIT = ByteSize(0)
DEFAULT_LIMIT = ByteSize(50 * 2**20)
DEFAULT_QUOTA = ByteSize(20 * 2**30)


def byte_size(text: str) -> ByteSize:
    """Parse a size such as `50MiB`. Raises ValueError with what was expected."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    if found is None:
        raise ValueError('a size such as "50MiB"')
    return ByteSize(int(float(found[1]) * _UNITS[found[2]]))


@dataclass(frozen=True)
class Bucket:
    """A bucket that shall be there; without a limit the service's own holds."""

    public: bool = False
    file_size_limit: ByteSize = NO_LIMIT
    allowed_mime_types: tuple[str, ...] = ()
    # Read by the CLI only, whose `seed buckets` uploads the folder.
    objects_path: str = ""


@dataclass(frozen=True)
class ImageTransformation:
    """Resized pictures at /render/image."""

    enabled: bool = True


@dataclass(frozen=True)
class Storage:
    """`file_size_limit` holds for every upload; a bucket may set a lower one.

    `account_quota` is for all files of one account together, 0 for as many as it likes. It is not the CLI's and can be
    set from the environment only (SUPABASE_STORAGE_ACCOUNT_QUOTA).
    """

    enabled: bool = True
    file_size_limit: ByteSize = DEFAULT_LIMIT
    account_quota: ByteSize = DEFAULT_QUOTA
    buckets: Mapping[str, Bucket] = field(default_factory=dict)
    image_transformation: ImageTransformation = ImageTransformation()
