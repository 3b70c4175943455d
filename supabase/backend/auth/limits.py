"""Limit how often one address, one account, or everybody together may ask (AUTH-23).

Three kinds, all kept in Postgres so that several processes agree, all answered 429 with Retry-After:

* per IP address: a token bucket, declared beside the route (`limited`) or, where the body decides, taken by the
  handler;
* per secret: whoever guesses at a password, code or nonce waits twice as long after each wrong one. Counted by what
  was typed, whether or not there is such an account. A network that signed in before has tries of its own, and a link
  in a mail and a passkey cannot be guessed and are not held up, so a stranger who guesses on purpose locks nobody out;
* mails: so many an hour for one recipient and for one network, and for everybody together only to protect the mail
  server. Of that a half is kept for mails that are among the first of their network and of their recipient on a day,
  so that whoever asks for many empties no bucket for those who ask for their first. A sixth is kept for signed-in users
  and for networks that signed in to the account before, which also have an hour of their own for each recipient
  (FAULT-47). Other mails to accounts have a pace of their own, so that sign-ups keep the rest. With nothing left, every
  request is refused, so that the refusal tells nobody which addresses exist. Mails to addresses of anybody's invention
  leave a third to those who have an account. SMS have one bucket.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction

from starlette.requests import Request
from starlette.responses import Response

from backend.auth import queries
from backend.auth.errors import AuthError, Code
from backend.core import db, http
from backend.core.config import RateLimit
from backend.core.resources import Resources

Handler = Callable[[Request], Awaitable[Response]]

# Tries at one secret that cost nothing, how long the door is closed at most, and when all is forgotten.
FREE_TRIES = 10
LONGEST_WAIT = timedelta(minutes=5)
TRIES_REMEMBERED = timedelta(days=1)
# A network from which somebody signed in counts as theirs for so long.
PLACES_REMEMBERED = timedelta(days=90)


@dataclass(frozen=True)
class Limit:
    """So many times in a period; `share` is how much of the bucket of this name it may use up."""

    name: str
    period: timedelta
    allowed: Callable[[RateLimit], int]
    code: Code = Code.OVER_REQUEST_RATE_LIMIT
    message: str = "Request rate limit reached"
    share: Fraction = Fraction(1)


# Requests of one process whose limit is looked up at the same time.
TURNS = 4
FIVE_MINUTES, MINUTE, HOUR, DAY = timedelta(minutes=5), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

# Per address. Separate buckets, so that a storm of recovery mails from one network leaves its sign-ins alone.
SIGN_UP = Limit("sign_up", FIVE_MINUTES, lambda settings: settings.sign_in_sign_ups)
SIGN_IN = Limit("sign_in", FIVE_MINUTES, lambda settings: settings.sign_in_sign_ups)
SEND = Limit("send", FIVE_MINUTES, lambda settings: settings.sign_in_sign_ups)
USER = Limit("user", FIVE_MINUTES, lambda settings: settings.sign_in_sign_ups)
VERIFY = Limit("verify", FIVE_MINUTES, lambda settings: settings.token_verifications)
REFRESH = Limit("refresh", FIVE_MINUTES, lambda settings: settings.token_refresh)
WEB3 = Limit("web3", FIVE_MINUTES, lambda settings: settings.web3)
ANONYMOUS = Limit("anonymous", HOUR, lambda settings: settings.anonymous_users)
MFA = Limit("mfa", MINUTE, lambda settings: settings.mfa)
REGISTER_CLIENT = Limit("register_client", FIVE_MINUTES, lambda settings: settings.client_registrations)

# Per address too, of requests for a mail, whether or not one is sent.
MAILS_OF_NETWORK = Limit(
    "mails_of_network",
    HOUR,
    lambda settings: settings.email_sent_per_network,
    Code.OVER_EMAIL_SEND_RATE_LIMIT,
    "email rate limit exceeded",
)

# Everybody together.
MAILS = Limit(
    "mails",
    HOUR,
    lambda settings: settings.email_sent,
    Code.OVER_EMAIL_SEND_RATE_LIMIT,
    "email rate limit exceeded",
)
# Of the same bucket: mails to addresses of anybody's invention, and mails to which no new network or recipient belongs.
MAILS_TO_STRANGERS = replace(MAILS, share=Fraction(2, 3))
LATER_MAILS = replace(MAILS, share=Fraction(1, 2))
# Of the same bucket: mails to an account that a network asks for that never signed in to it.
MAILS_FROM_ELSEWHERE = replace(MAILS, share=Fraction(5, 6))
# Those once more, at a pace of their own: however many networks ask, the others get the rest of each hour.
MAILS_TO_ACCOUNTS = Limit(
    "mails_to_accounts",
    HOUR,
    lambda settings: math.ceil(settings.email_sent * Fraction(5, 8)),
    Code.OVER_EMAIL_SEND_RATE_LIMIT,
    "email rate limit exceeded",
)
# To one address: for all strangers together, and once more for its owner.
MAILS_OF_RECIPIENT = Limit(
    "mails_of_recipient", HOUR, lambda _settings: 6, Code.OVER_EMAIL_SEND_RATE_LIMIT, "email rate limit exceeded"
)
# The mails of a day that come before everybody's later ones.
FIRST_MAILS_OF_NETWORK = Limit("first_mails_of_network", DAY, lambda _settings: 2)
FIRST_MAILS_OF_RECIPIENT = Limit("first_mails_of_recipient", DAY, lambda _settings: 5)
TEXTS = Limit(
    "texts", HOUR, lambda settings: settings.sms_sent, Code.OVER_SMS_SEND_RATE_LIMIT, "SMS rate limit exceeded"
)

# The limit of POST /token follows from the way in.
OF_GRANT: Mapping[str, Limit] = {"refresh_token": REFRESH, "pkce": REFRESH, "web3": WEB3}


def limited(limit: Limit | Callable[[Request], Limit], handler: Handler) -> Handler:
    """The handler, behind a limit for each IP address. Raises AuthError over_request_rate_limit."""

    async def guarded(request: Request) -> Response:
        await spend(request, limit if isinstance(limit, Limit) else limit(request))
        return await handler(request)

    guarded.__doc__, guarded.__name__ = handler.__doc__, handler.__name__
    guarded.__module__ = handler.__module__
    return guarded


def of_grant(request: Request) -> Limit:
    """The limit of one request to /token."""
    return OF_GRANT.get(request.query_params.get("grant_type", ""), SIGN_IN)


async def spend(request: Request, limit: Limit) -> None:
    """One request of the caller's address; it counts whatever becomes of it. Raises AuthError with the limit's code."""
    resources = http.resources(request)
    subject = http.network(http.client_ip(request, resources.settings))
    # A storm of requests that are limited must not take every connection from those that are not.
    turns: asyncio.Semaphore = request.app.state.limit_turns
    async with turns, db.connection(resources.pool) as connection:
        await take(connection, resources, limit, subject)


async def take(connection: db.Connection, resources: Resources, limit: Limit, subject: str = "") -> None:
    """One token, in the caller's transaction if there is one: then it counts when that commits.

    Raises AuthError with the limit's code.
    """
    allowed, now = limit.allowed(resources.settings.auth.rate_limit), resources.now()
    if allowed == 0:
        raise _refusal(limit.code, limit.message, limit.period)
    cost, window = _measures(limit, allowed)
    free_at = await queries.rate_limits.take(
        connection, _digest(limit.name, subject), cost=cost, window=window, period=limit.period, now=now
    )
    if free_at is not None:
        raise _refusal(limit.code, limit.message, free_at - now)


async def is_left(connection: db.Connection, resources: Resources, limit: Limit, subject: str) -> bool:
    """Take one token and tell whether there was one."""
    try:
        await take(connection, resources, limit, subject)
    except AuthError:
        return False
    return True


async def refuse_if_used_up(connection: db.Connection, resources: Resources, limit: Limit, subject: str = "") -> None:
    """Before it is known whether something would be sent: takes nothing. Raises AuthError with the limit's code."""
    allowed, now = limit.allowed(resources.settings.auth.rate_limit), resources.now()
    cost, window = _measures(limit, max(allowed, 1))
    if allowed == 0 or await queries.rate_limits.is_empty(
        connection, _digest(limit.name, subject), cost=cost, window=window, period=limit.period, now=now
    ):
        raise _refusal(limit.code, limit.message, cost)


