"""Signatures of rows that shall prove something later: Ed25519 with a key of the installation for each purpose."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from backend.edge import api


def sign(context: api.Context, purpose: str, text: str) -> str:
    """Return the signature of a text, hexadecimal."""
    return _key(context, purpose).sign(text.encode()).hex()


def is_signed(context: api.Context, purpose: str, text: str, signature: str | None) -> bool:
    """Tell whether a signature is ours, for this purpose and about this text."""
    try:
        _key(context, purpose).public_key().verify(bytes.fromhex(signature or ""), text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def public_key(context: api.Context, purpose: str) -> str:
    """Return the key with which anybody checks the signatures of a purpose, hexadecimal."""
    return _key(context, purpose).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def _key(context: api.Context, purpose: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(context.key(purpose))
