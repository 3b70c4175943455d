"""POST /resend: another confirmation, by mail or SMS, for a sign-up or a change of address or number."""

from __future__ import annotations

from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    access,
    audit,
    bodies,
    emails,
    errors,
    flow_states,
    mail_requests,
    phones,
    queries,
    service,
    signup,
    sms_codes,
    timing,
)
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.flow_states import Challenge
from backend.auth.models import User
from backend.core import db, http

_PURPOSES = {"signup": mail_requests.CONFIRMATION, "email_change": mail_requests.EMAIL_CHANGE}
_PHONE_PURPOSES = {"sms": mail_requests.SMS_CODE, "phone_change": mail_requests.PHONE_CHANGE}


async def resend(request: Request) -> Response:
    """`{}`, or `{message_id}` for an SMS. Raises AuthError validation_failed, phone_provider_disabled,
    over_email_send_rate_limit, over_sms_send_rate_limit.
    """
    body = await bodies.read(request)
    kind, email, phone = body.text("type"), body.text("email"), body.text("phone")
    if kind not in _PURPOSES and kind not in _PHONE_PURPOSES:
        raise errors.invalid("Missing one of these types: signup, email_change, sms, phone_change")
    if email and phone:
        raise errors.invalid("Only an email address or phone number should be provided.")
    if kind in _PHONE_PURPOSES:
        return await _by_sms(request, kind, phone)
    if not email:
        raise errors.invalid("Type provided requires an email address")
    return await _by_mail(request, kind, emails.normalise(email), flow_states.read(body))


async def _by_mail(request: Request, kind: str, email: str, challenge: Challenge | None) -> Response:
    resources = http.resources(request)
    async with timing.evened_out(), db.transaction(resources.pool) as connection:
        await mail_requests.refuse_too_frequent(connection, resources, access.device(request), email, _PURPOSES[kind])
        user = await queries.users.find_by_email(connection, email)
        if user is not None:
            await _send(connection, request, kind, user, challenge)
    return JSONResponse({})


async def _by_sms(request: Request, kind: str, phone: str) -> Response:
    """Whoever has nothing to prove gets an answer like the others, and no SMS."""
    resources = http.resources(request)
    if not resources.settings.auth.sms.enabled:
        raise AuthError(400, Code.PHONE_PROVIDER_DISABLED, "Phone logins are disabled")
    if not phone:
        raise errors.invalid("Type provided requires a phone number")
    number, message_id = phones.normalise(phone), uuid4()
    async with timing.evened_out(), db.transaction(resources.pool) as connection:
        await mail_requests.refuse_too_frequent(
            connection, resources, access.device(request), number, _PHONE_PURPOSES[kind]
        )
        if kind == "phone_change":
            user = await queries.accounts.find_by_phone_change(connection, number)
            if user is not None:
                message_id = await sms_codes.phone_change(connection, resources, user, user.phone_change, phones.SMS)
                await _record(connection, request, kind, user)
        else:
            user = await queries.accounts.find_by_phone(connection, number)
            if user is not None and user.phone_confirmed_at is None:
                message_id = await sms_codes.confirmation(connection, resources, user, phones.SMS)
                await _record(connection, request, kind, user)
    return JSONResponse({"message_id": str(message_id)})


async def _send(
    connection: db.Connection, request: Request, kind: str, user: User, challenge: Challenge | None
) -> None:
    """Nothing to confirm, nothing to send."""
    resources, pkce = http.resources(request), challenge is not None
    if kind == "signup" and user.email_confirmed_at is None:
        if challenge:
            await flow_states.begin(connection, resources, user.id, signup.FLOW, challenge)
        await service.post(request).confirmation(connection, user, pkce=pkce)
        await _record(connection, request, kind, user)
    elif kind == "email_change" and user.email_change:
        device = access.device(request)
        if await mail_requests.is_owners_valid(connection, resources, device, user, mail_requests.EMAIL_CHANGE):
            return
        if challenge:
            await flow_states.begin(connection, resources, user.id, "email_change", challenge)
        await service.post(request).email_change(connection, user, user.email_change, pkce=pkce)
        await _record(connection, request, kind, user)


async def _record(connection: db.Connection, request: Request, kind: str, user: User) -> None:
    now, device = http.resources(request).now(), access.device(request)
    await audit.record(connection, Action.USER_CONFIRMATION_REQUESTED, user, device, now, {"type": kind})
