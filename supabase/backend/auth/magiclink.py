"""POST /magiclink, and POST /otp with an address: a way in without password, by a link or the code beside it.

An address that is new, or that nobody has proved, gets a confirmation mail, as with a sign-up. The answer never says
which of them it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    access,
    accounts,
    audit,
    bodies,
    emails,
    errors,
    flow_states,
    mail_requests,
    queries,
    service,
    signup,
    timing,
    user_metadata,
)
from backend.auth.accounts import NewAccount
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.flow_states import Challenge
from backend.auth.models import User
from backend.core import db, http

FLOW = "magiclink"


@dataclass(frozen=True)
class MagicLink:
    """What somebody asks for; `create_user` is whether a new address may become an account."""

    email: str
    data: dict[str, Any]
    challenge: Challenge | None
    create_user: bool = True


async def magiclink(request: Request) -> Response:
    """Raises what `send` raises."""
    body = await bodies.read(request)
    if not body.text("email"):
        raise errors.invalid("Password recovery requires an email")
    return await send(request, read(body))


def read(body: Body, *, create_user: bool = True) -> MagicLink:
    """Raises AuthError validation_failed."""
    data = body.optional_object("data") or {}
    user_metadata.refuse_oversized(data)
    return MagicLink(emails.normalise(body.text("email")), data, flow_states.read(body), create_user)


async def send(request: Request, wanted: MagicLink) -> Response:
    """Always `{}`. Raises AuthError email_provider_disabled, signup_disabled, otp_disabled,
    over_email_send_rate_limit.
    """
    resources = http.resources(request)
    if not resources.settings.auth.email.enabled:
        raise AuthError(422, Code.EMAIL_PROVIDER_DISABLED, "Email logins are disabled")
    async with timing.evened_out(), db.transaction(resources.pool) as connection:
        await mail_requests.refuse_too_frequent(
            connection, resources, access.device(request), wanted.email, mail_requests.MAGIC_LINK
        )
        user = await queries.users.find_by_email(connection, wanted.email)
        if user is None and not may_create(request, create_user=wanted.create_user):
            refuse_unknown(request)
            return JSONResponse({})
        if user is None or user.confirmed_at is None:
            await _sign_up(connection, request, wanted, user)
        else:
            await _let_in(connection, request, wanted, user)
    return JSONResponse({})


def may_create(request: Request, *, create_user: bool) -> bool:
    """Whether an unknown address or number becomes an account. Where nobody may sign up there is nothing to hide:
    raises AuthError signup_disabled, otp_disabled.
    """
    if http.resources(request).settings.auth.enable_signup:
        return create_user
    if create_user:
        raise AuthError(422, Code.SIGNUP_DISABLED, "Signups not allowed for this instance")
    raise AuthError(422, Code.OTP_DISABLED, "Signups not allowed for otp")


def refuse_unknown(request: Request) -> None:
    """Say that there is no such account, as upstream, unless the settings hide it. Raises AuthError otp_disabled."""
    if not http.resources(request).settings.hide_unknown_addresses:
        raise AuthError(422, Code.OTP_DISABLED, "Signups not allowed for otp")


async def _sign_up(connection: db.Connection, request: Request, wanted: MagicLink, known: User | None) -> None:
    """An account without password; one that somebody else may have given the unproved account is gone."""
    resources, device = http.resources(request), access.device(request)
    if await queries.users.is_email_taken(connection, wanted.email, by_other_than=known.id if known else None):
        return  # Somebody else's by a provider's word: no second account, and no mail, as with a sign-up.
    account = NewAccount(email=wanted.email, data=wanted.data)
    if known is None:
        user = await accounts.create(connection, resources, account, device)
    else:
        user = await accounts.start_over(connection, resources, known, account)
    if not resources.settings.auth.email.enable_confirmations:
        await accounts.confirm_email(connection, resources, user)
        await audit.record(connection, Action.USER_SIGNED_UP, user, device, resources.now(), {"provider": "email"})
        await _let_in(connection, request, wanted, user)
        return
    if wanted.challenge:
        await flow_states.begin(connection, resources, user.id, signup.FLOW, wanted.challenge)
    await service.post(request).confirmation(connection, user, pkce=wanted.challenge is not None)
    await audit.record(
        connection, Action.USER_CONFIRMATION_REQUESTED, user, device, resources.now(), {"provider": "email"}
    )


async def _let_in(connection: db.Connection, request: Request, wanted: MagicLink, user: User) -> None:
    resources, device = http.resources(request), access.device(request)
    if await mail_requests.is_owners_valid(connection, resources, device, user, mail_requests.MAGIC_LINK):
        return
    if wanted.challenge:
        await flow_states.begin(connection, resources, user.id, FLOW, wanted.challenge)
    await service.post(request).magic_link(connection, user, pkce=wanted.challenge is not None)
    await audit.record(connection, Action.USER_RECOVERY_REQUESTED, user, device, resources.now())
