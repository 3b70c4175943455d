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
        async with db.connection(resources.pool) as connection:
            granted = await _try(connection, resources, token, device, client_id)
        if granted is not None:
            return granted
        await asyncio.sleep(random.uniform(0.01, 0.03))
    raise AuthError(409, Code.CONFLICT, "Too many concurrent token refresh requests on the same session")


async def _try(
    connection: db.Connection, resources: Resources, token: str, device: Device, client_id: UUID | None
) -> Granted | None:
    """One attempt of three round trips, in no transaction; None when another request worked on the session meanwhile.

    What the first two read decides: the third compares the token again and changes everything or nothing.
    """
    chain = await queries.refresh_tokens.find_chain(connection, token)
    user = await queries.users.find(connection, chain.session.user_id) if chain else None
    if chain is None or user is None or chain.session.oauth_client_id != client_id:
        raise _refused(Code.REFRESH_TOKEN_NOT_FOUND, "Refresh Token Not Found")
    session, given, now = chain.session, chain.given, resources.now()
    if user.is_banned(now):
        raise _refused(Code.USER_BANNED, "User Banned")
    _refuse_expired(session, given, resources)
    if given.revoked:
        if chain.active is None or not _may_be_reused(given, chain.active, resources):
            await _report_theft(connection, resources, user, session.id, device)
            raise _refused(Code.REFRESH_TOKEN_ALREADY_USED, "Already Used")
        return await sessions.grant(connection, resources, user, session, chain.active.token, "token_refresh")
    issued = sessions.new_refresh_token()
    # Before the rotation: a hook that refuses must leave the token as it was.
    granted = await sessions.grant(connection, resources, user, session, issued, "token_refresh")
    rotated = await queries.refresh_tokens.rotate(
        connection,
        session_id=session.id,
        given=given.token,
        issued=issued,
        device=device,
        audit_payload=audit.entry(Action.TOKEN_REFRESHED, user),
        now=now,
    )
    return granted if rotated else None


def _may_be_reused(given: RefreshToken, active: RefreshToken, resources: Resources) -> bool:
    interval = timedelta(seconds=resources.settings.auth.refresh_token_reuse_interval)
    return active.parent == given.token or resources.now() <= given.updated_at + interval


async def _report_theft(
    connection: db.Connection, resources: Resources, user: User, session_id: UUID, device: Device
) -> None:
    """End the session, whatever becomes of the request; a rotation under way is waited for, and its child revoked."""
    if not resources.settings.auth.enable_refresh_token_rotation:
        return
    now = resources.now()
    traits = {"reason": "refresh_token_already_used", "session_id": str(session_id), "user_agent": device.user_agent}
    async with connection.transaction():
        await queries.sessions.lock(connection, session_id)
        await queries.refresh_tokens.revoke_all(connection, session_id, now)
        await queries.revoked_sessions.revoke(connection, session_id)
        await audit.record(connection, Action.TOKEN_REVOKED, user, device, now, traits)


def _refuse_expired(session: Session, given: RefreshToken, resources: Resources) -> None:
    """The settings may end a session after a time, or when nobody came back for long enough."""
    limits: Sessions = resources.settings.auth.sessions
    now = resources.now()
    last_used = max(session.refreshed_at or session.created_at, given.updated_at)
    if session.not_after is not None and now > session.not_after:
        raise _refused(Code.SESSION_EXPIRED, "Session Expired")
    if limits.timebox is not None and now > session.created_at + limits.timebox:
        raise _refused(Code.SESSION_EXPIRED, "Session Expired")
    if limits.inactivity_timeout is not None and now > last_used + limits.inactivity_timeout:
        raise _refused(Code.SESSION_EXPIRED, "Session Expired (Inactivity)")


def _refused(code: Code, reason: str) -> AuthError:
    return AuthError(400, code, f"Invalid Refresh Token: {reason}")
