"""POST /otp: a way in without password, by mail (see magiclink) or by a code in an SMS."""

from __future__ import annotations

from uuid import UUID, uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    access,
    accounts,
    audit,
    bodies,
    errors,
    flow_states,
    magiclink,
    mail_requests,
    phone_sign_up,
    phones,
    queries,
    sms_codes,
    timing,
    user_metadata,
)
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.auth.phone_sign_up import PhoneSignUp
from backend.core import db, http
from backend.core.config import Auth


async def otp(request: Request) -> Response:
    """`{}`, or `{message_id}` for an SMS. Raises AuthError validation_failed, and what magiclink.send raises."""
    body = await bodies.read(request)
    email, phone, create_user = body.text("email"), body.text("phone"), body.flag("create_user", default=True)
    if email and phone:
        raise errors.invalid("Only an email address or phone number should be provided")
    if email and body.text("channel"):
        raise errors.invalid("Channel should only be specified with Phone OTP")
    if email:
        return await magiclink.send(request, magiclink.read(body, create_user=create_user))
    if not phone:
        raise errors.invalid("One of email or phone must be set")
    return await _by_sms(request, body, create_user=create_user)


async def _by_sms(request: Request, body: Body, *, create_user: bool) -> Response:
    """Send a code; an unknown number that must not become an account gets none. Raises AuthError otp_disabled."""
    resources = http.resources(request)
    wanted = _read(body, resources.settings.auth)
    message_id = uuid4()
    async with timing.evened_out(), db.transaction(resources.pool) as connection:
        await mail_requests.refuse_too_frequent(
            connection, resources, access.device(request), wanted.phone, mail_requests.SMS_CODE
        )
        user = await queries.accounts.find_by_phone(connection, wanted.phone)
        if user is not None or magiclink.may_create(request, create_user=create_user):
            message_id = await _send(connection, request, wanted, user)
        else:
            magiclink.refuse_unknown(request)
    return JSONResponse({"message_id": str(message_id)})


def _read(body: Body, settings: Auth) -> PhoneSignUp:
    if not settings.sms.enabled:
        raise AuthError(400, Code.PHONE_PROVIDER_DISABLED, "Unsupported phone provider")
    flow_states.read(body)
    data = body.optional_object("data") or {}
    user_metadata.refuse_oversized(data)
    channel = phones.channel(body.text("channel"), settings)
    return PhoneSignUp(phones.normalise(body.text("phone")), "", data, channel)


async def _send(connection: db.Connection, request: Request, wanted: PhoneSignUp, known: User | None) -> UUID:
    """A number nobody has proved becomes, or stays, an account without password."""
    resources, device = http.resources(request), access.device(request)
    action, traits = Action.USER_RECOVERY_REQUESTED, {"channel": wanted.channel}
    user = known
    if user is None or user.confirmed_at is None:
        user = await phone_sign_up.save(connection, resources, wanted, known, device)
        action, traits = Action.USER_CONFIRMATION_REQUESTED, phone_sign_up.PROVIDER
        if not resources.settings.auth.sms.enable_confirmations:
            await accounts.confirm_phone(connection, resources, user)
            action = Action.USER_SIGNED_UP
    message_id = await sms_codes.confirmation(connection, resources, user, wanted.channel)
    await audit.record(connection, action, user, device, resources.now(), traits)
    return message_id
