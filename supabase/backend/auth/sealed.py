"""Secrets that must be read again (TOTP) rest encrypted; those that are only compared rest as keyed hashes.

The keys come from the installation's key file, so a copy of the database alone gives nothing away.
"""

from __future__ import annotations

import hmac
from uuid import UUID

from backend.core import sealed
from backend.core.jwt import KeyRing
from backend.core.sealed import PREFIX as PREFIX


def seal(keys: KeyRing, row_id: UUID, secret: str) -> str:
    """The secret for the row with this id: in another row it cannot be opened."""
    return sealed.seal(keys.derive("sealed secrets"), row_id, secret)


def unseal(keys: KeyRing, row_id: UUID, stored: str) -> str:
    """The secret again; one that was imported in the clear is what it is. Raises InvalidTag for another's secret."""
    if not stored.startswith(PREFIX):
        return stored
    return sealed.unseal(keys.derive("sealed secrets"), row_id, stored)


def digest(keys: KeyRing, row_id: UUID, secret: str) -> str:
    """What a code of the row with this id is compared by."""
    return hmac.digest(keys.derive("hashed codes"), row_id.bytes + secret.encode(), "sha256").hex()
