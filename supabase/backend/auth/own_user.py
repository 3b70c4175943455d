"""Answer GET /user with one statement and no framework, because every page of every client asks it (GOAL-P1).

Only a 200 is answered here. Whatever is not plain (no token or one that is refused, a session that has ended, a second
factor, a ban) goes on to `user.get`, which reads it again and has the words for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring as _quoted
from uuid import UUID

import asyncpg
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.auth import queries
from backend.auth.access import AUDIENCE
from backend.auth.models import MOMENTS, timestamp
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
            rows = await queries.callers.plain(connection, person, session)
    except ServiceUnavailable:
        return None
    return _json(rows).encode() if rows else None


def _json(rows: Sequence[asyncpg.Record]) -> str:
    """What `User.public` says, written directly: dataclasses and dictionaries cost more than all the rest."""
    user = rows[0]
    found = [row for row in rows if row["identity_id"] is not None]
    if len(found) > 1:
        found.sort(key=lambda row: (row["identity_created_at"], row["identity_id"]))
    known = [(name, user[name]) for name in MOMENTS]
    optional = [f'"{name}":"{timestamp(moment)}",' for name, moment in known if moment is not None]
    pending = (("new_email", user["email_change"]), ("new_phone", user["phone_change"]))
    optional += [f'"{name}":{_quoted(address)},' for name, address in pending if address]
    return (
        f'{{"id":"{user["id"]}","aud":{_quoted(user["aud"])},"role":{_quoted(user["role"])},'
        f'"email":{_quoted(user["email"])},"phone":{_quoted(user["phone"])},{"".join(optional)}'
        f'"app_metadata":{user["app_metadata"]},"user_metadata":{user["user_metadata"]},'
        f'"identities":[{",".join([_identity(row, user["id"]) for row in found])}],'
        f'"created_at":"{timestamp(user["created_at"])}","updated_at":"{timestamp(user["updated_at"])}",'
        f'"is_anonymous":{"true" if user["is_anonymous"] else "false"}}}'
    )


def _identity(row: asyncpg.Record, user_id: str) -> str:
    """What `Identity.public` says."""
    signed_in, email = row["identity_last_sign_in_at"], row["identity_email"]
    last = f'"{timestamp(signed_in)}"' if signed_in else "null"
    address = f',"email":{_quoted(email)}' if email else ""
    created, updated = timestamp(row["identity_created_at"]), timestamp(row["identity_updated_at"])
    return (
        f'{{"identity_id":"{row["identity_id"]}","id":{_quoted(row["provider_id"])},"user_id":"{user_id}",'
        f'"identity_data":{row["identity_data"]},"provider":{_quoted(row["provider"])},'
        f'"last_sign_in_at":{last},"created_at":"{created}","updated_at":"{updated}"{address}}}'
    )
