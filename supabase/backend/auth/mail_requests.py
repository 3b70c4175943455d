"""The limit of mails per address, and of SMS per number: one of a kind per `max_frequency` of `[auth.email]` or
`[auth.sms]`.

It counts requests, not mails: an address without an account is limited in the same way, and nobody learns from the
limit whether it has one. For the same reason what everybody together may still get counts here too, and how many
mails one network asked for.
"""

from __future__ import annotations

import hashlib
import math
from datetime import timedelta

from backend.auth import limits, queries
from backend.auth.access import Device
from backend.auth.errors import AuthError
from backend.core import db, http
from backend.core.resources import Resources

CONFIRMATION = "confirmation"
RECOVERY = "recovery"
EMAIL_CHANGE = "email_change"
REAUTHENTICATION = "reauthentication"
MAGIC_LINK = "magic_link"
SMS_CODE = "sms"
PHONE_CHANGE = "phone_change"
PHONE_REAUTHENTICATION = "phone_reauthentication"

_BY_SMS = (SMS_CODE, PHONE_CHANGE, PHONE_REAUTHENTICATION)
# For which any address will do. The same for those that have an account: a refusal must not tell which.
_BY_STRANGERS = (CONFIRMATION, MAGIC_LINK)

# Only somebody who is signed in asks for these.
_BY_OWNERS = (EMAIL_CHANGE, REAUTHENTICATION)


async def note(
    connection: db.Connection, resources: Resources, device: Device, email: str, purpose: str
) -> AuthError | None:
    """Counts a request; the refusal it deserves when the last one is too fresh.

    Until the transaction ends, other requests for the same address and purpose wait here.
    """
    settings = resources.settings.auth
    by_sms = purpose in _BY_SMS
    least = settings.sms.max_frequency if by_sms else settings.email.max_frequency
    budgets = () if by_sms else _budgets(device, email)
    try:
        limit = limits.TEXTS if by_sms else await _shared(connection, resources, device, email, purpose)
        await limits.refuse_if_used_up(connection, resources, limit)
        # Looked at before and taken after the address is noted: who is refused here has left no trace to learn from.
        for budget, subject in budgets:
            await limits.refuse_if_used_up(connection, resources, budget, subject)
        now = resources.now()
        digest = hashlib.sha256(email.encode()).digest()
        last = await queries.mail_requests.note(connection, digest, purpose, now, now - least)
        for budget, subject in budgets if last is None else ():
            await limits.take(connection, resources, budget, subject)
    except AuthError as refusal:
        return refusal
    if last is None:
        return None
    left_s = max(1, math.ceil((last + least - now) / timedelta(seconds=1)))
    return AuthError(
        429,
        limit.code,
        f"For security purposes, you can only request this after {left_s} seconds.",
        headers={"Retry-After": str(left_s)},
    )


def _budgets(device: Device, email: str) -> list[tuple[limits.Limit, str]]:
    """Return what the recipient and the network may still get; this machine is no network."""
    network = http.place_of(device.ip)
    return [(limits.MAILS_OF_RECIPIENT, email), *([(limits.MAILS_OF_NETWORK, network)] if network else [])]


async def _shared(
    connection: db.Connection, resources: Resources, device: Device, email: str, purpose: str
) -> limits.Limit:
    """Return how much of everybody's mails this one may use: first mails of a day come before later ones."""
    if purpose in _BY_OWNERS:
        return limits.MAILS
    network = http.place_of(device.ip)
    firsts = [(limits.FIRST_MAILS_OF_RECIPIENT, email)]
    firsts += [(limits.FIRST_MAILS_OF_NETWORK, network)] if network else []
    is_first = all([await limits.is_left(connection, resources, limit, subject) for limit, subject in firsts])
    if not is_first:
        return limits.LATER_MAILS
    return limits.MAILS_TO_STRANGERS if purpose in _BY_STRANGERS else limits.MAILS


async def refuse_too_frequent(
    connection: db.Connection, resources: Resources, device: Device, email: str, purpose: str
) -> None:
    """The same, raised. Raises AuthError over_email_send_rate_limit, over_sms_send_rate_limit."""
    if refusal := await note(connection, resources, device, email, purpose):
        raise refusal
