"""The limit of mails per address, and of SMS per number: one of a kind per `max_frequency` of `[auth.email]` or
`[auth.sms]`.

It counts requests, not mails: an address without an account is limited in the same way, and nobody learns from the
limit whether it has one. For the same reason what everybody together may still get counts here too, and how many
mails one network asked for.

The owner of an account is counted apart from strangers who name it (FAULT-47): a signed-in user, or a network from
which this account was signed in to before. A link that the owner asked for stays the newest while it is valid.
"""

from __future__ import annotations

import hashlib
import math
from datetime import timedelta

from backend.auth import limits, one_time_tokens, queries
from backend.auth.access import Device
from backend.auth.errors import AuthError
from backend.auth.models import User
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
# These let somebody in to an account, and any network may ask for them.
_TO_ACCOUNTS = (RECOVERY, MAGIC_LINK)

# The token of each purpose that strangers may ask for, and the purposes that share it.
_TOKENS = {
    RECOVERY: (one_time_tokens.RECOVERY, _TO_ACCOUNTS),
    MAGIC_LINK: (one_time_tokens.RECOVERY, _TO_ACCOUNTS),
    EMAIL_CHANGE: (one_time_tokens.EMAIL_CHANGE_NEW, (EMAIL_CHANGE,)),
}


async def note(
    connection: db.Connection,
    resources: Resources,
    device: Device,
    email: str,
    purpose: str,
    *,
    signed_in: bool = False,
) -> AuthError | None:
    """Counts a request; the refusal it deserves when the last one is too fresh.

    Until the transaction ends, other requests for the same address and purpose wait here.
    """
    own = signed_in or await _is_owner(connection, resources, device, email, purpose)
    counted_on = _own(email) if own else email
    settings = resources.settings.auth
    by_sms = purpose in _BY_SMS
    least = settings.sms.max_frequency if by_sms else settings.email.max_frequency
    budgets = () if by_sms else _budgets(device, counted_on)
    try:
        limit = limits.TEXTS if by_sms else await _shared(connection, resources, device, email, purpose, own=own)
        await limits.refuse_if_used_up(connection, resources, limit)
        if purpose in _TO_ACCOUNTS and not own and http.place_of(device.ip):
            await limits.refuse_if_used_up(connection, resources, limits.MAILS_TO_ACCOUNTS)
        # Looked at before and taken after the address is noted: who is refused here has left no trace to learn from.
        for budget, subject in budgets:
            await limits.refuse_if_used_up(connection, resources, budget, subject)
        now = resources.now()
        last = await queries.mail_requests.note(connection, _digest(counted_on), purpose, now, now - least)
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


async def _is_owner(connection: db.Connection, resources: Resources, device: Device, email: str, purpose: str) -> bool:
    """Tell whether the request comes from a network that signed in to the account before. Confirmations are counted
    for everybody together: two sign-ups of one address take turns.
    """
    if purpose not in _TOKENS:
        return False
    return await limits.is_known_place(connection, resources, email, http.place_of(device.ip))


async def is_owners_valid(
    connection: db.Connection, resources: Resources, device: Device, user: User, purpose: str
) -> bool:
    """Tell whether a stranger asks while a link that the owner asked for is valid: then nothing may replace it, and
    the answer is as if a mail had been sent. Locks the user, so that the owner's request comes before or after.
    """
    network = http.place_of(device.ip)
    if network is None or await limits.is_known_place(connection, resources, user.email, network):
        return False
    token_type, purposes = _TOKENS[purpose]
    await queries.users.lock(connection, user.id)
    since = resources.now() - timedelta(seconds=resources.settings.auth.email.otp_expiry)
    asked = await queries.mail_requests.is_noted(connection, _digest(_own(user.email)), purposes, since)
    return asked and await queries.one_time_tokens.has(connection, user.id, token_type)


def _own(email: str) -> str:
    """Return what the owner's requests are counted on; no address has a space."""
    return f"{email} own"


def _digest(counted_on: str) -> bytes:
    return hashlib.sha256(counted_on.encode()).digest()


def _budgets(device: Device, email: str) -> list[tuple[limits.Limit, str]]:
    """Return what the recipient and the network may still get; this machine is no network."""
    network = http.place_of(device.ip)
    return [(limits.MAILS_OF_RECIPIENT, email), *([(limits.MAILS_OF_NETWORK, network)] if network else [])]


async def _shared(
    connection: db.Connection, resources: Resources, device: Device, email: str, purpose: str, *, own: bool
) -> limits.Limit:
    """Return how much of everybody's mails this one may use: first mails of a day come before later ones."""
    if own:
        return limits.MAILS
    network = http.place_of(device.ip)
    firsts = [(limits.FIRST_MAILS_OF_RECIPIENT, email)]
    firsts += [(limits.FIRST_MAILS_OF_NETWORK, network)] if network else []
    is_first = all([await limits.is_left(connection, resources, limit, subject) for limit, subject in firsts])
    if not is_first:
        return limits.LATER_MAILS
    if purpose in _BY_STRANGERS:
        return limits.MAILS_TO_STRANGERS
    return limits.MAILS_FROM_ELSEWHERE if network else limits.MAILS


async def refuse_too_frequent(
    connection: db.Connection,
    resources: Resources,
    device: Device,
    email: str,
    purpose: str,
    *,
    signed_in: bool = False,
) -> None:
    """The same, raised. Raises AuthError over_email_send_rate_limit, over_sms_send_rate_limit."""
    if refusal := await note(connection, resources, device, email, purpose, signed_in=signed_in):
        raise refusal
