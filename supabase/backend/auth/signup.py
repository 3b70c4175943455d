"""POST /signup: a new account with address and password.

The answer is the same, in shape and time, whether the address is new or has an account: an address that is taken
gets a user that exists nowhere. Numbers and guests: phone_sign_up, anonymous.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    accounts,
    anonymous,
    audit,
    bodies,
    emails,
    errors,
    flow_states,
    mail_requests,
    passwords,
    phone_sign_up,
    queries,
    service,
    sessions,
    timing,
    user_metadata,
)
from backend.auth.access import AUDIENCE, Device, device
from backend.auth.accounts import NewAccount
from backend.auth.audit import Action
from backend.auth.bodies import Body
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
    """A new account: by address, by number, or for a guest who gives neither."""
    body = await bodies.read(request)
    email, phone = body.text("email"), body.text("phone")
    if not http.resources(request).settings.auth.enable_signup:
        raise AuthError(422, Code.SIGNUP_DISABLED, "Signups not allowed for this instance")
    if email and phone:
        raise errors.invalid("Only an email address or phone number should be provided on signup.")
    if phone:
        return await phone_sign_up.sign_up(request, body)
    return await _by_email(request, body) if email else await anonymous.sign_up(request, body)


async def _by_email(request: Request, body: Body) -> Response:
    """Creates the account and sends the confirmation, or signs in at once when the settings ask for no proof."""
    resources = http.resources(request)
    wanted = _read(body, resources.settings.auth)
    async with timing.evened_out():
        encrypted = await service.of(request).passwords.hash(wanted.password)
        async with db.transaction(resources.pool) as connection:
            outcome = await _register(connection, resources, service.post(request), wanted, encrypted, device(request))
    if isinstance(outcome, AuthError):
        raise outcome
    return sessions.response(outcome) if isinstance(outcome, Granted) else JSONResponse(outcome.public())


def _read(body: Body, settings: Auth) -> SignUp:
    if not settings.email.enabled:
        raise AuthError(422, Code.EMAIL_PROVIDER_DISABLED, "Email signups are disabled")
    password = body.text("password")
    if not password:
        raise errors.invalid("Signup requires a valid password")
    passwords.refuse_bad(password, settings)
    data = body.optional_object("data") or {}
    user_metadata.refuse_oversized(data)
    return SignUp(emails.normalise(body.text("email")), password, data, flow_states.read(body))


async def _register(
    connection: db.Connection, resources: Resources, post: Post, wanted: SignUp, encrypted: str, caller: Device
) -> User | Granted | AuthError:
    """A refusal is returned where what was written (the audit entry) must stay."""
    now, ask_for_proof = resources.now(), resources.settings.auth.email.enable_confirmations
    # First, for it also makes two sign-ups of one address take turns.
    too_frequent = await mail_requests.note(connection, resources, caller, wanted.email, mail_requests.CONFIRMATION)
    known = await queries.users.find_owner(connection, wanted.email)
    # An address that is not the account's own is one of its identities', whose provider had proof of it.
    if known and (known.confirmed_at or known.email != wanted.email):
        await audit.record(connection, Action.USER_REPEATED_SIGN_UP, known, caller, now, _PROVIDER)
        if too_frequent and ask_for_proof:
            return too_frequent
        if not ask_for_proof:
            return AuthError(422, Code.USER_ALREADY_EXISTS, "User already registered")
        await post.account_exists(connection, known, wanted.email)
        return _nobody(wanted, resources)
    if too_frequent and ask_for_proof:
        raise too_frequent
    user = await _save(connection, resources, wanted, encrypted, known, caller)
    if not ask_for_proof:
        return await _sign_in_at_once(connection, resources, user, caller)
    if wanted.challenge:
        await flow_states.begin(connection, resources, user.id, FLOW, wanted.challenge)
    await post.confirmation(connection, user, pkce=wanted.challenge is not None)
    await audit.record(connection, Action.USER_CONFIRMATION_REQUESTED, user, caller, now, _PROVIDER)
    return await accounts.reload(connection, user.id)


async def _save(
    connection: db.Connection, resources: Resources, wanted: SignUp, encrypted: str, known: User | None, caller: Device
) -> User:
    """A new account, or what the newest sign-up of an address that nobody has proved makes of the one there is."""
    account = NewAccount(email=wanted.email, encrypted_password=encrypted, data=wanted.data)
    if known is None:
        return await accounts.create(connection, resources, account, caller)
    return await accounts.start_over(connection, resources, known, account)


async def _sign_in_at_once(connection: db.Connection, resources: Resources, user: User, caller: Device) -> Granted:
    await accounts.confirm_email(connection, resources, user)
    await audit.record(connection, Action.USER_SIGNED_UP, user, caller, resources.now(), _PROVIDER)
    return await sessions.start(connection, resources, user, "password", caller)


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
