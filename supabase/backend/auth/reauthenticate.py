"""GET /reauthenticate: a code by mail, for changes that ask who is really at the keyboard."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, audit, mail_requests, service
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.core import db, http


async def reauthenticate(request: Request) -> Response:
    """Raises what access.caller raises, and AuthError email_not_confirmed, over_email_send_rate_limit."""
    resources = http.resources(request)
    user = (await access.caller(request)).user
    if user.email_confirmed_at is None:
        raise AuthError(422, Code.EMAIL_NOT_CONFIRMED, "Please verify your email first.")
    async with db.transaction(resources.pool) as connection:
        await mail_requests.refuse_too_frequent(connection, resources, user.email, mail_requests.REAUTHENTICATION)
        await service.post(request).reauthentication(connection, user)
        device = access.device(request)
        await audit.record(connection, Action.USER_REAUTHENTICATE_REQUESTED, user, device, resources.now())
    return JSONResponse({})
