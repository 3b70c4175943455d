"""GET /sessions, DELETE /sessions/{id}: where the caller is signed in, and ending one of these sessions.

Our extension: upstream has no such endpoints, so clients must do without where they answer 404.
"""

from __future__ import annotations

from uuid import UUID

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, audit, queries, sessions
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.core import db, http

MAX_LISTED = 100


async def list_all(request: Request) -> Response:
    """The caller's sessions, last used first; `current` marks the one that asks."""
    resources = http.resources(request)
    caller = await access.caller(request)
    limits, now = resources.settings.auth.sessions, resources.now()
    async with db.connection(resources.pool) as connection:
        found = await queries.sessions.list_living(connection, caller.user.id, MAX_LISTED)
    current = caller.session.id if caller.session else None
    listed = []
    for each in found:
        end = sessions.ends_at(each.session, limits, each.session.refreshed_at or each.session.created_at)
        if end is None or end > now:
            listed.append(each.public(current))
    return JSONResponse(listed, headers={"Cache-Control": "no-store"})


async def end(request: Request) -> Response:
    """Signs the caller out there; the access tokens of that session end with it. Raises AuthError session_not_found."""
    resources = http.resources(request)
    caller = await access.caller(request)
    async with db.transaction(resources.pool) as connection:
        session_id = _session_id(request)
        if not await queries.sessions.delete_of(connection, caller.user.id, session_id):
            raise _unknown()
        device, traits = access.device(request), {"session_id": str(session_id)}
        await audit.record(connection, Action.LOGOUT, caller.user, device, resources.now(), traits)
    return Response(status_code=204)


def _session_id(request: Request) -> UUID:
    try:
        return UUID(request.path_params["session_id"])
    except ValueError as error:
        raise _unknown() from error


def _unknown() -> AuthError:
    return AuthError(404, Code.SESSION_NOT_FOUND, "Session not found")
