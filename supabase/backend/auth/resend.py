"""POST /resend: another confirmation mail, for a sign-up or a change of address."""

from __future__ import annotations

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
    queries,
    service,
    signup,
    timing,
)
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.flow_states import Challenge
from backend.auth.models import User
from backend.core import db, http

_PURPOSES = {"signup": mail_requests.CONFIRMATION, "email_change": mail_requests.EMAIL_CHANGE}
_PHONE_TYPES = ("sms", "phone_change")


async def resend(request: Request) -> Response:
    """Raises AuthError validation_failed, phone_provider_disabled, over_email_send_rate_limit."""
    resources = http.resources(request)
    body = await bodies.read(request)
    kind, email = _read(body)
    challenge = flow_states.read(body)
    async with timing.evened_out(), db.transaction(resources.pool) as connection:
        await mail_requests.refuse_too_frequent(connection, resources, email, _PURPOSES[kind])
        user = await queries.users.find_by_email(connection, email)
        if user is not None:
            await _send(connection, request, kind, user, challenge)
    return JSONResponse({})


def _read(body: Body) -> tuple[str, str]:
    kind, email, phone = body.text("type"), body.text("email"), body.text("phone")
    if kind not in _PURPOSES and kind not in _PHONE_TYPES:
        raise errors.invalid("Missing one of these types: signup, email_change, sms, phone_change")
    if email and phone:
        raise errors.invalid("Only an email address or phone number should be provided.")
    if kind in _PHONE_TYPES or phone:
        raise AuthError(400, Code.PHONE_PROVIDER_DISABLED, "Phone logins are disabled")
    if not email:
        raise errors.invalid("Type provided requires an email address")
    return kind, emails.normalise(email)


async def _send(
    connection: db.Connection, request: Request, kind: str, user: User, challenge: Challenge | None
) -> None:
    """Nothing to confirm, nothing to send."""
    resources, pkce = http.resources(request), challenge is not None
    if kind == "signup" and user.email_confirmed_at is None:
        if challenge:
            await flow_states.begin(connection, resources, user.id, signup.FLOW, challenge)
        await service.post(request).confirmation(connection, user, pkce=pkce)
        device = access.device(request)
        await audit.record(connection, Action.USER_CONFIRMATION_REQUESTED, user, device, resources.now())
    elif kind == "email_change" and user.email_change:
        if challenge:
            await flow_states.begin(connection, resources, user.id, "email_change", challenge)
        await service.post(request).email_change(connection, user, user.email_change, pkce=pkce)
