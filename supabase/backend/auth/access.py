"""Who is calling: the access token of a request, the user and the session behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.requests import Request

from backend.auth import errors, queries
from backend.auth.errors import AuthError, Code
from backend.auth.models import Session, User
from backend.core import db, http, jwt

# The audience of everybody who signs in (upstream's default).
AUDIENCE = "authenticated"


@dataclass(frozen=True)
class Caller:
    """The bearer of a valid access token; `session` is None for a token made without one."""

    user: User
    session: Session | None
    claims: dict[str, Any]


@dataclass(frozen=True)
class Device:
    """Where a request comes from, as sessions and the audit log keep it."""

    ip: str
    user_agent: str


def device(request: Request) -> Device:
    """The caller's address and browser."""
    return Device(
        ip=http.client_ip(request, http.resources(request).settings),
        user_agent=request.headers.get("user-agent", "").replace("\x00", "")[:500],
    )


async def caller(request: Request) -> Caller:
    """The bearer's user and living session, both read now: a token outlives its session, we do not let it.

    Raises AuthError no_authorization, bad_jwt, validation_failed, user_not_found, session_not_found, user_banned.
    """
    resources = http.resources(request)
    token = http.bearer(request.headers)
    if token is None:
        raise AuthError(401, Code.NO_AUTHORIZATION, "This endpoint requires a valid Bearer token")
    claims = _verified(token, request)
    user_id = _uuid_claim(claims, "sub")
    if user_id is None:
        raise AuthError(403, Code.BAD_JWT, "invalid claim: missing sub claim")
    session_id = _uuid_claim(claims, "session_id")
    async with db.connection(resources.pool) as connection:
        user = await queries.users.find(connection, user_id)
        session = await queries.sessions.find_living(connection, session_id) if session_id else None
    if user is None:
        raise AuthError(403, Code.USER_NOT_FOUND, "User from sub claim in JWT does not exist")
    if session_id and (session is None or session.user_id != user.id):
        raise AuthError(403, Code.SESSION_NOT_FOUND, "Session from session_id claim in JWT does not exist")
    if user.is_banned(resources.now()):
        raise AuthError(403, Code.USER_BANNED, "User is banned")
    return Caller(user, session, claims)


def _verified(token: str, request: Request) -> dict[str, Any]:
    resources = http.resources(request)
    try:
        claims = resources.keys.verify(token, now=resources.now())
    except jwt.TokenError as error:
        message = f"invalid JWT: unable to parse or verify signature, {str(error).removeprefix('The ')}"
        raise AuthError(403, Code.BAD_JWT, message, cause=error) from error
    if "sub" in claims and claims.get("iss") != resources.settings.auth.jwt_issuer:
        raise AuthError(403, Code.BAD_JWT, "invalid JWT: token was issued by somebody else")
    if "sub" in claims and claims.get("aud") != AUDIENCE:
        raise errors.invalid("Token audience doesn't match request audience")
    return claims


def _uuid_claim(claims: dict[str, Any], name: str) -> UUID | None:
    value = claims.get(name)
    if not value:
        return None
    try:
        return UUID(str(value))
    except ValueError as error:
        raise AuthError(400, Code.BAD_JWT, f"invalid claim: {name} claim must be a UUID") from error
