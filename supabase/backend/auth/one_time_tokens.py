"""Codes and links in mails (api-reference 2.7): made here, stored as hashes, taken once, newest only."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from backend.auth import queries
from backend.core import db
from backend.core.resources import Resources

# How GET /verify knows that a link began as a PKCE flow.
PKCE_PREFIX = "pkce_"

CONFIRMATION = "confirmation_token"
RECOVERY = "recovery_token"
REAUTHENTICATION = "reauthentication_token"
EMAIL_CHANGE_NEW = "email_change_token_new"
EMAIL_CHANGE_CURRENT = "email_change_token_current"

# Which stored tokens a `type` of /verify may mean. `email` is any code that proves an address.
TYPES = {
    "signup": [CONFIRMATION],
    "invite": [CONFIRMATION],
    "recovery": [RECOVERY],
    "magiclink": [RECOVERY],
    "email_change": [EMAIL_CHANGE_NEW, EMAIL_CHANGE_CURRENT],
    "email": [CONFIRMATION, RECOVERY],
}


@dataclass(frozen=True)
class OneTimeToken:
    """What a mail carries: a code to type and the hash that stands in its link."""

    code: str = field(repr=False)
    hash: str = field(repr=False)

    @property
    def is_pkce(self) -> bool:
        return self.hash.startswith(PKCE_PREFIX)


@dataclass(frozen=True)
class Taken:
    """A token that was valid and is used up now."""

    user_id: UUID
    token_type: str
    email: str


def make(email: str, length: int, *, pkce: bool = False) -> OneTimeToken:
    """A code for this address and its hash (upstream's: SHA-224 of address and code)."""
    code = "".join(secrets.choice("0123456789") for _ in range(length))
    return OneTimeToken(code, (PKCE_PREFIX if pkce else "") + _hash(email, code))


async def store(
    connection: db.Connection, resources: Resources, user_id: UUID, token_type: str, token: OneTimeToken, email: str
) -> None:
    """Makes the token valid; an older one of its kind ends."""
    await queries.one_time_tokens.put(
        connection,
        token_id=uuid4(),
        user_id=user_id,
        token_type=token_type,
        token_hash=token.hash,
        email=email,
        now=resources.now(),
    )


async def take_by_hash(connection: db.Connection, resources: Resources, token_hash: str, kind: str) -> Taken | None:
    """Uses up the token of a link; None when it is unknown, used, replaced or too old."""
    return await _take(connection, resources, [token_hash], TYPES.get(kind, []))


async def is_known(connection: db.Connection, token_hash: str) -> bool:
    """Whether an invitation with this hash waits for somebody; uses nothing up."""
    return await queries.one_time_tokens.exists(connection, token_hash, TYPES["invite"])


async def take_by_code(
    connection: db.Connection, resources: Resources, email: str, code: str, kind: str
) -> Taken | None:
    """Uses up the code sent to an address; None as above."""
    if not re.fullmatch(rf"\d{{{resources.settings.auth.email.otp_length}}}", code, re.ASCII):
        return None
    plain = _hash(email, code)
    return await _take(connection, resources, [plain, PKCE_PREFIX + plain], TYPES.get(kind, []))


async def take_nonce(connection: db.Connection, resources: Resources, email: str, code: str) -> Taken | None:
    """Uses up the code of a reauthentication."""
    return await _take(connection, resources, [_hash(email, code)], [REAUTHENTICATION])


async def _take(connection: db.Connection, resources: Resources, hashes: list[str], types: list[str]) -> Taken | None:
    row = await queries.one_time_tokens.take(connection, hashes, types)
    if row is None:
        return None
    user_id, token_type, email, created_at = row
    lifetime = timedelta(seconds=resources.settings.auth.email.otp_expiry)
    if resources.now() >= created_at + lifetime:
        return None
    return Taken(user_id, token_type, email)


def _hash(email: str, code: str) -> str:
    return hashlib.sha224((email + code).encode()).hexdigest()
