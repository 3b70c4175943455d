"""`/functions/v1/<slug>`: who calls, which function, what came out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from backend.core import callers, errors, http, tracing
from backend.core.config import Settings
from backend.core.config_functions import Function
from backend.core.http import Cors, ErrorBoundary
from backend.edge import requests
from backend.edge.api import Context
from backend.edge.errors import RELAY_HEADER, BootError, UnknownFunction, does_not_start, not_found, too_slow
from backend.edge.loader import Loader, canonical

# What supabase-js sends, and what carries a trace; any other too, for functions have headers of their own. The star
# does not stand for Authorization (https://fetch.spec.whatwg.org/#http-access-control-allow-headers).
REQUEST_HEADERS = "*, Authorization, X-Client-Info, ApiKey, Content-Type, X-Region, Traceparent, Tracestate, Baggage"
# Hosted Supabase's limit for a request to a function; a function may declare another one.
TIMEOUT_S = 150.0
BODY_LIMIT_BYTES = http.BODY_LIMIT_BYTES


def loader_of(settings: Settings) -> Loader:
    """Make the loader of the functions; it finds none where they are switched off."""
    runtime = settings.edge_runtime
    return Loader(settings.functions_folders if runtime.enabled else (), reload=runtime.policy == "oneshot")


def create(settings: Settings, loader: Loader) -> Starlette:
    """Make the service."""
    invoke = Invoke(loader, settings.functions)
    return Starlette(
        routes=[Route("/{slug}", invoke), Route("/{slug}/{rest:path}", invoke)],
        # Starlette's own last resort answers before it raises: ours must lie inside of it.
        middleware=[Middleware(Cors, headers=REQUEST_HEADERS, expose=RELAY_HEADER), Middleware(ErrorBoundary)],
        exception_handlers=dict(errors.HANDLERS),
    )


class Invoke:
    """The one endpoint: bare ASGI, because the time limit holds for the answer's stream as well."""

    def __init__(self, loader: Loader, settings: Mapping[str, Function]) -> None:
        self._loader = loader
        # Whichever way the operator and the caller spell it, it is one function.
        self._settings = {canonical(slug): each for slug, each in settings.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        resources = http.resources(request)
        slug = canonical(request.path_params["slug"])
        settings = self._settings.get(slug, Function())
        try:
            if not settings.enabled:
                raise UnknownFunction(slug)
            function = self._loader.function(slug)
        except UnknownFunction as error:
            raise not_found(error) from error
        except BootError as error:
            raise does_not_start(error) from error
        claims = callers.of_headers(request.headers, resources, verify=settings.verify_jwt)
        token = next(filter(None, http.tokens(request.headers)), "")
        context = Context(slug, claims, http.client_ip(request, resources.settings), resources, token)
        limit_bytes: int = getattr(function, "BODY_LIMIT_BYTES", BODY_LIMIT_BYTES)
        bounded = requests.bounded(scope, receive, limit_bytes)
        try:
            with tracing.span(f"function {slug}"):
                async with asyncio.timeout(getattr(function, "TIMEOUT_S", TIMEOUT_S)) as limit:
                    response: Response = await function.handler(Request(scope, bounded), context)
                    await response(scope, bounded, send)
        except TimeoutError as error:
            if not limit.expired():
                raise  # one of the function's own
            raise too_slow(error) from error
