"""POST /invite: an account for somebody who has been asked in, and the mail that says so."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, accounts, audit, bodies, emails, queries, service, user_metadata
from backend.auth.accounts import NewAccount
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.core import db, http
from backend.core.resources import Resources

FLOW = "invite"


async def invite(request: Request) -> Response:
    """The user, who waits for the link to be opened. Raises what access.admin raises, and AuthError
    validation_failed, email_exists, over_email_send_rate_limit.
    """
    resources, actor = http.resources(request), await access.admin(request)
    body = await bodies.read(request)
    email, data = emails.normalise(body.text("email")), body.optional_object("data") or {}
    user_metadata.refuse_oversized(data)
    async with db.transaction(resources.pool) as connection:
        user = await prepare(connection, resources, email, data)
        await service.post(request).invite(connection, user)
        await record(connection, request, actor, user)
        user = await accounts.reload(connection, user.id)
    return JSONResponse(user.public())


async def prepare(connection: db.Connection, resources: Resources, email: str, data: dict[str, Any]) -> User:
    """The account of who is invited: a new one without password, also where somebody signed up with the address who
    has not proved it. What is known about them stays.

    Raises AuthError email_exists.
    """
    known = await queries.users.find_by_email(connection, email)
    if known is None:
        return await accounts.create(connection, resources, NewAccount(email=email, data=data))
    if known.confirmed_at:
        raise AuthError(422, Code.EMAIL_EXISTS, accounts.EMAIL_TAKEN)
    await queries.users.merge_metadata(connection, known.id, data, resources.now())
    known = await accounts.reload(connection, known.id)
    account = NewAccount(email=email, data=known.user_metadata)
    return await accounts.start_over(connection, resources, known, account)


async def record(connection: db.Connection, request: Request, actor: User, user: User) -> None:
    """Who invited whom."""
    traits = {"user_id": str(user.id), "user_email": user.email}
    now, device = http.resources(request).now(), access.device(request)
    await audit.record(connection, Action.USER_INVITED, actor, device, now, traits)
