"""GET /user for the rule: one statement and no framework, for every page of every client asks it (quality P1).

Only a 200 is answered here. Whatever is not plain (no token or one that is refused, a session that has ended, a second
factor, a ban) goes on to `user.get`, which reads it again and has the words for it.
"""

from __future__ import annotations

import json
from uuid import UUID

from starlette.types import ASGIApp, Receive, Scope, Send

from backend.auth import queries
from backend.auth.access import AUDIENCE
from backend.core import db
from backend.core.errors import ServiceUnavailable
from backend.core.jwt import TokenError
from backend.core.resources import Resources

PATH = "/user"


class OwnUser:
    """ASGI middleware around the auth service."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] == "http" and scope["method"] == "GET" and scope["path"].endswith(PATH)
        body = await _body(scope) if is_asked and scope["path"] == scope["root_path"] + PATH else None
        if body is None:
            await self.app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def _body(scope: Scope) -> bytes | None:
    resources: Resources = scope["resources"]
    given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    scheme, _, token = given.partition(b" ")
    if scheme.lower() != b"bearer":
        return None
    try:
        claims = resources.keys.verify(
            token.strip().decode(),
            now=resources.now(),
            issuer=resources.settings.auth.jwt_issuer,
            audience=AUDIENCE,
        )
        person, session = UUID(claims["sub"]), UUID(claims["session_id"])
    except (TokenError, KeyError, TypeError, ValueError, AttributeError):
        return None
    try:
        async with db.connection(resources.pool) as connection:
            user = await queries.callers.plain(connection, person, session)
    except ServiceUnavailable:
        return None
    return None if user is None else json.dumps(user.public(), ensure_ascii=False, separators=(",", ":")).encode()
