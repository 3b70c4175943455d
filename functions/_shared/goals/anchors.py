"""Sign how the chains of the ethical log end, and check signatures.

An anchor proves what the chain was on its day, also after the rows before it were erased (12 months).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backend.edge import api
from functions._shared import signatures

PURPOSE = "ethical log"


def sign(context: api.Context, anchor: Mapping[str, Any]) -> str:
    """Return the signature of an anchor, hexadecimal."""
    return signatures.sign(context, PURPOSE, _text(anchor))


def is_signed(context: api.Context, anchor: Mapping[str, Any]) -> bool:
    """Whether the signature of an anchor is ours and about what the anchor says."""
    return signatures.is_signed(context, PURPOSE, _text(anchor), anchor["signature"])


def public_key(context: api.Context) -> str:
    """Return the key with which anybody checks the anchors, hexadecimal."""
    return signatures.public_key(context, PURPOSE)


def _text(anchor: Mapping[str, Any]) -> str:
    return ":".join(str(anchor[field]) for field in ("chain", "seq", "day", "hash"))
