"""POST /signup without address and number: a guest, who has a session and may get a way back in later (PUT /user)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from backend.auth import accounts, audit, limits, sessions, user_metadata
from backend.auth.access import device
from backend.auth.accounts import NewAccount
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.core import db, http

METHOD = "anonymous"


async def sign_up(request: Request, body: Body) -> Response:
    """A session. Raises AuthError anonymous_provider_disabled, over_request_rate_limit, validation_failed."""
    resources, caller = http.resources(request), device(request)
    if not resources.settings.auth.enable_anonymous_sign_ins:
        raise AuthError(422, Code.ANONYMOUS_PROVIDER_DISABLED, "Anonymous sign-ins are disabled")
    data = body.optional_object("data") or {}
    user_metadata.refuse_oversized(data)
    await limits.spend(request, limits.ANONYMOUS)
    async with db.transaction(resources.pool) as connection:
        user = await accounts.create(connection, resources, NewAccount(data=data, is_anonymous=True), caller)
        await audit.record(connection, Action.USER_SIGNED_UP, user, caller, resources.now(), {"provider": METHOD})
        granted = await sessions.start(connection, resources, user, METHOD, caller)
    return sessions.response(granted)
