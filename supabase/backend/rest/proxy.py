"""`/rest/v1`: forwards each request to PostgREST over its unix socket and streams the answer back unchanged.

Bare ASGI: frameworks between the two cost half of the throughput. What it does beside forwarding: swaps opaque API
keys for the role they stand for, bounds the address and the body, shares PostgREST's connections out, bridges a restart
of PostgREST for requests that may be repeated, and says 503 with Retry-After when PostgREST is away. PostgREST itself
checks tokens, answers CORS and names errors.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from backend.core import http, log, tracing
from backend.core.errors import ApiError, Code, ServiceUnavailable
from backend.core.jwt import KeyRing
from backend.core.places import Full, Shares
from backend.core.resources import Resources
from backend.rest import upstream
from backend.rest.upstream import Answer, Header, Upstream, UpstreamError, UpstreamTimeout

PREFIX = "/rest/v1"
REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS"})
# Waits before another try of a repeatable request: a connection cut while idle, then a restart of PostgREST.
PAUSES_S = (0.0, 0.1, 0.4)
# Longer than the API roles' statement_timeout and PostgREST's own wait for a connection.
CONNECT_TIMEOUT_S = 2.0
TIMEOUT_S = 20.0
CONNECTIONS = 200
# Of which those who come from one address hold so many at a time, and the others not at all.
CONNECTIONS_EACH = 30
# What PostgREST reads of an address costs it more than in proportion: 24 KB of columns took ten seconds. The longest
# of our client, a list of 100 ids, has 4 KB.
MAX_TARGET_BYTES = 8 * 1024
# RFC 9110, 7.6.1; plus what this proxy decides itself: it has read the body, speaks for its client and knows the trace.
NOT_FORWARDED = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade host content-length expect apikey authorization x-forwarded-for x-forwarded-host x-forwarded-proto "
    b"x-real-ip x-request-id traceparent tracestate".split()
)
# And the date, which our own server writes.
NOT_RETURNED = frozenset(b"connection date keep-alive proxy-connection trailer transfer-encoding upgrade".split())
# PostgREST says so when Postgres lacks space or connections: every client would be there again in the same moment.
AT_ONCE = (b"retry-after", b"0")


@asynccontextmanager
async def session(resources: Resources) -> AsyncIterator[Upstream]:
    """The connections to PostgREST, kept open between requests."""
    socket = str(resources.settings.postgrest_socket)
    async with upstream.opened(socket, CONNECTIONS, CONNECT_TIMEOUT_S) as opened:
        yield opened


class Proxy:
    """The ASGI application."""

    def __init__(self, resources: Resources, connections: Upstream) -> None:
        self.resources = resources
        self._upstream = connections
        self._shares = Shares(CONNECTIONS_EACH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ApiError(404, Code.NOT_FOUND, "PostgREST speaks HTTP only")
        try:
            await self._answer(Request(scope, receive), send)
        except ApiError as error:
            # PostgREST's own answers, its refusals too, can be read by browsers of any origin.
            error.headers["Access-Control-Allow-Origin"] = "*"
            raise

    async def _answer(self, request: Request, send: Send) -> None:
        target = _target(request.scope)
        ip = http.client_ip(request, self.resources.settings)
        headers = self._headers(request, ip)
        # Read whole, for it is bounded: a slow client holds none of PostgREST's connections.
        body = await http.body(request) if _has_body(request.headers) else None
        try:
            async with self._shares.one(http.place_of(ip), TIMEOUT_S):
                response = await self._send(request.method, target, headers, body)
                try:
                    await _stream(response, send)
                finally:
                    response.close()
        except Full as error:
            raise ApiError(429, Code.SERVICE_UNAVAILABLE, "Too many requests at a time", cause=error) from error

    def _headers(self, request: Request, ip: str) -> list[Header]:
        kept = [header for header in request.scope["headers"] if header[0] not in NOT_FORWARDED]
        if traceparent := tracing.traceparent():
            kept.append((b"traceparent", traceparent.encode()))
        if token := bearer_for(request.headers, self.resources.keys):
            kept.append((b"Authorization", f"Bearer {token}".encode("latin-1")))
        kept.append((b"X-Forwarded-For", ip.encode("latin-1")))
        kept.append((b"X-Request-Id", log.request_id.get().encode()))
        return kept

    async def _send(self, method: str, target: bytes, headers: list[Header], body: bytes | None) -> Answer:
        """PostgREST's answer up to its headers. Raises ServiceUnavailable, ApiError 400, 504."""
        pauses_s = iter(PAUSES_S if method in REPEATABLE else ())
        while True:
            try:
                return await self._upstream.request(method, target, headers, body, TIMEOUT_S)
            except UpstreamTimeout as error:
                raise ApiError(504, Code.REQUEST_TIMEOUT, "The data API took too long", cause=error) from error
            except ValueError as error:
                raise ApiError(400, Code.VALIDATION_FAILED, "The request is malformed", cause=error) from error
            except UpstreamError as error:
                pause_s = next(pauses_s, None)
                if pause_s is None:
                    raise ServiceUnavailable("The data API is not available", cause=error) from error
                await asyncio.sleep(pause_s)

    async def is_up(self) -> bool:
        """Whether PostgREST answers; for /ready."""
        try:
            answer = await self._upstream.request("HEAD", b"/", (), None, CONNECT_TIMEOUT_S)
        except UpstreamError:
            return False
        answer.close()
        return answer.status < 500


def bearer_for(headers: Headers, keys: KeyRing) -> str | None:
    """The token PostgREST shall see; None serves the request as anon.

    A user's token in Authorization wins over the API key; opaque keys (https://supabase.com/docs/guides/api/api-keys)
    become the role they stand for. Raises ApiError 401 for an opaque key that is not ours.
    """
    token, api_key = http.tokens(headers)
    if token is None and headers.get("authorization"):
        raise ApiError(401, Code.NO_AUTHORIZATION, "Authorization must be a bearer token")
    roles = {key: keys.role_of_key(key) for key in (api_key, token) if key is not None and key.startswith("sb_")}
    if None in roles.values():
        raise ApiError(401, Code.NO_AUTHORIZATION, "Invalid API key")
    if token is not None and token not in roles:
        return token
    if "service_role" in roles.values():
        return keys.service_role_key
    # What is left in apikey is a legacy key, itself a token.
    return api_key if api_key not in roles else None


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _target(scope: Scope) -> bytes:
    """The same path and query below PostgREST's root, byte for byte. Raises ApiError 414."""
    path: bytes = scope["raw_path"].removeprefix(PREFIX.encode()) or b"/"
    query: bytes = scope["query_string"]
    target = path + b"?" + query if query else path
    if len(target) > MAX_TARGET_BYTES:
        raise ApiError(414, Code.VALIDATION_FAILED, f"An address is limited to {MAX_TARGET_BYTES} bytes")
    return target


async def _stream(answer: Answer, send: Send) -> None:
    headers = [header for header in answer.headers if header[0] not in NOT_RETURNED and header != AT_ONCE]
    if answer.status == 503 and not any(name == b"retry-after" for name, _ in headers):
        headers.append((b"retry-after", b"1"))
    body = answer.whole()
    if body is not None:
        answer.close()  # whoever waits for the connection need not wait for the client
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if body is not None:
        await send({"type": "http.response.body", "body": body})
        return
    async for chunk in answer.body(TIMEOUT_S):
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
