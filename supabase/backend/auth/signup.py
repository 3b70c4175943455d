"""POST /signup: a new account with address and password.

The answer is the same, in shape and time, whether the address is new or has an account: an address that is taken
gets a user that exists nowhere. Anonymous and phone sign-ups are switched off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import asyncpg
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    audit,
    bodies,
    emails,
    errors,
    flow_states,
    mail_requests,
    passwords,
    queries,
    service,
    sessions,
    timing,
    user_metadata,
)
from backend.auth.access import AUDIENCE, Device, device
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.flow_states import Challenge
from backend.auth.mails import Post
from backend.auth.models import User
from backend.auth.sessions import Granted
from backend.core import db, http
from backend.core.config import Auth
from backend.core.resources import Resources

FLOW = "email/signup"
_PROVIDER = {"provider": "email"}


@dataclass(frozen=True)
class SignUp:
    """What somebody asks for."""

    email: str
    password: str = field(repr=False)
    data: dict[str, Any]
    challenge: Challenge | None


async def signup(request: Request) -> Response:
    """Creates the account and sends the confirmation, or signs in at once when the settings ask for no proof."""
    resources = http.resources(request)
    wanted = await _read(request, resources.settings.auth)
    async with timing.evened_out():
        encrypted = await service.of(request).passwords.hash(wanted.password)
        async with db.transaction(resources.pool) as connection:
            outcome = await _register(connection, resources, service.post(request), wanted, encrypted, device(request))
    if isinstance(outcome, AuthError):
        raise outcome
    return sessions.response(outcome) if isinstance(outcome, Granted) else JSONResponse(outcome.public())


async def _read(request: Request, settings: Auth) -> SignUp:
    body = await bodies.read(request)
    email, phone = body.text("email"), body.text("phone")
    if not settings.enable_signup:
        raise AuthError(422, Code.SIGNUP_DISABLED, "Signups not allowed for this instance")
    if email and phone:
        raise errors.invalid("Only an email address or phone number should be provided on signup.")
    if phone:
        raise AuthError(422, Code.PHONE_PROVIDER_DISABLED, "Phone signups are disabled")
    if not email:
        raise AuthError(422, Code.ANONYMOUS_PROVIDER_DISABLED, "Anonymous sign-ins are disabled")
    if not settings.email.enabled:
        raise AuthError(422, Code.EMAIL_PROVIDER_DISABLED, "Email signups are disabled")
    password = body.text("password")
    if not password:
        raise errors.invalid("Signup requires a valid password")
    passwords.refuse_bad(password, settings)
    data = body.optional_object("data") or {}
    user_metadata.refuse_oversized(data)
    return SignUp(emails.normalise(email), password, data, flow_states.read(body))


async def _register(
    connection: db.Connection, resources: Resources, post: Post, wanted: SignUp, encrypted: str, caller: Device
) -> User | Granted | AuthError:
    """A refusal is returned where what was written (the audit entry) must stay."""
    now, ask_for_proof = resources.now(), resources.settings.auth.email.enable_confirmations
    # First, for it also makes two sign-ups of one address take turns.
    too_frequent = await mail_requests.note(connection, resources, wanted.email, mail_requests.CONFIRMATION)
    known = await queries.users.find_by_email(connection, wanted.email)
    if known and known.email_confirmed_at:
        await audit.record(connection, Action.USER_REPEATED_SIGN_UP, known, caller, now, _PROVIDER)
        if too_frequent and ask_for_proof:
            return too_frequent
        if not ask_for_proof:
            return AuthError(422, Code.USER_ALREADY_EXISTS, "User already registered")
        return _nobody(wanted, resources)
    if too_frequent and ask_for_proof:
        raise too_frequent
    user = await _save(connection, resources, wanted, encrypted, known)
    if not ask_for_proof:
        return await _sign_in_at_once(connection, resources, user, caller)
    if wanted.challenge:
        await flow_states.begin(connection, resources, user.id, FLOW, wanted.challenge)
    await post.confirmation(connection, user, pkce=wanted.challenge is not None)
    await audit.record(connection, Action.USER_CONFIRMATION_REQUESTED, user, caller, now, _PROVIDER)
    return await _reload(connection, user)


async def _save(
    connection: db.Connection, resources: Resources, wanted: SignUp, encrypted: str, known: User | None
) -> User:
    now = resources.now()
    user_id = known.id if known else uuid4()
    try:
        if known:
            await queries.users.replace_sign_up(connection, user_id, encrypted, wanted.data, now)
        else:
            await queries.users.insert(
                connection,
                user_id=user_id,
                audience=AUDIENCE,
                email=wanted.email,
                encrypted_password=encrypted,
                user_metadata=wanted.data,
                now=now,
            )
        await queries.identities.put_email(connection, user_id=user_id, email=wanted.email, verified=False, now=now)
    except asyncpg.PostgresError as error:
        raise errors.database("Database error saving new user", error) from None
    user = await queries.users.find(connection, user_id)
    if user is None:
        raise AuthError(500, Code.UNEXPECTED_FAILURE, "Database error saving new user", cause="the row is gone")
    return user


async def _sign_in_at_once(connection: db.Connection, resources: Resources, user: User, caller: Device) -> Granted:
    now = resources.now()
    await queries.users.confirm_email(connection, user.id, now)
    await queries.identities.set_email(connection, user.id, user.email, now)
    await audit.record(connection, Action.USER_SIGNED_UP, user, caller, now, _PROVIDER)
    return await sessions.start(connection, resources, user, "password", caller)


async def _reload(connection: db.Connection, user: User) -> User:
    reloaded = await queries.users.find(connection, user.id)
    assert reloaded is not None
    return reloaded


def _nobody(wanted: SignUp, resources: Resources) -> User:
    """The user a new sign-up would have answered with; upstream too leaves its identities out."""
    now, user_id = resources.now(), uuid4()
    facts = {"sub": str(user_id), "email": wanted.email, "email_verified": False, "phone_verified": False}
    return User(
        id=user_id,
        aud=AUDIENCE,
        role="authenticated",
        email=wanted.email,
        phone="",
        app_metadata={"provider": "email", "providers": ["email"]},
        user_metadata={**wanted.data, **facts},
        created_at=now,
        updated_at=now,
        confirmation_sent_at=now,
    )
