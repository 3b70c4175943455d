"""Rotate a refresh token by these rules (AUTH-08, AUTH-09).

1. Unknown: refused.
2. The session is over (limits of the settings): refused.
3. Not revoked: revoked now, a child is issued.
4. Revoked, but parent of the active token: the active token again, for its bearer never got our answer.
5. Revoked within the reuse interval: the active token again, however many tabs ask at the same time.
6. Otherwise somebody uses a copy: refused, and every token of the session is revoked.
"""

from __future__ import annotations

import asyncio
import random
import time
from datetime import timedelta
from uuid import UUID

from backend.auth import audit, queries, sessions
from backend.auth.access import Device
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import RefreshToken, Session, User
from backend.auth.sessions import Granted
from backend.core import db
from backend.core.config import Sessions
from backend.core.resources import Resources

# Requests for one session wait for each other here, not in the database, where each would hold a connection.
RETRY_FOR_S = 5.0


async def exchange(resources: Resources, token: str, device: Device, *, client_id: UUID | None = None) -> Granted:
    """The session's next tokens, for the application that holds it; None is our own client.

    Raises AuthError refresh_token_not_found, refresh_token_already_used, session_expired, user_banned, conflict.
    """
    give_up_s = time.monotonic() + RETRY_FOR_S
    while time.monotonic() < give_up_s:
        async with db.transaction(resources.pool) as connection:
            outcome = await _try(connection, resources, token, device, client_id)
        # Raised after the commit: a revocation must outlive the refusal that reports it.
        if isinstance(outcome, AuthError):
            raise outcome
        if outcome is not None:
            return outcome
        await asyncio.sleep(random.uniform(0.01, 0.03))
    raise AuthError(409, Code.CONFLICT, "Too many concurrent token refresh requests on the same session")


async def _try(
    connection: db.Connection, resources: Resources, token: str, device: Device, client_id: UUID | None
) -> Granted | AuthError | None:
    """One attempt; None while another request works on the session."""
    session_id = await queries.refresh_tokens.find_session_id(connection, token)
    if session_id is None:
        return _refused(Code.REFRESH_TOKEN_NOT_FOUND, "Refresh Token Not Found")
    given = await queries.refresh_tokens.lock(connection, token)
    if given is None:
        return None
    session = await queries.sessions.find(connection, session_id)
    assert session is not None  # locked just now
    user = await queries.users.find(connection, session.user_id)
    if user is None or session.oauth_client_id != client_id:
        return _refused(Code.REFRESH_TOKEN_NOT_FOUND, "Refresh Token Not Found")
    if user.is_banned(resources.now()):
        return _refused(Code.USER_BANNED, "User Banned")
    if expired := _expiry(session, given, resources):
        return expired
    return await _rotate(connection, resources, user, session, given, device)


async def _rotate(
    connection: db.Connection,
    resources: Resources,
    user: User,
    session: Session,
    given: RefreshToken,
    device: Device,
) -> Granted | AuthError:
    now = resources.now()
    if given.revoked:
        active = await queries.refresh_tokens.find_active(connection, session.id)
        if active is None or not _may_be_reused(given, active, resources):
            return await _report_theft(connection, resources, user, session.id, device)
        issued = active.token
    else:
        issued = sessions.new_refresh_token()
        await queries.refresh_tokens.revoke_all(connection, session.id, now)
        await queries.refresh_tokens.insert(
            connection, token=issued, user_id=user.id, session_id=session.id, parent=given.token, now=now
        )
        await queries.sessions.set_refreshed(connection, session.id, device.user_agent, device.ip, now)
        await audit.record(connection, Action.TOKEN_REFRESHED, user, device, now)
    return await sessions.grant(connection, resources, user, session, issued, "token_refresh")


def _may_be_reused(given: RefreshToken, active: RefreshToken, resources: Resources) -> bool:
    interval = timedelta(seconds=resources.settings.auth.refresh_token_reuse_interval)
    return active.parent == given.token or resources.now() <= given.updated_at + interval


async def _report_theft(
    connection: db.Connection, resources: Resources, user: User, session_id: UUID, device: Device
) -> AuthError:
    if resources.settings.auth.enable_refresh_token_rotation:
        now = resources.now()
        await queries.refresh_tokens.revoke_all(connection, session_id, now)
        await queries.revoked_sessions.revoke(connection, session_id)
        traits = {
            "reason": "refresh_token_already_used",
            "session_id": str(session_id),
            "user_agent": device.user_agent,
        }
        await audit.record(connection, Action.TOKEN_REVOKED, user, device, now, traits)
    return _refused(Code.REFRESH_TOKEN_ALREADY_USED, "Already Used")


def _expiry(session: Session, given: RefreshToken, resources: Resources) -> AuthError | None:
    """The settings may end a session after a time, or when nobody came back for long enough."""
    limits: Sessions = resources.settings.auth.sessions
    now = resources.now()
    last_used = max(session.refreshed_at or session.created_at, given.updated_at)
    if session.not_after is not None and now > session.not_after:
        return _refused(Code.SESSION_EXPIRED, "Session Expired")
    if limits.timebox is not None and now > session.created_at + limits.timebox:
        return _refused(Code.SESSION_EXPIRED, "Session Expired")
    if limits.inactivity_timeout is not None and now > last_used + limits.inactivity_timeout:
        return _refused(Code.SESSION_EXPIRED, "Session Expired (Inactivity)")
    return None


def _refused(code: Code, reason: str) -> AuthError:
    return AuthError(400, code, f"Invalid Refresh Token: {reason}")
