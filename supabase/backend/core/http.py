"""What every HTTP request passes: an id, the access log, the last-resort 500; and how handlers read a request.

Written as bare ASGI, for streams must not be buffered.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
import re
import time
from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, TypeVar

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core import disk, errors, log
from backend.core.config import Settings
from backend.core.errors import ApiError, Code
from backend.core.request_times import RequestTimes
from backend.core.resources import Resources

BODY_LIMIT_BYTES = 1024 * 1024
BODY_TIMEOUT_S = 20
REQUEST_ID_HEADER = b"x-request-id"
UNEXPECTED = "Unexpected failure, please check server logs for more information"

logger = logging.getLogger("backend.http")

_T = TypeVar("_T")


class RequestContext:
    """The outermost layer: gives each request its id and the resources, times its answer and writes a line about it."""

    def __init__(self, app: ASGIApp, resources: Resources, times: RequestTimes) -> None:
        self.app = app
        self.resources = resources
        self.times = times

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["resources"] = self.resources
        # No secret, so no system call.
        request_id = f"{random.getrandbits(128):032x}"
        token = log.request_id.set(request_id)
        started_s = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self.times.answered(scope["method"], scope["path"], status, time.perf_counter() - started_s)
                message["headers"] = [*message.get("headers", ()), (REQUEST_ID_HEADER, request_id.encode())]
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            duration_ms = (time.perf_counter() - started_s) * 1000
            log.access(scope.get("method", "WEBSOCKET"), scope["path"], status, duration_ms)
            log.request_id.reset(token)


class ErrorBoundary:
    """Around what is no Starlette, and a middleware in what is: a refusal or a bug still gets its answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched_send(message: Message) -> None:
            nonlocal started
            started = started or message["type"] in ("http.response.start", "websocket.accept")
            await send(message)

        try:
            await self.app(scope, receive, watched_send)
        except Exception as failure:
            error = disk.refusal(failure)
            if not isinstance(error, ApiError):
                logger.exception("request failed")
                error = ApiError(500, Code.UNEXPECTED_FAILURE, UNEXPECTED)
            elif not started:
                errors.record(error)
            if started:
                raise  # half an answer is out: the server must cut the connection, not end it politely
            await errors.response(error.status, error.code, error.message, error.headers, error.details)(
                scope, receive, send
            )


ORIGIN = (b"access-control-allow-origin", b"*")


class Cors:
    """Let browsers of any origin call a service: it is guarded by tokens, never by cookies, so no credentials.

    A function that sets its own origin keeps it: browsers refuse an answer with two
    (https://fetch.spec.whatwg.org/#cors-check).
    """

    def __init__(self, app: ASGIApp, *, headers: str, expose: str = "") -> None:
        self.app = app
        self._exposed = (
            b"access-control-expose-headers",
            ", ".join(filter(None, [expose, "X-Request-Id"])).encode(),
        )
        self._preflight = {
            "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
            "Access-Control-Allow-Headers": headers,
            "Access-Control-Max-Age": "7200",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_origin(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), self._exposed]
                if all(name.lower() != ORIGIN[0] for name, _ in headers):
                    headers.append(ORIGIN)
                message["headers"] = headers
            await send(message)

        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=self._preflight)(scope, receive, send_with_origin)
        else:
            await self.app(scope, receive, send_with_origin)


def resources(request: HTTPConnection) -> Resources:
    """Return the resources of this process."""
    found: Resources = request.scope["resources"]
    return found


async def body(request: Request, limit_bytes: int = BODY_LIMIT_BYTES) -> bytes:
    """Read the whole body. Raises ApiError 413 as soon as it is longer than the limit, 408 when it is too slow."""
    too_large = ApiError(413, Code.REQUEST_ENTITY_TOO_LARGE, f"The body is limited to {limit_bytes} bytes")
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > limit_bytes:
        raise too_large
    content = bytearray()
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            async for chunk in request.stream():
                content += chunk
                if len(content) > limit_bytes:
                    raise too_large
    except TimeoutError as error:
        raise ApiError(408, Code.REQUEST_TIMEOUT, "The body arrived too slowly", cause=error) from error
    return bytes(content)


async def json_object(request: Request) -> dict[str, Any]:
    """Parse the body as a JSON object. Raises ApiError 400 bad_json, 413 request_entity_too_large."""
    content = await body(request)
    try:
        # RecursionError: a body of a hundred thousand brackets
        parsed = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ApiError(400, Code.BAD_JSON, "Could not parse request body as JSON", cause=error) from error
    if not isinstance(parsed, dict):
        raise ApiError(400, Code.BAD_JSON, "The request body must be a JSON object")
    return parsed


def is_storable(value: Any) -> bool:
    """Return whether Postgres can keep a JSON value: JSON can spell NUL, lone surrogates, numbers beyond any range."""
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            pending += [*current.keys(), *current.values()]
        elif isinstance(current, list):
            pending += current
        elif isinstance(current, str):
            if "\x00" in current or (not current.isascii() and SURROGATE.search(current)):
                return False
        elif isinstance(current, float) and not math.isfinite(current):
            return False
    return True


def field(content: Mapping[str, Any], name: str, kind: type[_T], default: _T) -> _T:
    """One field of a JSON object; absent and null mean the default. Raises ApiError 400 naming the field."""
    value = content.get(name)
    if value is None:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ApiError(400, Code.VALIDATION_FAILED, f"The field {name} must be of type {JSON_TYPES[kind]}")
    return value


SURROGATE = re.compile("[\ud800-\udfff]")
JSON_TYPES: Mapping[type, str] = {str: "string", int: "integer", bool: "boolean", dict: "object", list: "array"}


def bearer(headers: Headers) -> str | None:
    """Return the token of `Authorization: Bearer …`, None when there is none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def api_key(headers: Headers) -> str | None:
    """Return the value of the header `apikey`, None when it is missing or empty."""
    return headers.get("apikey", "").strip() or None


def tokens(headers: Headers) -> tuple[str | None, str | None]:
    """All that a service may take for its caller's token, in this order; what looks for tokens elsewhere is wrong."""
    return bearer(headers), api_key(headers)


def client_ip(connection: HTTPConnection, settings: Settings) -> str:
    """Return the caller's address; X-Forwarded-For counts only as far as trusted proxies wrote it (from the right)."""
    peer = connection.client.host if connection.client else ""
    hops = [part.strip() for part in connection.headers.get("x-forwarded-for", "").split(",") if part.strip()]
    while hops and is_trusted_proxy(peer, settings):
        peer = hops.pop()
    return peer


def network(ip: str) -> str:
    """Who counts as one: an address, or the /64 that a customer of an IPv6 provider gets."""
    try:
        address = ip_address(ip)
    except ValueError:
        return ip
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or ip_network((int(address) >> 64 << 64, 64)))


def place_of(ip: str) -> str | None:
    """Return the network that counts as one caller for limits; None for this machine.

    Behind a proxy that is not in the settings, all callers seem to come from this machine.
    """
    place = network(ip)
    return None if not place or place == "::/64" or place.startswith("127.") else place


def is_trusted_proxy(address: str, settings: Settings) -> bool:
    """Check whether an address is one of `SOCIO_TRUSTED_PROXIES`."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in settings.trusted_proxies if network.version == parsed.version)
