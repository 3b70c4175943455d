"""`/functions/v1/<slug>`: who calls, which function, what came out."""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from backend.core import callers, errors, http
from backend.core.config import Settings
from backend.core.errors import ApiError, Code
from backend.core.http import Cors, ErrorBoundary
from backend.edge.api import Call
from backend.edge.loader import Handle, Loader, UnknownFunction

# What supabase-js sends, and what carries a trace.
REQUEST_HEADERS = "Authorization, X-Client-Info, ApiKey, Content-Type, X-Region, Traceparent, Tracestate, Baggage"
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
# Hosted Supabase's limit for a request to a function.
TIMEOUT_S = 150


def create(settings: Settings) -> Starlette:
    """The service; the functions lie in the checkout's `functions` folder."""
    loader = Loader(settings.root / "functions")

    async def invoke(request: Request) -> Response:
        resources = http.resources(request)
        slug = request.path_params["slug"]
        function = _find(loader, slug)
        claims = callers.of_headers(request.headers, resources, verify=settings.function(slug).verify_jwt)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await function(Call(request, claims, resources))
        except TimeoutError as error:
            raise ApiError(504, Code.REQUEST_TIMEOUT, "The function took too long", cause=error) from error

    return Starlette(
        routes=[Route("/{slug}", invoke, methods=METHODS), Route("/{slug}/{rest:path}", invoke, methods=METHODS)],
        # Starlette's own last resort answers before it raises: ours must lie inside of it.
        middleware=[Middleware(Cors, headers=REQUEST_HEADERS), Middleware(ErrorBoundary)],
        exception_handlers=dict(errors.HANDLERS),
    )


def _find(loader: Loader, slug: str) -> Handle:
    try:
        return loader.find(slug)
    except UnknownFunction as error:
        raise ApiError(404, Code.NOT_FOUND, "Requested function was not found", cause=error) from error
