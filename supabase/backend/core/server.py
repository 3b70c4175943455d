"""uvicorn with what an open network needs: bounded headers, time limits for slow clients, and a drain at the end."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from backend.core import quiet
from backend.core.config import Settings

logger = logging.getLogger("backend.server")

MAX_HEADER_BYTES = 32 * 1024
# A client has this long to send its headers, from the first byte or from connecting.
HEADER_TIMEOUT_S = 10
KEEP_ALIVE_S = 65
# A client that takes nothing of what waits for it for so long is cut off: what it was sent holds memory, and whoever
# made it.
SEND_TIMEOUT_S = 20
# Where the scope of a websocket has its transport: what of it waits to be sent, and the end of it at once.
TRANSPORT = "socio.transport"
# Connections beyond this are answered 503 rather than let memory grow.
MAX_CONNECTIONS = 12_000
# A turn of the loop that begins them takes about a millisecond, which nobody notices.
MAX_STARTS_A_TURN = 4
# libuv accepts one connection for each listener and turn of the loop, so that in a crowd, where turns are long, new
# connections would wait while the others are served.
LISTENERS = 8
# After SIGTERM the server goes on accepting for a moment, so that a balancer can see /ready turn to 503.
DRAIN_NOTICE_S = 0.5
DRAIN_LIMIT_S = 20


class HeadersTooLarge(Exception):
    """The request line and headers of one request exceed MAX_HEADER_BYTES; httptools turns it into a 400."""


class Turns:
    """Let a few requests begin in each turn of the event loop; the others follow in their order.

    The loop reads all that has arrived before it does anything else, and 200 requests of one moment would keep whoever
    waits for one row of the database waiting until all of them have begun (GOAL-P3). Who comes while others wait
    shares no place with them: a turn begins as many of those who have just come as of those who wait.
    """

    def __init__(self) -> None:
        self._begun = 0
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_counting = False

    def begin(self, start: Callable[[], None]) -> None:
        """Call `start` now, or in a later turn of the running loop."""
        if not self._is_counting:
            self._count_anew()
        if self._begun < MAX_STARTS_A_TURN:
            self._begun += 1
            start()
        else:
            self._waiting.append(start)

    def _count_anew(self) -> None:
        self._begun = 0
        self._is_counting = True
        asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._is_counting = False
        for _ in range(min(MAX_STARTS_A_TURN, len(self._waiting))):
            self._waiting.popleft()()
        if self._waiting:
            self._count_anew()


class _CutsWhoStandsStill(asyncio.Protocol):
    """In front of a protocol of uvicorn's: ends the connection of a client that does not read what it is sent."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    _look: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_later()

    def resume_writing(self) -> None:
        self._stop_looking()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_looking()
        super().connection_lost(exc)

    def _look_later(self) -> None:
        unread_bytes = self.transport.get_write_buffer_size()
        self._look = self.loop.call_later(SEND_TIMEOUT_S, self._look_again, unread_bytes)

    def _look_again(self, unread_bytes: int) -> None:
        # A slow client may take as long as it needs, as long as it takes something.
        if self.transport.get_write_buffer_size() < unread_bytes:
            self._look_later()
        else:
            self.transport.abort()

    def _stop_looking(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None


class BoundedProtocol(_CutsWhoStandsStill, HttpToolsProtocol):
    """uvicorn's protocol with bounds: on headers, on the time a client takes to send them, on what begins at once."""

    _deadline: asyncio.TimerHandle | None = None
    _header_bytes = 0

    def __init__(self, *args: Any, turns: Turns, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turns = turns

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._turns.begin(partial(super()._start_asgi_task, cycle, app))

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = 0
        self._start_waiting()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def _unset_keepalive_if_required(self) -> None:
        # uvicorn calls it at any byte. After an answer only the next request ends the wait for it: not the rest of one
        # that was refused before it was read, nor an empty line, which can keep a connection open for ever.
        pass

    def _count(self, size_bytes: int) -> None:
        self._header_bytes += size_bytes
        if self._header_bytes > MAX_HEADER_BYTES:
            raise HeadersTooLarge

    def _start_waiting(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(HEADER_TIMEOUT_S, self.transport.close)

    def _stop_waiting(self) -> None:
        super()._unset_keepalive_if_required()
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class BoundedWebSocket(_CutsWhoStandsStill, WebSocketsSansIOProtocol):
    """uvicorn's protocol of websockets, of which a client that sends and does not read can make nothing grow."""

    _late_pong = b""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):  # or the request was refused
            cast("dict[str, Any]", self.scope["extensions"])[TRANSPORT] = self.transport

    def handle_ping(self) -> None:
        # What answers all that came at once: pongs, and a close when there was one among it.
        answers = [each for each in self.conn.data_to_send() if each]
        if self.writable.is_set() or self.conn.close_sent is not None:
            self.transport.write(b"".join(answers))
        elif answers:
            # Only the last ping needs an answer (RFC 6455, 5.5.3).
            self._late_pong = answers[-1]

    def resume_writing(self) -> None:
        super().resume_writing()
        pong, self._late_pong = self._late_pong, b""
        if pong and not self.close_sent:
            self.transport.write(pong)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        # Closing would wait until what was sent before has been read.
        self.transport.abort()


class Server(quiet.Server):
    """Turns /ready to 503 before it stops accepting, and leaves the signal to nobody else afterwards."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen as uvicorn does, with LISTENERS on each socket."""
        await super().startup(sockets)
        config, loop = self.config, asyncio.get_running_loop()
        made: Callable[..., asyncio.Protocol] = config.http_protocol_class
        protocol = partial(made, config=config, server_state=self.server_state, app_state=self.lifespan.state)
        bound = [listening.fileno() for server in self.servers for listening in server.sockets]
        for number in bound * (LISTENERS - 1):
            again = socket.socket(fileno=os.dup(number))
            self.servers.append(await loop.create_server(protocol, sock=again, backlog=config.backlog))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own would kill the process by the same signal before the resources are closed."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop, number)
        yield

    def _stop(self, number: int) -> None:
        if number == signal.SIGTERM and not self._stopping.is_set():
            self._stopping.set()
            asyncio.get_running_loop().call_later(DRAIN_NOTICE_S, self.handle_exit, number, None)
        else:
            self._stopping.set()
            self.handle_exit(number, None)


def raise_file_limit() -> int:
    """Lets this process open as many files, and sockets, as it may; answers how many. Debian begins with 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < MAX_CONNECTIONS:
        logger.warning("few files may be open at once", extra={"limit": hard, "wanted": MAX_CONNECTIONS})
    return hard


async def run(app: ASGIApp, settings: Settings, stopping: asyncio.Event) -> None:
    """Serve until a signal, which sets `stopping`; running requests get DRAIN_LIMIT_S to finish."""
    raise_file_limit()
    # What is loaded by now stays: looking through it again and again for garbage took a tenth of a request.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    config = uvicorn.Config(app, host=settings.api.host, port=settings.api.port, **options())
    await Server(config, stopping).serve()


def options() -> dict[str, Any]:
    """uvicorn's settings of one server."""
    return {
        "http": partial(BoundedProtocol, turns=Turns()),
        "lifespan": "off",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        # X-Forwarded-* is ours to judge (core.http.client_ip).
        "proxy_headers": False,
        "limit_concurrency": MAX_CONNECTIONS,
        "timeout_keep_alive": KEEP_ALIVE_S,
        "timeout_graceful_shutdown": DRAIN_LIMIT_S,
        "ws": BoundedWebSocket,
        "ws_max_size": 3 * 1024 * 1024,
        # Compression keeps some 64 KB of state for each socket, and messages are small.
        "ws_per_message_deflate": False,
    }
