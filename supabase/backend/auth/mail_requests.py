"""The limit of mails per address: one of a kind per `auth.email.max_frequency`.

It counts requests, not mails: an address without an account is limited in the same way, and nobody learns from the
limit whether it has one.
"""

from __future__ import annotations

import hashlib
import math
from datetime import timedelta

from backend.auth import queries
from backend.auth.errors import AuthError, Code
from backend.core import db
from backend.core.resources import Resources

CONFIRMATION = "confirmation"
RECOVERY = "recovery"
EMAIL_CHANGE = "email_change"
REAUTHENTICATION = "reauthentication"


async def note(connection: db.Connection, resources: Resources, email: str, purpose: str) -> AuthError | None:
    """Counts a request; the refusal it deserves when the last one is too fresh.

    Until the transaction ends, other requests for the same address and purpose wait here.
    """
    now, least = resources.now(), resources.settings.auth.email.max_frequency
    digest = hashlib.sha256(email.encode()).digest()
    last = await queries.mail_requests.note(connection, digest, purpose, now, now - least)
    if last is None:
        return None
    left_s = max(1, math.ceil((last + least - now) / timedelta(seconds=1)))
    return AuthError(
        429,
        Code.OVER_EMAIL_SEND_RATE_LIMIT,
        f"For security purposes, you can only request this after {left_s} seconds.",
        headers={"Retry-After": str(left_s)},
    )


async def refuse_too_frequent(connection: db.Connection, resources: Resources, email: str, purpose: str) -> None:
    """The same, raised. Raises AuthError over_email_send_rate_limit."""
    if refusal := await note(connection, resources, email, purpose):
        raise refusal
