"""Who is calling: the access token of a request, the user and the session behind it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.requests import Request

from backend.auth import errors, queries
from backend.auth.errors import AuthError, Code
from backend.auth.models import Session, User
from backend.core import db, http, jwt

# The audience of everybody who signs in (upstream's default).
AUDIENCE = "authenticated"
# Who may use the admin API.
ADMIN_ROLES = ("service_role", "supabase_admin")


@dataclass(frozen=True)
class Caller:
    """The bearer of a valid access token; `session` is None for a token made without one."""

    user: User
    session: Session | None
    claims: dict[str, Any]

    # Whether the session has not answered for the account's second factor yet.
    owes_factor: bool = False

    @property
    def session_id(self) -> UUID | None:
        return self.session.id if self.session else None


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


async def caller(request: Request, *, applications: bool = False, owing: bool = False) -> Caller:
    """The bearer's user and living session, both read now: a token outlives its session, we do not let it.

    A token of another application counts only where `applications` may ask: it was given leave to know who somebody
    is, not to change their account. A session that owes the account's second factor counts only where `owing` may ask:
    it opens nothing but the way to answer. Raises AuthError no_authorization, bad_jwt, validation_failed,
    user_not_found, session_not_found, user_banned, insufficient_aal.
    """
    resources = http.resources(request)
    token = http.bearer(request.headers)
    if token is None:
        raise _no_authorization()
    claims = _verified(token, request)
    user_id = _uuid_claim(claims, "sub")
    if user_id is None:
        raise AuthError(403, Code.BAD_JWT, "invalid claim: missing sub claim")
    session_id = _uuid_claim(claims, "session_id")
    async with db.connection(resources.pool) as connection:
        user, session = await queries.callers.find(connection, user_id, session_id)
    if user is None:
        raise AuthError(403, Code.USER_NOT_FOUND, "User from sub claim in JWT does not exist")
    if session_id and (session is None or session.user_id != user.id):
        raise _session_ended()
    if user.is_banned(resources.now()):
        raise AuthError(403, Code.USER_BANNED, "User is banned")
    if session and session.oauth_client_id and not applications:
        raise AuthError(403, Code.NO_AUTHORIZATION, "This endpoint is not for tokens of other applications")
    owes = resources.settings.enforce_second_factor and session is not None and session.owes_factor(user)
    if owes and not owing:
        raise AuthError(403, Code.INSUFFICIENT_AAL, "Answer for the second factor of this account first")
    return Caller(user, session, claims, owes)


async def hold(connection: db.Connection, user_id: UUID, session_id: UUID | None) -> None:
    """First in a transaction that changes the ways in: whoever asked may have been signed out meanwhile, by somebody
    who changes them too. Both take turns here, and the session lives until the end of the transaction.

    Raises AuthError session_not_found.
    """
    await queries.users.lock(connection, user_id)
    if session_id is None:
        return
    # In two statements: the second must see what the lock has waited for.
    locked = await queries.sessions.lock(connection, session_id)
    if not locked or await queries.sessions.find_living(connection, session_id) is None:
        raise _session_ended()


async def admin(request: Request) -> User:
    """The bearer of an admin's token or of the secret API key, as the audit log names them.

    A key alone in the header `apikey` counts as one in `Authorization`, as with hosted Supabase's gateway. Raises
    AuthError no_authorization, bad_jwt, not_admin, and for a user's token what `caller` raises.
    """
    resources = http.resources(request)
    token = http.bearer(request.headers) or request.headers.get("apikey", "")
    if not token:
        raise _no_authorization()
    role = resources.keys.role_of_key(token)
    person = None
    if role is None:
        claims = _verified(token, request)
        role = str(claims.get("role", ""))
        # Keys of other tools name any subject; only a role that is none of an admin's is somebody's.
        person = (await caller(request)).user if claims.get("sub") and "exp" in claims else None
    if role not in ADMIN_ROLES:
        raise AuthError(403, Code.NOT_ADMIN, "User not allowed")
    return person or nobody_but(role, resources.now())


def nobody_but(role: str, now: datetime) -> User:
    """Upstream's stand-in for an admin, or anybody else, who is no user: the role where an address would be."""
    return User(UUID(int=0), AUDIENCE, role, role, "", {}, {}, now, now)


def _session_ended() -> AuthError:
    return AuthError(403, Code.SESSION_NOT_FOUND, "Session from session_id claim in JWT does not exist")


def _no_authorization() -> AuthError:
    return AuthError(401, Code.NO_AUTHORIZATION, "This endpoint requires a valid Bearer token")


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
