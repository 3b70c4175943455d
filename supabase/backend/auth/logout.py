"""POST /logout: ends this session, the others, or all of them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from backend.auth import access, audit, errors, queries
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.core import db, http

SCOPES = ("global", "local", "others")


async def logout(request: Request) -> Response:
    """Deletes the sessions of the scope with their refresh tokens; their access tokens end with them (see access)."""
    resources = http.resources(request)
    scope = request.query_params.get("scope", "global")
    if scope not in SCOPES:
        raise errors.invalid(f"Unsupported logout scope, use one of {', '.join(SCOPES)}")
    caller = await access.caller(request, applications=True, owing=True)
    if caller.owes_factor:
        # A password alone ends no session of its owner: only the one that asks.
        if scope == "others":
            raise AuthError(403, Code.INSUFFICIENT_AAL, "Answer for the second factor of this account first")
        scope = "local"
    async with db.transaction(resources.pool) as connection:
        await queries.users.lock(connection, caller.user.id)
        await audit.record(connection, Action.LOGOUT, caller.user, access.device(request), resources.now())
        # A token without a session ends everything: there is no "this one" to spare or to end alone.
        if caller.session and caller.session.oauth_client_id:
            # An application ends its own session and nobody else's.
            await queries.sessions.delete(connection, caller.session.id)
        elif scope == "global" or caller.session is None:
            await queries.sessions.delete_all(connection, caller.user.id)
        elif scope == "local":
            await queries.sessions.delete(connection, caller.session.id)
        else:
            await queries.sessions.delete_others(connection, caller.user.id, caller.session.id)
    return Response(status_code=204)
