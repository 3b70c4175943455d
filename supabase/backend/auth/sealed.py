"""Secrets that must be read again (TOTP) rest encrypted; those that are only compared rest as keyed hashes.

The keys come from the installation's key file, so a copy of the database alone gives nothing away.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from backend.core.jwt import KeyRing

PREFIX = "aesgcm:"
_NONCE_BYTES = 12


def seal(keys: KeyRing, row_id: UUID, secret: str) -> str:
    """The secret for the row with this id: in another row it cannot be opened."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed = AESGCM(keys.derive("sealed secrets")).encrypt(nonce, secret.encode(), row_id.bytes)
    return PREFIX + base64.b64encode(nonce + sealed).decode()


def unseal(keys: KeyRing, row_id: UUID, stored: str) -> str:
    """The secret again; one that was imported in the clear is what it is. Raises InvalidTag for another's secret."""
    if not stored.startswith(PREFIX):
        return stored
    content = base64.b64decode(stored.removeprefix(PREFIX))
    return (
        AESGCM(keys.derive("sealed secrets"))
        .decrypt(content[:_NONCE_BYTES], content[_NONCE_BYTES:], row_id.bytes)
        .decode()
    )


def digest(keys: KeyRing, row_id: UUID, secret: str) -> str:
    """What a code of the row with this id is compared by."""
    return hmac.digest(keys.derive("hashed codes"), row_id.bytes + secret.encode(), "sha256").hex()
