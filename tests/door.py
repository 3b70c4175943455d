"""Servers in a test's own process, and their ports."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp


def opened() -> socket.socket:
    """Listen on a free port of this machine, for a server that comes later.

    Made for TCP by name, as a server's own sockets are: of others asyncio does not switch Nagle's algorithm off, and
    each answer in two parts would wait 40 ms for an acknowledgement.
    """
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    door.bind(("127.0.0.1", 0))
    door.listen(128)
    return door


@asynccontextmanager
async def serving(app: ASGIApp, at: socket.socket | None = None, **options: Any) -> AsyncIterator[str]:
    """Serve an application here, on a free port unless one is given, with uvicorn's options; yields its address.

    It is `uvicorn.Server.serve` without its loop, which looks ten times a second whether it is to end, and then as
    often whether it may: a fifth of a second for each test. The signals of the process stay those of the tests.
    """
    config = uvicorn.Config(app, **{"host": "127.0.0.1", "port": 0, "lifespan": "off", "log_config": None, **options})
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[at] if at else None)
    # Sets the headers of every answer.
    await server.on_tick(0)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        await _end(server)


async def _end(server: uvicorn.Server) -> None:
    """Close the port and the connections, and wait for the requests that are under way."""
    for listener in server.servers:
        listener.close()
    for connection in list(server.server_state.connections):
        connection.shutdown()
    if requests := list(server.server_state.tasks):
        _, late = await asyncio.wait(requests, timeout=server.config.timeout_graceful_shutdown)
        for request in late:
            request.cancel()
    await server.lifespan.shutdown()
