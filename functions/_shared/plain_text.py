"""Text of strangers, from a mail or a message, as it is kept."""

from __future__ import annotations

import re

_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff]")


def clean(text: str) -> str:
    """Remove control characters other than line ends and tabs, directions of writing, and halves of characters."""
    plain = _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return plain.encode("utf-8", "replace").decode("utf-8")


def line(text: str) -> str:
    """Make one line of a text."""
    return " ".join(clean(text).split())
