"""POST /recover: a mail for whoever forgot the password; the answer never says whether there is an account."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, audit, bodies, emails, errors, flow_states, mail_requests, queries, service, timing
from backend.auth.audit import Action
from backend.core import db, http

FLOW = "recovery"


async def recover(request: Request) -> Response:
    """Raises AuthError validation_failed, over_email_send_rate_limit: for any address alike."""
    resources = http.resources(request)
    body = await bodies.read(request)
    if not body.text("email"):
        raise errors.invalid("Password recovery requires an email")
    device = access.device(request)
    email, challenge = emails.normalise(body.text("email")), flow_states.read(body)
    async with timing.evened_out(), db.transaction(resources.pool) as connection:
        await mail_requests.refuse_too_frequent(connection, resources, device, email, mail_requests.RECOVERY)
        user = await queries.users.find_by_email(connection, email)
        if user is not None and not await mail_requests.is_owners_valid(
            connection, resources, device, user, mail_requests.RECOVERY
        ):
            if challenge:
                await flow_states.begin(connection, resources, user.id, FLOW, challenge)
            await service.post(request).recovery(connection, user, pkce=challenge is not None)
            await audit.record(connection, Action.USER_RECOVERY_REQUESTED, user, device, resources.now())
    return JSONResponse({})