def _measures(limit: Limit, allowed: int) -> tuple[timedelta, timedelta]:
    """The time in which one token comes back, and in which an empty bucket fills up."""
    cost = limit.period / allowed
    return cost, cost * math.ceil(allowed * limit.share)


async def begin_try(resources: Resources, secret: str, subject: str, network: str | None = None) -> bytes:
    """Count a guess at somebody's password, code or nonce before it is looked at; `forget_tries` when it was right.

    A `network` from which this account was signed in to before has tries of its own: strangers who guess elsewhere do
    not use them up. Returns what the tries are counted on. On a connection of its own, for it must count although the
    request fails. Raises AuthError over_request_rate_limit.
    """
    now = resources.now()
    counted_on = [_digest(secret, subject)]
    async with db.connection(resources.pool) as connection:
        if await is_known_place(connection, resources, subject, network):
            counted_on.insert(0, _digest(secret, f"{subject} {network}"))
        for counted in counted_on:
            open_at = await queries.attempts.begin(
                connection, counted, free=FREE_TRIES, longest=LONGEST_WAIT, memory=TRIES_REMEMBERED, now=now
            )
            if open_at is None:
                return counted
    assert open_at is not None
    raise _refusal(Code.OVER_REQUEST_RATE_LIMIT, "Request rate limit reached", open_at - now)


def place_of(subject: str, network: str) -> bytes:
    """Return the hash by which a network is remembered that this address or number was signed in from."""
    return _digest("place", f"{subject} {network}")


async def is_known_place(connection: db.Connection, resources: Resources, subject: str, network: str | None) -> bool:
    """Tell whether this address or number was signed in from a network before."""
    if not network:
        return False
    return await queries.attempts.is_known(connection, place_of(subject, network), resources.now())


async def remember_place(connection: db.Connection, resources: Resources, subject: str, network: str) -> None:
    """Remember that this address or number was signed in from a network, for PLACES_REMEMBERED."""
    now = resources.now()
    await queries.attempts.remember(connection, place_of(subject, network), now, now + PLACES_REMEMBERED)


async def forget_tries(connection: db.Connection, secret: str, subject: str | bytes) -> None:
    """Forget the tries at a secret, or those counted on what `begin_try` returned: the guess was right."""
    counted = subject if isinstance(subject, bytes) else _digest(secret, subject)
    await queries.attempts.forget(connection, counted)


# What is guessed at: the first argument of `begin_try`.
PASSWORD = "password"  # noqa: S105 - the name of a kind
CODE = "code"
NONCE = "nonce"
FACTOR = "factor"


def _digest(name: str, subject: str) -> bytes:
    """Addresses of people and machines are nobody's business for longer than needed: the table holds hashes."""
    return hashlib.sha256(f"{name} {subject}".encode()).digest()[:16]


def _refusal(code: Code, message: str, wait: timedelta) -> AuthError:
    left_s = max(1, math.ceil(wait / timedelta(seconds=1)))
    return AuthError(429, code, message, headers={"Retry-After": str(left_s)})
