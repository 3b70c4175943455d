"""POST /signup with a number: a new account with phone and password, proved by a code.

As with addresses, the answer is the same whether the number is new or has an account.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    accounts,
    audit,
    errors,
    flow_states,
    mail_requests,
    passwords,
    phones,
    queries,
    service,
    sessions,
    sms_codes,
    timing,
    user_metadata,
)
from backend.auth.access import AUDIENCE, Device, device
from backend.auth.accounts import NewAccount
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.auth.sessions import Granted
from backend.core import db, http
from backend.core.config import Auth
from backend.core.resources import Resources

PROVIDER = {"provider": "phone"}


@dataclass(frozen=True)
class PhoneSignUp:
    """What somebody asks for; without a password they come in by codes."""

    phone: str
    encrypted_password: str = field(repr=False)
    data: dict[str, Any]
    channel: str


async def sign_up(request: Request, body: Body) -> Response:
    """The user, or a session at once when the settings ask for no proof."""
    resources = http.resources(request)
    phone, password, channel = _read(body, resources.settings.auth)
    data = body.optional_object("data") or {}
    user_metadata.refuse_oversized(data)
    async with timing.evened_out():
        encrypted = await service.of(request).passwords.hash(password)
        wanted = PhoneSignUp(phone, encrypted, data, channel)
        async with db.transaction(resources.pool) as connection:
            outcome = await _register(connection, resources, wanted, device(request))
    if isinstance(outcome, AuthError):
        raise outcome
    return sessions.response(outcome) if isinstance(outcome, Granted) else JSONResponse(outcome.public())


def _read(body: Body, settings: Auth) -> tuple[str, str, str]:
    if not settings.sms.enabled:
        raise AuthError(422, Code.PHONE_PROVIDER_DISABLED, "Phone signups are disabled")
    if flow_states.read(body):
        raise errors.invalid("PKCE not supported for phone signups")
    password = body.text("password")
    if not password:
        raise errors.invalid("Signup requires a valid password")
    passwords.refuse_bad(password, settings)
    return phones.normalise(body.text("phone")), password, phones.channel(body.text("channel"), settings)


async def _register(
    connection: db.Connection, resources: Resources, wanted: PhoneSignUp, caller: Device
) -> User | Granted | AuthError:
    """A refusal is returned where what was written (the audit entry, the counted request) must stay."""
    ask_for_proof = resources.settings.auth.sms.enable_confirmations
    # First, for it also makes two sign-ups of one number take turns.
    too_frequent = await mail_requests.note(connection, resources, caller, wanted.phone, mail_requests.SMS_CODE)
    if too_frequent and ask_for_proof:
        return too_frequent
    known = await queries.accounts.find_by_phone(connection, wanted.phone)
    if known and known.confirmed_at:
        await audit.record(connection, Action.USER_REPEATED_SIGN_UP, known, caller, resources.now(), PROVIDER)
        if not ask_for_proof:
            return AuthError(422, Code.USER_ALREADY_EXISTS, "User already registered")
        return _nobody(wanted, resources)
    user = await save(connection, resources, wanted, known, caller)
    if not ask_for_proof:
        await accounts.confirm_phone(connection, resources, user)
        await audit.record(connection, Action.USER_SIGNED_UP, user, caller, resources.now(), PROVIDER)
        return await sessions.start(connection, resources, user, "password", caller, provider="phone")
    await sms_codes.confirmation(connection, resources, user, wanted.channel)
    await audit.record(connection, Action.USER_CONFIRMATION_REQUESTED, user, caller, resources.now(), PROVIDER)
    return await accounts.reload(connection, user.id)


async def save(
    connection: db.Connection, resources: Resources, wanted: PhoneSignUp, known: User | None, caller: Device
) -> User:
    """A new account, or what the newest sign-up of a number that nobody has proved makes of the one there is."""
    account = NewAccount(phone=wanted.phone, encrypted_password=wanted.encrypted_password, data=wanted.data)
    if known is None:
        return await accounts.create(connection, resources, account, caller)
    return await accounts.start_over(connection, resources, known, account)


def _nobody(wanted: PhoneSignUp, resources: Resources) -> User:
    """The user a new sign-up would have answered with; upstream too leaves its identities out."""
    now, user_id = resources.now(), uuid4()
    return User(
        id=user_id,
        aud=AUDIENCE,
        role="authenticated",
        email="",
        phone=wanted.phone,
        app_metadata={"provider": "phone", "providers": ["phone"]},
        user_metadata={**wanted.data, "sub": str(user_id), "phone": wanted.phone, "phone_verified": False},
        created_at=now,
        updated_at=now,
        confirmation_sent_at=now,
    )
