"""E-mail addresses: what counts as one, and how it is written down."""

from __future__ import annotations

import re

from backend.auth import errors

MAX_LENGTH = 255

# The HTML standard's pattern for <input type=email>, which upstream uses too.
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS = re.compile(rf"[a-z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*")


def normalise(email: str) -> str:
    """The address in lower case. Raises AuthError validation_failed."""
    if not email:
        raise errors.invalid("An email address is required")
    if len(email) > MAX_LENGTH:
        raise errors.invalid("An email address is too long")
    address = email.lower()
    if not _ADDRESS.fullmatch(address):
        raise errors.invalid("Unable to validate email address: invalid format")
    return address
