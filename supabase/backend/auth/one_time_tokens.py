"""Make the codes and links of mails and SMS, store them as hashes, and take each once, the newest only (AUTH-11)."""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from backend.auth import queries
from backend.auth.models import User
from backend.core import db
from backend.core.jwt import KeyRing
from backend.core.resources import Resources

# How GET /verify knows that a link began as a PKCE flow.
PKCE_PREFIX = "pkce_"

CONFIRMATION = "confirmation_token"
RECOVERY = "recovery_token"
REAUTHENTICATION = "reauthentication_token"
EMAIL_CHANGE_NEW = "email_change_token_new"
EMAIL_CHANGE_CURRENT = "email_change_token_current"
PHONE_CHANGE = "phone_change_token"

# A code by SMS lives shorter than one by mail. Upstream's default of 60 seconds is less than some SMS take.
SMS_LIFETIME = timedelta(minutes=5)

# Which stored tokens a `type` of /verify may mean. `email` is any code that proves an address.
TYPES = {
    "signup": [CONFIRMATION],
    "invite": [CONFIRMATION],
    "recovery": [RECOVERY],
    "magiclink": [RECOVERY],
    "email_change": [EMAIL_CHANGE_NEW, EMAIL_CHANGE_CURRENT],
    "email": [CONFIRMATION, RECOVERY],
}
# The same for codes by SMS, which have no links.
SMS_TYPES = {"sms": [CONFIRMATION], "phone_change": [PHONE_CHANGE]}


@dataclass(frozen=True)
class OneTimeToken:
    """What a mail carries: a code to type and the hash that stands in its link."""

    code: str = field(repr=False)
    hash: str = field(repr=False)


@dataclass(frozen=True)
class Taken:
    """A token that was valid and is used up now; `email` is the address or number it was sent to."""

    user_id: UUID
    token_type: str
    email: str


def make(keys: KeyRing, email: str, length: int, *, pkce: bool = False, code: str = "") -> OneTimeToken:
    """A code for this address (a new one, unless given) and its hash."""
    code = code or "".join(secrets.choice("0123456789") for _ in range(length))
    return OneTimeToken(code, (PKCE_PREFIX if pkce else "") + _hash(keys, email, code))


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
    """Uses up the token of a link; None when it is unknown, used, replaced, too old, or sent to what was the address
    once. No SMS carries a link.
    """
    taken = await _take(connection, resources, [token_hash], TYPES.get(kind, []))
    return taken if taken and "@" in taken.email else None


async def is_known(connection: db.Connection, token_hash: str) -> bool:
    """Whether an invitation with this hash waits for somebody; uses nothing up."""
    return await queries.one_time_tokens.exists(connection, token_hash, TYPES["invite"])


async def take_by_code(
    connection: db.Connection, resources: Resources, email: str, code: str, kind: str
) -> Taken | None:
    """Uses up the code sent to an address; None as above."""
    if not re.fullmatch(rf"\d{{{resources.settings.auth.email.otp_length}}}", code, re.ASCII):
        return None
    plain = _hash(resources.keys, email, code)
    return await _take(connection, resources, [plain, PKCE_PREFIX + plain], TYPES.get(kind, []))


async def take_by_sms(
    connection: db.Connection, resources: Resources, phone: str, code: str, kind: str
) -> Taken | None:
    """Uses up the code sent to a number; None as above."""
    if not re.fullmatch(r"\d{4,10}", code, re.ASCII):
        return None
    hashes = [_hash(resources.keys, phone, code)]
    return await _take(connection, resources, hashes, SMS_TYPES.get(kind, []), SMS_LIFETIME)


async def take_nonce(connection: db.Connection, resources: Resources, user: User, code: str) -> Taken | None:
    """Uses up the code of a reauthentication, which went to the address or else to the phone."""
    address, lifetime = (user.email, None) if user.email else (user.phone, SMS_LIFETIME)
    taken = await _take(connection, resources, [_hash(resources.keys, address, code)], [REAUTHENTICATION], lifetime)
    return taken if taken and taken.user_id == user.id else None


async def _take(
    connection: db.Connection,
    resources: Resources,
    hashes: list[str],
    types: list[str],
    lifetime: timedelta | None = None,
) -> Taken | None:
    row = await queries.one_time_tokens.take(connection, hashes, types)
    if row is None:
        return None
    user_id, token_type, email, created_at = row
    if resources.now() >= created_at + (lifetime or timedelta(seconds=resources.settings.auth.email.otp_expiry)):
        return None
    return Taken(user_id, token_type, email)


def _hash(keys: KeyRing, email: str, code: str) -> str:
    """As long as upstream's, but keyed: upstream's plain SHA-224 of address and code is the code in another dress,
    and whoever knows the address could try out the million links of it, past the limit on codes.
    """
    return hmac.digest(keys.derive("one-time tokens"), f"{email}\0{code}".encode(), "sha224").hex()
