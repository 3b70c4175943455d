"""The composition root: builds the resources, mounts every service and the web client, and serves them.

/auth/v1        backend.auth      GoTrue's API
/rest/v1        backend.rest      forwarded to PostgREST
/functions/v1   backend.edge      the product's functions
/storage/v1     backend.storage   files in buckets
/realtime/v1    backend.realtime  channels over websockets
/health         the event loop answers
/ready          requests can be served: database, PostgREST, migrations
/metrics        for a monitor, where SOCIO_METRICS_TOKEN is set
/*              backend.web       the built client
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.auth import revocations
from backend.auth import routes as auth
from backend.auth.revocations import RefuseRevoked
from backend.core import db, disk, error_reports, errors, migrate, resources, server
from backend.core.config import Settings
from backend.core.errors import ApiError, Code
from backend.core.http import ErrorBoundary, RequestContext
from backend.core.metrics import Metrics
from backend.core.request_times import RequestTimes
from backend.core.resources import Resources
from backend.core.traced_requests import TracedRequests
from backend.edge import routes as edge
from backend.edge import warming
from backend.edge.loader import Loader
from backend.realtime import routes as realtime
from backend.rest import proxy
from backend.storage import routes as storage
from backend.web.client import Client

logger = logging.getLogger("backend.gateway")

# Ends soon after the event is set.
Work = Callable[[Resources, asyncio.Event], Coroutine[Any, Any, None]]

# How long the warm-up of functions waits before it looks again whether the server is ready.
WARM_UP_PAUSE_S = 1.0


@asynccontextmanager
async def application(
    res: Resources, stopping: asyncio.Event | None = None, *, warms_up: bool = False, keeps_times: bool = False
) -> AsyncIterator[ASGIApp]:
    """Build the whole ASGI application on these resources.

    With `warms_up` functions load once it is ready; with `keeps_times` the database keeps the times of requests.
    """
    async with (
        proxy.session(res) as upstream,
        revocations.followed(res) as revoked,
        storage.service(res.settings) as files,
        realtime.service(res, revoked.cover) as channels,
    ):
        rest = proxy.Proxy(res, upstream)
        readiness = Readiness(res, rest, stopping or asyncio.Event())
        functions = edge.loader_of(res.settings)
        if warms_up:
            res.background.start(_warm_up(res, readiness, functions))
        services: dict[str, ASGIApp] = {
            "/auth/v1": auth.create(res.settings),
            "/rest/v1": RefuseRevoked(ErrorBoundary(rest), revoked),
            "/functions/v1": RefuseRevoked(edge.create(res.settings, functions), revoked),
            "/storage/v1": RefuseRevoked(files, revoked),
            "/realtime/v1": RefuseRevoked(channels, revoked),
            "/health": _health,
            "/ready": ErrorBoundary(readiness),
        }
        times = RequestTimes()
        if res.settings.metrics_token:
            services["/metrics"] = ErrorBoundary(Metrics(res, times.registry))
        if keeps_times:
            res.background.start(times.keep(res.pool))
        # Another project has its pages elsewhere.
        client = Client(res.settings, res.keys)
        pages = ErrorBoundary(client if res.settings.is_product else _nothing)
        dispatch = Dispatch(services, pages, res.settings, lambda: client.script_hashes)
        answering: ASGIApp = ErrorBoundary(dispatch)
        if res.tracer is not None:
            answering = TracedRequests(answering, res.tracer, res.settings, times)
        yield RequestContext(answering, res, times)


async def _nothing(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise ApiError(404, Code.NOT_FOUND, "Not Found")


# Of the build that the last answer came from.
ScriptHashes = Callable[[], Sequence[str]]


class Dispatch:
    """Sends each request to its service by the prefix, and gives every answer its security headers."""

    def __init__(
        self, services: Mapping[str, ASGIApp], client: ASGIApp, settings: Settings, script_hashes: ScriptHashes
    ) -> None:
        self._services = services
        self._client = client
        self._api_headers = api_headers(settings)
        self._settings = settings
        self._script_hashes = script_hashes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        # "/auth/v1/token" is looked up as "/auth/v1", "/health" as itself.
        prefix = "/".join(path.split("/", 3)[:3])
        service = self._services.get(prefix)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = self._api_headers
                if service is None:
                    added = client_headers(self._settings, self._script_hashes())
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        if service is not None:
            await service({**scope, "root_path": prefix}, receive, send_with_headers)
        elif scope["type"] == "http":
            await self._client(scope, receive, send_with_headers)
        else:
            await _door(scope, receive, send)


def api_headers(settings: Settings) -> list[tuple[bytes, bytes]]:
    """For answers that no browser shall ever render."""
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "Referrer-Policy": "no-referrer",
        **_https_only(settings),
    }
    return _encoded(headers)


def client_headers(settings: Settings, script_hashes: Sequence[str]) -> list[tuple[bytes, bytes]]:
    """For the client: scripts, styles and calls to our own address only, nobody frames it.

    Inline are only the scripts of the build, by their hash.

    The session's tokens lie in local storage, so one injected script would be the loss of the account.
    """
    address = urlsplit(settings.api.external_url)
    websocket = f"{'wss' if address.scheme == 'https' else 'ws'}://{address.netloc}"
    policy = {
        "default-src": "'none'",
        "script-src": " ".join(("'self'", *script_hashes)),
        "style-src": "'self'",
        "img-src": "'self' blob: data:",
        # Voice notes and videos are played while they load.
        "media-src": f"'self' {settings.api.external_url}",
        "font-src": "'self'",
        "connect-src": f"'self' {settings.api.external_url} {websocket}",
        # What the client wrote itself, such as a formatted mail in a sandbox: it inherits this policy.
        "frame-src": "blob:",
        "manifest-src": "'self'",
        "worker-src": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        # No text ever becomes HTML or script: innerHTML and its kin throw (Trusted Types). The one policy lets files of
        # the build be workers (web/src/lib/own-worker.ts).
        "require-trusted-types-for": "'script'",
        "trusted-types": "socio-worker",
    }
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
        **_https_only(settings),
    }
    return _encoded(headers)


def _https_only(settings: Settings) -> dict[str, str]:
    return {"Strict-Transport-Security": "max-age=31536000; includeSubDomains"} if settings.secure else {}


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


async def _door(scope: Scope, receive: Receive, send: Send) -> None:
    """A service that is not there."""
    await errors.response(404, Code.NOT_FOUND, "Not Found")(scope, receive, send)


async def _health(scope: Scope, receive: Receive, send: Send) -> None:
    """Liveness: the event loop answers."""
    await JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})(scope, receive, send)


class Readiness:
    """`/ready`: 200 when a request can be served, else 503 with the reasons."""

    def __init__(self, res: Resources, rest: proxy.Proxy, stopping: asyncio.Event) -> None:
        self._resources = res
        self._rest = rest
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reasons = await self.reasons()
        await self._answer(reasons)(scope, receive, send)

    def _answer(self, reasons: list[str]) -> Response:
        headers = {"Cache-Control": "no-store"}
        if not reasons:
            return JSONResponse({"status": "ready"}, headers=headers)
        return JSONResponse(
            {"status": "not ready", "reasons": reasons}, status_code=503, headers={**headers, "Retry-After": "1"}
        )

    async def reasons(self) -> list[str]:
        """Why no request should come here now; empty when all is well."""
        found = ["the server is shutting down"] if self._stopping.is_set() else []
        try:
            async with db.connection(self._resources.pool) as connection:
                behind = await migrate.pending(connection, self._resources.settings.migrations)
            found += [f"the migration {migration.path.name} is not applied" for migration in behind]
        except ApiError as error:
            found.append(error.message)
        if not await self._rest.is_up():
            found.append("PostgREST does not answer")
        if disk.is_low(self._resources.settings):
            found.append(f"too little space is free on the disk of {self._resources.settings.home}")
        return found


async def _warm_up(res: Resources, readiness: Readiness, functions: Loader) -> None:
    while True:
        # Wait first, because the socket is not open yet.
        await asyncio.sleep(WARM_UP_PAUSE_S)
        if not await readiness.reasons():
            return warming.start(res, functions)


async def serve(settings: Settings, work: Work | None = None) -> None:
    """Serve until SIGTERM or SIGINT, then finish what is under way.

    `work` runs in the same process until then. When one of the two fails, the process ends.
    """
    stopping = asyncio.Event()
    # In development a function loads at its first call: a start is quick, and what nobody uses takes no memory.
    warms_up = settings.edge_runtime.policy == "per_worker"
    async with (
        resources.open_all(settings) as res,
        error_reports.reported(res),
        application(res, stopping, warms_up=warms_up, keeps_times=True) as app,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(server.run(app, settings, stopping))
        if work is not None:
            group.create_task(work(res, stopping))
