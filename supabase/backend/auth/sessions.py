"""Make the answer of a sign-in or refresh: a session with its access token (AUTH-05, AUTH-06)."""

from __future__ import annotations

import secrets
import string
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from starlette.responses import JSONResponse

from backend.auth import hooks, limits, queries
from backend.auth.access import Device
from backend.auth.models import Session, User
from backend.core import callers, db, http
from backend.core.config import Sessions
from backend.core.resources import Resources

_TOKEN_ALPHABET = string.ascii_lowercase + string.digits
TOKEN_LENGTH = 12


@dataclass(frozen=True)
class Granted:
    """A session as it is handed out."""

    user: User
    session: Session
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_in: int
    expires_at: int
    owes_factor: bool = False

    def public_user(self) -> dict[str, Any]:
        """Return the user as this session may know it."""
        return self.user.public_before_factor() if self.owes_factor else self.user.public()

    def tokens(self) -> dict[str, Any]:
        """The tokens alone, as a redirect's fragment carries them."""
        return {
            "access_token": self.access_token,
            "token_type": "bearer",
            "expires_in": self.expires_in,
            "expires_at": self.expires_at,
            "refresh_token": self.refresh_token,
        }


def new_refresh_token() -> str:
    """12 characters of [a-z0-9]: 62 bits, of which a guess needs the exact one."""
    return "".join(secrets.choice(_TOKEN_ALPHABET) for _ in range(TOKEN_LENGTH))


async def start(
    connection: db.Connection,
    resources: Resources,
    user: User,
    method: str,
    device: Device,
    *,
    provider: str = "email",
) -> Granted:
    """Signs the user in: a new session, its first refresh token and an access token; `provider` is the way in."""
    now = resources.now()
    session, token = await begin(connection, user, method, device, now)
    await queries.users.set_last_sign_in(connection, user.id, provider, now)
    if resources.settings.single_session_per_user:
        # After the line above, which makes two sign-ins of one person take turns.
        await queries.sessions.delete_others(connection, user.id, session.id)
    signed_in = await queries.users.find(connection, user.id)
    assert signed_in is not None
    await _remember_place(connection, resources, signed_in, device)
    return await grant(connection, resources, signed_in, session, token, method)


async def _remember_place(connection: db.Connection, resources: Resources, user: User, device: Device) -> None:
    """Let strangers' requests about the proved address and number not use up those of this network (FAULT-47)."""
    network = http.place_of(device.ip)
    if network is None:
        return
    if user.email and user.email_confirmed_at:
        await limits.remember_place(connection, resources, user.email, network)
    if user.phone and user.phone_confirmed_at:
        await limits.remember_place(connection, resources, user.phone, network)


async def begin(
    connection: db.Connection, user: User, method: str, device: Device, now: datetime
) -> tuple[Session, str]:
    """A new session of the user and its first refresh token."""
    session = Session(uuid4(), user.id, now, "aal1", not_after=None, refreshed_at=None, amr=((method, now),))
    token = new_refresh_token()
    await queries.sessions.begin(
        connection,
        session_id=session.id,
        claim_id=uuid4(),
        user_id=user.id,
        user_agent=device.user_agent,
        ip=device.ip,
        method=method,
        token=token,
        now=now,
    )
    return session, token


async def grant(
    connection: db.Connection,
    resources: Resources,
    user: User,
    session: Session,
    refresh_token: str,
    method: str,
) -> Granted:
    """Signs an access token for an existing session; `method` is why. Raises what the hook of tokens raises."""
    settings, now = resources.settings.auth, resources.now()
    issued, expires = int(now.timestamp()), now + timedelta(seconds=settings.jwt_expiry)
    # Data must not stay open longer than the session: who checks the token does not see it end.
    if end := ends_at(session, settings.sessions, now):
        expires = min(expires, end)
    expires_at = int(expires.timestamp())
    claims: dict[str, Any] = {
        "iss": settings.jwt_issuer,
        "sub": str(user.id),
        "aud": user.aud,
        "exp": expires_at,
        "iat": issued,
        "email": user.email,
        "phone": user.phone,
        "app_metadata": user.app_metadata,
        "user_metadata": user.user_metadata,
        "role": user.role,
        "aal": session.aal,
        "amr": session.public_amr(),
        "session_id": str(session.id),
        "is_anonymous": user.is_anonymous,
    }
    if session.oauth_client_id:
        claims |= {"client_id": str(session.oauth_client_id), "scope": session.scopes}
    claims = await hooks.access_token_claims(connection, resources, claims, method)
    owes = resources.settings.enforce_second_factor and session.owes_factor(user)
    if owes:
        claims |= {callers.SECOND_FACTOR: callers.MISSING, "phone": "", "user_metadata": {}}
    token, expires_at = resources.keys.sign(claims), claims["exp"]
    return Granted(user, session, token, refresh_token, expires_at - issued, expires_at, owes)


def ends_at(session: Session, settings: Sessions, last_used: datetime) -> datetime | None:
    """When the settings end the session unless somebody uses it; None for never."""
    ends = [session.not_after]
    if settings.timebox is not None:
        ends.append(session.created_at + settings.timebox)
    if settings.inactivity_timeout is not None:
        ends.append(last_used + settings.inactivity_timeout)
    return min((end for end in ends if end is not None), default=None)


def response(granted: Granted, extra: dict[str, Any] | None = None) -> JSONResponse:
    """The session as JSON; never cached, for it holds tokens (RFC 6749, 5.1)."""
    headers = {
        "Cache-Control": "no-store",
        "sb-auth-user-id": str(granted.user.id),
        "sb-auth-session-id": str(granted.session.id),
        "sb-auth-refresh-token-prefix": granted.refresh_token[:5],
    }
    return JSONResponse({**granted.tokens(), "user": granted.public_user(), **(extra or {})}, headers=headers)
