"""Encrypt secrets that must be read again, each for one row: in another row it cannot be opened."""

from __future__ import annotations

import base64
import secrets
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PREFIX = "aesgcm:"
_NONCE_BYTES = 12


class Undecryptable(InvalidTag):
    """A secret is of another row or another key, or damaged."""


def seal(key: bytes, row_id: UUID, secret: str) -> str:
    """Encrypt a secret for the row with this id."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return PREFIX + base64.b64encode(nonce + AESGCM(key).encrypt(nonce, secret.encode(), row_id.bytes)).decode()


def unseal(key: bytes, row_id: UUID, stored: str) -> str:
    """Decrypt a secret. Raises Undecryptable."""
    try:
        content = base64.b64decode(stored.removeprefix(PREFIX))
        return AESGCM(key).decrypt(content[:_NONCE_BYTES], content[_NONCE_BYTES:], row_id.bytes).decode()
    except (InvalidTag, ValueError) as error:
        # A ValueError is of what was cut or changed, and is no base64 or too short for a nonce.
        raise Undecryptable from error
