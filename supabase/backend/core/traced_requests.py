"""The span of a request to the gateway."""

from __future__ import annotations

from collections.abc import Awaitable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core import http, log, tracing
from backend.core.config import Settings
from backend.core.request_times import PROBES, RequestTimes, endpoint, service
from backend.core.tracing import Kind, Tracer

METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})


class TracedRequests:
    """Give each request a span, inside of RequestContext; websockets, which last for hours, and probes have none.

    Its name is the endpoint once that has answered well, else the service, so that a stranger chooses no name.
    """

    def __init__(self, app: ASGIApp, tracer: Tracer, settings: Settings, times: RequestTimes) -> None:
        self.app = app
        self._tracer = tracer
        self._settings = settings
        self._times = times

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer the request. A trace that is left out is current as long as the request's own task."""
        if scope["type"] != "http" or scope["path"] in PROBES:
            return self.app(scope, receive, send)
        traceparent = None
        for name, value in scope["headers"]:
            if name == b"traceparent":
                traceparent = self._continued(value.decode("latin-1"), scope)
        if traceparent is None and (left_out := self._tracer.left_out()) is not None:
            # No coroutine around the answer: it would be most of the cost.
            tracing.current.set(left_out)
            return self.app(scope, receive, send)
        return self._traced(scope, receive, send, traceparent)

    async def _traced(self, scope: Scope, receive: Receive, send: Send, traceparent: str | None) -> None:
        # https://opentelemetry.io/docs/specs/semconv/http/http-spans/
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        name = f"{method} {service(scope['path'])}"
        attributes = {"http.request.method": method, "request_id": log.request_id.get()}
        status = 0

        async def watched_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with self._tracer.root(name, Kind.REQUEST, attributes, traceparent) as span:
            try:
                await self.app(scope, receive, watched_send)
            finally:
                route = endpoint(method, scope["path"])
                if not self._times.knows(route):
                    route = name
                span.rename(route, {"http.route": route.partition(" ")[2], "http.response.status_code": status})
                if status >= 500:
                    span.fail(str(status))

    def _continued(self, traceparent: str, scope: Scope) -> str | None:
        """Return the trace to continue: one of our own servers, or of a trusted proxy where the settings say so.

        A visitor's would put foreign requests into one trace, and have each of them recorded.
        """
        if self._tracer.is_own(traceparent, Headers(scope=scope).get("tracestate", "")):
            return traceparent
        is_from_proxy = scope.get("client") and http.is_trusted_proxy(scope["client"][0], self._settings)
        return traceparent if self._settings.traces_from_proxy and is_from_proxy else None
