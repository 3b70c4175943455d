"""Access tokens of ended sessions, and of those that still owe a second factor, are refused for data too.

A verified signature alone cannot do that.

Every gateway process holds the short list of sessions that ended within the life of an access token: filled by a
trigger in the database, followed by LISTEN, read again now and then and after each lost connection (behind a pooler
without LISTEN the reading alone serves). The token is only read here, not verified: PostgREST and the functions do
that, and whoever forges a session id only gets refused sooner.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import random
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import asyncpg
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.auth import queries
from backend.core import callers, db, endless, http
from backend.core.jwt import AUTHENTICATED, LEEWAY_S
from backend.core.resources import Resources

logger = logging.getLogger("backend.auth.revocations")

CHANNEL = "auth_revoked"
RELOAD_S = 30.0
STATEMENT_TIMEOUT_S = 10.0
# About 20 MB; beyond it the oldest, whose tokens expire first, are forgotten.
MAX_SESSIONS = 100_000
# Ours have 800; longer ones are read each time, so that nobody fills our memory with them.
KEPT_TOKEN_CHARACTERS = 2048
# PostgREST's own refusals of a token look like this (https://docs.postgrest.org/en/v12/references/errors.html).
REFUSAL = {"code": "PGRST301", "details": None, "hint": None, "message": "JWT revoked"}
HEADERS = {
    "WWW-Authenticate": 'Bearer error="invalid_token", error_description="JWT revoked"',
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-store",
}
# PostgREST takes a token without an end; no service of ours takes one of a user.
ENDLESS = {"code": "PGRST301", "details": None, "hint": None, "message": "JWT without exp"}
ENDLESS_HEADERS = {**HEADERS, "WWW-Authenticate": 'Bearer error="invalid_token", error_description="JWT without exp"'}
# Ours: upstream leaves it to each project's policies to ask for aal2 (supabase.com/docs/guides/auth/auth-mfa).
HALFWAY = {
    "code": "insufficient_aal",
    "details": None,
    "hint": "Verify a second factor with /auth/v1/factors.",
    "message": "AAL2 session is required while the account has a second factor",
}
HALFWAY_HEADERS = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}


class Revocations:
    """The list of one process."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._memory = timedelta(seconds=resources.settings.auth.jwt_expiry + 2 * LEEWAY_S)
        # Oldest first; the moment after which no token of the session lives.
        self._until: dict[str, datetime] = {}

    def cover(self, token: str) -> bool:
        """Whether this is a token of an ended session."""
        return bool(self._until) and self.cover_session(session_of(token))

    def cover_session(self, session_id: str | None) -> bool:
        """Whether it has ended."""
        until = self._until.get(session_id or "")
        return until is not None and until > self._resources.now()

    async def follow(self) -> None:
        """Keeps the list up to date until cancelled; outlives restarts of Postgres, keeping what it knows."""
        await endless.keep_up(self._session, logger, "revocations not followed")

    async def _session(self) -> None:
        connection = await db.connect(self._resources.settings)
        try:
            await self._listen(connection)
        finally:
            connection.terminate()

    async def _listen(self, connection: asyncpg.Connection[asyncpg.Record]) -> None:
        """Returns when the connection is lost."""
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _connection: lost.set())
        # First listen, then read: what ends in between is heard.
        await connection.add_listener(CHANNEL, self._hear)
        while not lost.is_set():
            async with asyncio.timeout(STATEMENT_TIMEOUT_S):
                await self._load(connection)
            with suppress(TimeoutError):
                async with asyncio.timeout(RELOAD_S * random.uniform(0.8, 1.2)):
                    await lost.wait()

    async def _load(self, connection: db.Connection) -> None:
        await queries.revoked_sessions.sweep(connection, self._resources.now() - self._memory)
        newest = await queries.revoked_sessions.newest(connection, MAX_SESSIONS)
        self._until = {session_id: moment + self._memory for session_id, moment in reversed(newest)}
        if len(newest) == MAX_SESSIONS:
            logger.warning("more sessions ended than are remembered", extra={"remembered": MAX_SESSIONS})

    def _hear(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        if len(self._until) >= MAX_SESSIONS:
            del self._until[next(iter(self._until))]
        self._until[str(payload)] = self._resources.now() + self._memory


@asynccontextmanager
async def followed(resources: Resources) -> AsyncIterator[Revocations]:
    """The list, kept up to date inside the block. Does not wait for the database."""
    revocations = Revocations(resources)
    following = asyncio.create_task(revocations.follow())
    try:
        yield revocations
    finally:
        await endless.end(following)


class RefuseRevoked:
    """ASGI middleware: 401 for tokens of ended sessions, in PostgREST's words; 403 while a second factor is due."""

    def __init__(self, app: ASGIApp, revocations: Revocations) -> None:
        self.app = app
        self.revocations = revocations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        said = [*map(_claims, _tokens(scope))]
        if any(map(self.revocations.cover_session, map(_session, said))):
            await JSONResponse(REFUSAL, status_code=401, headers=HEADERS)(scope, receive, send)
        elif any(map(_lasts_for_ever, said)):
            await JSONResponse(ENDLESS, status_code=401, headers=ENDLESS_HEADERS)(scope, receive, send)
        elif scope.get("method") != "OPTIONS" and any(map(callers.is_halfway, said)):
            await JSONResponse(HALFWAY, status_code=403, headers=HALFWAY_HEADERS)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _tokens(scope: Scope) -> Iterator[str]:
    """Whatever a service may take for the caller's token; the realtime service looks at its sockets itself."""
    return filter(None, http.tokens(Headers(scope=scope)) if scope["type"] == "http" else ())


def _lasts_for_ever(claims: Mapping[str, Any]) -> bool:
    return claims.get("role") == AUTHENTICATED and "exp" not in claims


def session_of(token: str) -> str | None:
    """The session a token names, unverified; None when it is none of ours."""
    return _session(_claims(token))


def _session(claims: Mapping[str, Any]) -> str | None:
    session_id = claims.get("session_id")
    return session_id if isinstance(session_id, str) else None


def _claims(token: str) -> Mapping[str, Any]:
    """What a token says, unverified; nothing when it is none."""
    return _kept(token) if len(token) <= KEPT_TOKEN_CHARACTERS else _read(token)


def _read(token: str) -> Mapping[str, Any]:
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=="))
    except (ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


# The same token comes with each request of its session: reading it was a twelfth of a request to /rest/v1.
_kept = lru_cache(maxsize=1024)(_read)
