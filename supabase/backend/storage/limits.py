"""A bucket's limits as the API takes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from backend.storage import errors
from backend.storage.errors import Code

# Decimal units, unlike the CLI's file: "2mb" is 2,000,000 (measured against storage-api 1.11.2).
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_MIME = re.compile(r"[\w.+*-]+/[\w.+*-]+")


def size_bytes(given: Any) -> int | None:
    """A number of bytes, or a text such as "2mb"; null and 0 mean no limit of its own. Raises InvalidRequest."""
    if given is None:
        return None
    if isinstance(given, str) and (found := re.fullmatch(r"(\d{1,15})\s*([kmgt]?b?)", given.strip().lower())):
        given = int(found[1]) * _UNITS.get(found[2], 1)
    if type(given) is not int or not 0 <= given < 2**63:
        raise errors.bad_request('body/file_size_limit must be a size such as 1048576 or "2MB"')
    return given or None


def mime_types(given: Any) -> Sequence[str] | None:
    """Types a bucket takes; null means all. Raises InvalidMimeType, InvalidRequest."""
    if given is None:
        return None
    if not isinstance(given, list) or len(given) > 200 or not all(isinstance(item, str) for item in given):
        raise errors.bad_request("body/allowed_mime_types must be a list of texts", Code.INVALID_REQUEST)
    for item in given:
        if not _MIME.fullmatch(item):
            raise errors.bad_mime_type(item[:100])
    return given or None
