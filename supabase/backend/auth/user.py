"""GET and PUT /user: the caller's own account."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    access,
    accounts,
    audit,
    bodies,
    emails,
    flow_states,
    limits,
    mail_requests,
    mails,
    one_time_tokens,
    passwords,
    phone_verification,
    phones,
    queries,
    service,
    sms_codes,
    user_metadata,
)
from backend.auth.access import Caller
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.flow_states import Challenge
from backend.core import db, http
from backend.core.config import Auth

# With `secure_password_change`, a session older than this needs a nonce to change the password.
RECENT_SIGN_IN = timedelta(hours=24)
# Ways in for whoever forgot the password: the current one cannot be asked for.
_WITHOUT_PASSWORD = {"otp", "magiclink", "recovery"}


@dataclass(frozen=True)
class Change:
    """What the caller wants to be different; None and '' mean: as it is."""

    email: str
    phone: str
    channel: str
    password: str | None = field(repr=False)
    current_password: str = field(repr=False)
    nonce: str = field(repr=False)
    data: dict[str, Any] | None
    challenge: Challenge | None


@dataclass(frozen=True)
class NewPassword:
    """The hash to store, and whether the account has this password already."""

    encrypted: str = field(repr=False)
    is_old: bool


async def get(request: Request) -> Response:
    """Return the user of the token; only what is needed to answer while the second factor is owed."""
    caller = await access.caller(request, applications=True, owing=True)
    return JSONResponse(caller.user.public_before_factor() if caller.owes_factor else caller.user.public())


async def put(request: Request) -> Response:
    """Changes what is named; a new address counts once it has been proved."""
    resources = http.resources(request)
    caller = await access.caller(request, owing=True)
    change = await _read(request, caller, resources.settings.auth)
    if change.nonce:
        await limits.begin_try(resources, limits.NONCE, str(caller.user.id))
    new = await _new_password(request, caller, change) if change.password is not None else None
    async with db.transaction(resources.pool) as connection:
        # Before anything is written: the hash took its time.
        await access.hold(connection, caller.user.id, caller.session_id)
        if new is not None:
            await _change_password(connection, request, caller, change, new.encrypted)
        if change.data is not None:
            await queries.users.merge_metadata(connection, caller.user.id, change.data, resources.now())
        if change.email:
            await _begin_email_change(connection, request, caller, change)
        if change.phone:
            await _begin_phone_change(connection, request, caller, change)
        device = access.device(request)
        await audit.record(connection, Action.USER_MODIFIED, caller.user, device, resources.now())
        user = await queries.users.find(connection, caller.user.id)
        if user is None:
            raise AuthError(403, Code.USER_NOT_FOUND, "User from sub claim in JWT does not exist")
        user_metadata.refuse_oversized(user.user_metadata)
        if new is not None and new.is_old:
            # Last, when a wrong guess would have become the password: nobody guesses on and on.
            raise AuthError(422, Code.SAME_PASSWORD, "New password should be different from the old password.")
    return JSONResponse(user.public())


async def _read(request: Request, caller: Caller, settings: Auth) -> Change:
    body, user = await bodies.read(request), caller.user
    email = emails.normalise(body.text("email")) if body.text("email") else ""
    phone = phones.normalise(body.text("phone")) if body.text("phone") else ""
    change = Change(
        email=email if email != user.email else "",
        phone=phone if phone != user.phone else "",
        channel=phones.channel(body.text("channel"), settings),
        current_password=body.text("current_password"),
        password=body.optional_text("password"),
        nonce=body.text("nonce"),
        data=body.optional_object("data"),
        challenge=flow_states.read(body),
    )
    if body.optional_object("app_metadata") is not None:
        raise AuthError(403, Code.NOT_ADMIN, "Updating app_metadata requires admin privileges")
    if change.phone and not settings.sms.enabled:
        raise AuthError(422, Code.PHONE_PROVIDER_DISABLED, "Phone logins are disabled")
    if change.password is not None:
        if user.is_anonymous and not (email or phone):
            message = "Updating password of an anonymous user without an email or phone is not allowed"
            raise AuthError(422, Code.VALIDATION_FAILED, message)
        passwords.refuse_bad(change.password, settings)
    if change.email or change.phone or change.password is not None or caller.owes_factor:
        _refuse_untrusted(caller)
    return change


def _refuse_untrusted(caller: Caller) -> None:
    """The ways in change only from a session as strong as the account, and never for accounts of a company."""
    if caller.user.is_sso_user:
        message = "Updating email, phone, password of a SSO account only possible via SSO"
        raise AuthError(422, Code.USER_SSO_MANAGED, message)
    if caller.user.has_verified_factor and (caller.session is None or caller.session.aal != "aal2"):
        message = "AAL2 session is required to update email or password when MFA is enabled."
        raise AuthError(401, Code.INSUFFICIENT_AAL, message)


async def _new_password(request: Request, caller: Caller, change: Change) -> NewPassword:
    """Hashes before the transaction, so that no connection waits for it; twice in any case, so that the time tells
    nothing. Raises AuthError current_password_required, current_password_invalid.
    """
    hashing = service.of(request).passwords
    assert change.password is not None
    await _require_current_password(request, caller, change)
    checked = await hashing.check(caller.user.encrypted_password, change.password)
    return NewPassword(await hashing.hash(change.password), checked.matches)


async def _require_current_password(request: Request, caller: Caller, change: Change) -> None:
    """Where the settings ask for it: not of who has none, nor of who has just come in by mail or SMS instead."""
    resources, user = http.resources(request), caller.user
    methods = {method for method, _moment in caller.session.amr} if caller.session else set()
    exempt = not user.encrypted_password or methods & _WITHOUT_PASSWORD
    if exempt or not resources.settings.auth.email.require_current_password:
        return
    if not change.current_password:
        message = "Current password required when setting new password."
        raise AuthError(400, Code.CURRENT_PASSWORD_REQUIRED, message)
    network = http.place_of(access.device(request).ip)
    tries = await limits.begin_try(resources, limits.PASSWORD, user.email or user.phone, network)
    if not (await service.of(request).passwords.check(user.encrypted_password, change.current_password)).matches:
        raise AuthError(400, Code.CURRENT_PASSWORD_INVALID, "Current password is not correct.")
    async with db.connection(resources.pool) as connection:
        await limits.forget_tries(connection, limits.PASSWORD, tries)


async def _change_password(
    connection: db.Connection, request: Request, caller: Caller, change: Change, encrypted: str
) -> None:
    """Whoever else was in is out, and no older mail opens the account any more."""
    resources, user = http.resources(request), caller.user
    await _require_recent_proof(connection, request, caller, change)
    await queries.users.set_password(connection, user.id, encrypted, resources.now())
    await queries.users.clear_pending_tokens(connection, user.id)
    if caller.session is None:
        await queries.sessions.delete_all(connection, user.id)
    else:
        await queries.sessions.delete_others(connection, user.id, caller.session.id)
    await audit.record(connection, Action.USER_UPDATED_PASSWORD, user, access.device(request), resources.now())
    if user.email:
        await service.post(request).notice(connection, mails.PASSWORD_CHANGED, user.email, user)


async def _require_recent_proof(connection: db.Connection, request: Request, caller: Caller, change: Change) -> None:
    resources = http.resources(request)
    signed_in_at = caller.session.created_at if caller.session else None
    recent = signed_in_at is not None and resources.now() < signed_in_at + RECENT_SIGN_IN
    if not resources.settings.auth.email.secure_password_change or recent:
        return
    if not change.nonce:
        raise AuthError(400, Code.REAUTHENTICATION_NEEDED, "Password update requires reauthentication")
    taken = await one_time_tokens.take_nonce(connection, resources, caller.user, change.nonce)
    if taken is None:
        raise AuthError(422, Code.REAUTHENTICATION_NOT_VALID, "Nonce has expired or is invalid")
    await limits.forget_tries(connection, limits.NONCE, str(caller.user.id))


async def _begin_email_change(connection: db.Connection, request: Request, caller: Caller, change: Change) -> None:
    resources, user = http.resources(request), caller.user
    is_taken = await queries.users.is_email_taken(connection, change.email, by_other_than=user.id)
    if is_taken and not resources.settings.auth.email.enable_confirmations:
        raise AuthError(422, Code.EMAIL_EXISTS, accounts.EMAIL_TAKEN)
    if user.is_anonymous and not resources.settings.auth.email.enable_confirmations:
        # A guest who becomes a user is as good as one who signs up.
        await queries.accounts.begin_email_change(connection, user.id, change.email, resources.now())
        await accounts.apply_email_change(connection, resources, await accounts.reload(connection, user.id))
        return
    # Counted on the current address: that is what one person can do.
    counted_on = user.email or str(user.id)
    await mail_requests.refuse_too_frequent(
        connection, resources, access.device(request), counted_on, mail_requests.EMAIL_CHANGE, signed_in=True
    )
    if change.challenge:
        await flow_states.begin(connection, resources, user.id, "email_change", change.challenge)
    # A taken address gets the same answer; its owner learns of it by mail, and nobody can prove the change.
    await service.post(request).email_change(
        connection, user, change.email, pkce=change.challenge is not None, is_taken=is_taken
    )


async def _begin_phone_change(connection: db.Connection, request: Request, caller: Caller, change: Change) -> None:
    resources, user = http.resources(request), caller.user
    if not resources.settings.auth.sms.enable_confirmations:
        if await queries.accounts.is_phone_taken(connection, change.phone, by_other_than=user.id):
            raise AuthError(422, Code.PHONE_EXISTS, accounts.PHONE_TAKEN)
        await phone_verification.change(connection, request, user, change.phone)
        return
    await mail_requests.refuse_too_frequent(
        connection, resources, access.device(request), str(user.id), mail_requests.PHONE_CHANGE
    )
    # A taken number gets the same answer: that it is taken learns only who has its code.
    await sms_codes.phone_change(connection, resources, user, change.phone, change.channel)
