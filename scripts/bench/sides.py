"""A server of the bench that answers a request as the side that it names would: traced or not, counted or not.

Two processes of one program differ by up to 40 % of CPU, and two applications in one process by 8, as their memory
happens to fall. Here everything is the same but what is compared. Its argument is the port; spans go where the
variables of OpenTelemetry say.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from typing import cast

import uvloop
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from backend import gateway
from backend.core import config, log, resources, server, tracing
from backend.core.http import RequestContext
from backend.core.otel import OtelTracer
from backend.core.request_times import RequestTimes
from backend.core.traced_requests import TracedRequests

HEADER = "x-bench-side"
PLAIN, UNCOUNTED, ALL, SOME = "plain", "uncounted", "all", "some"
# Sends the spans that wait to be sent, and answers when they are gone.
FLUSH = "flush"
# The share of requests that SOME traces, as supabase/deploy/environment proposes it.
SHARE = 0.01


class Uncounted(RequestTimes):
    """Counts nothing."""

    def answered(self, method: str, path: str, status: int, seconds: float) -> None:
        """Do nothing."""


async def serve(port: int) -> None:
    """Serve until the process is ended."""
    # The issuer of the sessions is the public address.
    os.environ["SUPABASE_API_EXTERNAL_URL"] = config.load().api.external_url
    os.environ["SUPABASE_API_PORT"] = str(port)
    settings = config.load()
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(resources.open_all(settings))
        app = cast("RequestContext", await stack.enter_async_context(gateway.application(opened)))
        inner = cast("TracedRequests", app.app).app
        os.environ.update(OTEL_TRACES_SAMPLER="parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG=str(SHARE))
        tracer = await stack.enter_async_context(tracing.opened(settings, opened.keys, "some"))
        tracers = [cast("OtelTracer", each) for each in (opened.tracer, tracer)]
        some = TracedRequests(inner, tracers[1], settings, app.times)

        async def flush(scope: Scope, receive: Receive, send: Send) -> None:
            for each in tracers:
                await asyncio.to_thread(each.processor.force_flush)
            await Response()(scope, receive, send)

        sides: dict[str, ASGIApp] = {
            PLAIN: RequestContext(inner, opened, app.times),
            UNCOUNTED: RequestContext(inner, opened, Uncounted()),
            ALL: app,
            SOME: RequestContext(some, opened, app.times),
            FLUSH: flush,
        }

        async def named(scope: Scope, receive: Receive, send: Send) -> None:
            side = next((value.decode() for name, value in scope["headers"] if name == HEADER.encode()), PLAIN)
            await sides[side](scope, receive, send)

        await server.run(named, settings, asyncio.Event())


if __name__ == "__main__":
    log.configure()
    uvloop.run(serve(int(sys.argv[1])))
