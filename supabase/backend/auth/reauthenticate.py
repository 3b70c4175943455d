"""GET /reauthenticate: a code by mail or SMS, for changes that ask who is really at the keyboard."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, audit, errors, mail_requests, service, sms_codes
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.core import db, http


async def reauthenticate(request: Request) -> Response:
    """To the address, or to the number of who has none. Raises what access.caller raises, and AuthError
    validation_failed, email_not_confirmed, phone_not_confirmed, over_email_send_rate_limit, over_sms_send_rate_limit.
    """
    resources = http.resources(request)
    user = (await access.caller(request)).user
    _refuse_unproved(user)
    answer, device = {}, access.device(request)
    async with db.transaction(resources.pool) as connection:
        purpose = mail_requests.REAUTHENTICATION if user.email else mail_requests.PHONE_REAUTHENTICATION
        await mail_requests.refuse_too_frequent(
            connection, resources, device, user.email or user.phone, purpose, signed_in=True
        )
        if user.email:
            await service.post(request).reauthentication(connection, user)
        else:
            answer["message_id"] = str(await sms_codes.reauthentication(connection, resources, user))
        await audit.record(connection, Action.USER_REAUTHENTICATE_REQUESTED, user, device, resources.now())
    return JSONResponse(answer)


def _refuse_unproved(user: User) -> None:
    if not user.email and not user.phone:
        raise errors.invalid("Reauthentication requires the user to have an email or a phone number")
    if user.email and user.email_confirmed_at is None:
        raise AuthError(422, Code.EMAIL_NOT_CONFIRMED, "Please verify your email first.")
    if not user.email and user.phone_confirmed_at is None:
        raise AuthError(422, Code.PHONE_NOT_CONFIRMED, "Please verify your phone first.")
