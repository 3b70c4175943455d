"""Sign how the chains of the ethical log end, and check signatures: Ed25519 with a key of the installation.

An anchor proves what the chain was on its day, also after the rows before it were erased (12 months).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from backend.edge import api

PURPOSE = "ethical log"


def sign(context: api.Context, anchor: Mapping[str, Any]) -> str:
    """Return the signature of an anchor, hexadecimal."""
    return _key(context).sign(_text(anchor)).hex()


def is_signed(context: api.Context, anchor: Mapping[str, Any]) -> bool:
    """Whether the signature of an anchor is ours and about what the anchor says."""
    try:
        _key(context).public_key().verify(bytes.fromhex(anchor["signature"] or ""), _text(anchor))
    except (InvalidSignature, ValueError):
        return False
    return True


def public_key(context: api.Context) -> str:
    """Return the key with which anybody checks the anchors, hexadecimal."""
    return _key(context).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def _key(context: api.Context) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(context.key(PURPOSE))


def _text(anchor: Mapping[str, Any]) -> bytes:
    return ":".join(str(anchor[field]) for field in ("chain", "seq", "day", "hash")).encode()
