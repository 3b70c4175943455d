"""`/metrics` of a worker, on a port of its own: core/metrics.py without requests."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from backend.core.config_file import ConfigError
from backend.core.config_metrics import Address
from backend.core.resources import Resources


@asynccontextmanager
async def served(res: Resources) -> AsyncIterator[None]:
    """Serve the metrics while this is open, where the settings name a port. Raises ConfigError if it is taken."""
    if res.settings.worker_metrics is None:
        yield
        return
    # A worker without a port loads no web server.
    import uvicorn
    from prometheus_client import CollectorRegistry
    from starlette.types import Receive, Scope, Send

    from backend.core import quiet, server
    from backend.core.errors import ApiError, Code
    from backend.core.http import ErrorBoundary
    from backend.core.metrics import Metrics

    class Server(quiet.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Leave the signals to the worker."""
            yield

    metrics = Metrics(res, CollectorRegistry())

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != "/metrics":
            raise ApiError(404, Code.NOT_FOUND, "Not Found")
        await metrics(scope, receive, send)

    with _listening(res.settings.worker_metrics) as listening:
        running = Server(uvicorn.Config(ErrorBoundary(answer), **{**server.options(), "ws": "none"}))
        serving = asyncio.create_task(running.serve(sockets=[listening]))
        try:
            yield
        finally:
            running.stop()
            await serving


def _listening(address: Address) -> socket.socket:
    try:
        family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server(address, family=family)
    except OSError as error:
        raise ConfigError(
            f"SOCIO_WORKER_METRICS_PORT: cannot listen on {address.host}:{address.port}: {error}"
        ) from error
