"""The part of a user that the user writes: bounded, for it travels in every access token."""

from __future__ import annotations

import json
from typing import Any

from backend.auth import errors

# An access token goes into a header, and servers refuse headers beyond 16 KiB.
MAX_BYTES = 8 * 1024


def refuse_oversized(data: dict[str, Any], name: str = "data") -> None:
    """Raises AuthError validation_failed, naming the field."""
    if len(json.dumps(data, ensure_ascii=False).encode()) > MAX_BYTES:
        raise errors.invalid(f"The field {name} is limited to {MAX_BYTES} bytes in all")
