"""core.server over real sockets: bounded headers, no slow clients, and an end that finishes what is under way."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest
import uvloop
from starlette.types import Message, Receive, Scope, Send
from websockets.http11 import Request

from backend.core import config, quiet, server
from backend.core.config import Settings
from scripts import postgres

pytestmark = pytest.mark.anyio

PATIENCE_S = 20
CROWD = 64
# More than both ends' systems keep of a connection.
LONG_BYTES, PIECE = 24 * 1024 * 1024, b"x" * 256 * 1024


class App:
    """Answers at once, or when it is let go; says when a request has come in."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.let_go = asyncio.Event()
        self.ended = asyncio.Event()
        self.body = b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.entered.set()
        if scope["type"] == "websocket":
            await self._websocket(receive, send)
            return
        if scope["path"] == "/long":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(LONG_BYTES // len(PIECE)):
                await send({"type": "http.response.body", "body": PIECE, "more_body": True})
            self.ended.set()
            await send({"type": "http.response.body", "body": b""})
            return
        if scope["path"] == "/slow":
            await self.let_go.wait()
        if scope["path"] != "/unread":
            message: Message = await receive()
            self.body = message.get("body", b"")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def _websocket(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "bytes": b"x" * LONG_BYTES})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        self.ended.set()


@pytest.fixture
def settings() -> Settings:
    loaded = config.load({"DATABASE_URL": "postgresql://x@127.0.0.1:1/x"})
    return replace(loaded, api=replace(loaded.api, port=postgres.free_port()))


@asynccontextmanager
async def running(settings: Settings, app: App) -> AsyncIterator[tuple[asyncio.Task[None], asyncio.Event]]:
    stopping = asyncio.Event()
    task = asyncio.create_task(server.run(app, settings, stopping))
    await connected(settings, task)
    yield task, stopping
    app.let_go.set()
    if not task.done():
        os.kill(os.getpid(), signal.SIGINT)
    async with asyncio.timeout(PATIENCE_S):
        await task


async def connected(settings: Settings, task: asyncio.Task[None]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not task.done():
            try:
                _, writer = await connect(settings)
            except ConnectionError:
                await asyncio.sleep(0)
                continue
            writer.close()
            return


async def connect(settings: Settings) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(settings.api.host, settings.api.port)


async def talk(settings: Settings, request: bytes) -> bytes:
    """Everything the server says until it closes the line."""
    reader, writer = await connect(settings)
    writer.write(request)
    async with asyncio.timeout(PATIENCE_S):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()


async def test_an_ordinary_request_is_served_without_naming_the_server(settings: Settings) -> None:
    async with running(settings, App()):
        answer = await talk(settings, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"server:" not in answer.lower()


def test_a_crowd_of_new_connections_is_accepted_in_a_few_turns_of_the_loop(settings: Settings) -> None:
    class Counting(App):
        requests = 0

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            self.requests += 1
            await super().__call__(scope, receive, send)

    async def turns() -> int:
        app = Counting()
        async with running(settings, app):
            crowd = [socket.create_connection((settings.api.host, settings.api.port)) for _ in range(CROWD)]
            for each in crowd:
                each.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            count = 0
            while app.requests < CROWD:
                await asyncio.sleep(0)
                count += 1
            for each in crowd:
                each.close()
            return count

    # The loop of production: with one listener it accepts one connection in each turn.
    assert uvloop.run(turns()) < CROWD / 2


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"H%d: a\r\n" % number for number in range(20_000)) + b"\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=["one header", "many headers", "address"],
)
async def test_headers_are_bounded(settings: Settings, request_bytes: bytes) -> None:
    app = App()
    async with running(settings, app):
        answer = await talk(settings, request_bytes)
    assert not app.entered.is_set()
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("beginning", [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nA: "])
async def test_a_client_that_does_not_get_to_the_point_is_cut(
    settings: Settings, beginning: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEADER_TIMEOUT_S", 0.1)
    async with running(settings, App()):
        assert await talk(settings, beginning) == b""


async def test_the_time_for_headers_does_not_bound_the_answer(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEADER_TIMEOUT_S", 0.1)
    app = App()
    async with running(settings, app):
        asked = asyncio.create_task(talk(settings, b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
        await app.entered.wait()
        asyncio.get_running_loop().call_later(0.3, app.let_go.set)
        assert (await asked).endswith(b"ok")


REFUSED = b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
SERVED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "more"),
    [(SERVED, b""), (SERVED, b"\r\n"), (REFUSED, b""), (REFUSED, b"x"), (REFUSED, b"x" * 1000)],
    ids=["nothing", "an empty line", "no body", "a byte of the body", "the whole body"],
)
async def test_a_client_that_asks_nothing_more_is_cut_whatever_else_it_sends(
    settings: Settings, request_bytes: bytes, more: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "KEEP_ALIVE_S", 0.2)
    async with running(settings, App()):
        reader, writer = await connect(settings)
        writer.write(request_bytes)
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(b"ok")
            writer.write(more)
            assert await reader.read() == b""
        writer.close()


@pytest.mark.parametrize("first", [SERVED, REFUSED], ids=["read", "refused before it was read"])
async def test_a_connection_serves_the_next_request_for_as_long_as_it_takes(
    settings: Settings, first: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "KEEP_ALIVE_S", 0.2)
    app = App()
    async with running(settings, app):
        reader, writer = await connect(settings)
        async with asyncio.timeout(PATIENCE_S):
            writer.write(first)
            await reader.readuntil(b"ok")
            app.entered.clear()
            writer.write((b"x" * 1000 if first == REFUSED else b"") + b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            await app.entered.wait()
            asyncio.get_running_loop().call_later(0.5, app.let_go.set)
            await reader.readuntil(b"ok")
        writer.close()


async def test_a_client_that_does_not_read_its_answer_is_cut(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SEND_TIMEOUT_S", 0.1)
    app = App()
    async with running(settings, app):
        _, writer = await connect(settings)
        writer.write(b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(PATIENCE_S):
            await app.ended.wait()
        writer.close()


UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
PING = bytes([0x89, 0x80 | 125, 0, 0, 0, 0]) + b"p" * 125


async def test_a_socket_that_does_not_read_is_cut(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SEND_TIMEOUT_S", 0.1)
    app = App()
    async with running(settings, app):
        _, writer = await connect(settings)
        writer.write(UPGRADE)
        async with asyncio.timeout(PATIENCE_S):
            await app.ended.wait()
        writer.close()


async def test_a_slow_client_may_take_longer_than_that_as_long_as_it_reads(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SEND_TIMEOUT_S", 0.25)
    async with running(settings, App()):
        reader, writer = await connect(settings)
        writer.write(UPGRADE)
        began_s = time.monotonic()
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(b"\r\n\r\n")
            for _ in range(LONG_BYTES // len(PIECE)):
                await reader.readexactly(len(PIECE))
                await asyncio.sleep(0.01)
        writer.close()
    assert time.monotonic() - began_s > 2 * server.SEND_TIMEOUT_S


async def test_pings_of_a_socket_that_does_not_read_are_not_kept(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[server.BoundedWebSocket]()
    accept = server.BoundedWebSocket.handle_connect

    def noted(self: server.BoundedWebSocket, event: Request) -> None:
        opened.append(self)
        accept(self, event)

    monkeypatch.setattr(server.BoundedWebSocket, "handle_connect", noted)
    app = App()
    async with running(settings, app):
        reader, writer = await connect(settings)
        writer.write(UPGRADE)
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(b"\r\n\r\n")
            while not (opened and not opened[0].writable.is_set()):  # noqa: ASYNC110 - uvicorn tells nobody
                await asyncio.sleep(0)
            before = opened[0].transport.get_write_buffer_size()
            for _ in range(100):
                writer.write(PING * 200)
                await writer.drain()
        assert opened[0].transport.get_write_buffer_size() <= before
        async with asyncio.timeout(PATIENCE_S):
            content = await reader.readexactly(LONG_BYTES + 10 + 127)
        assert content[-127:] == b"\x8a\x7d" + b"p" * 125
        writer.close()


async def test_rubbish_is_a_400_and_reflects_nothing(settings: Settings) -> None:
    async with running(settings, App()):
        answer = await talk(settings, b"<script>alert(1)</script>\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"script" not in answer


async def test_an_idle_server_sleeps_until_it_is_told_to_end(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet, "TICK_S", 3600)
    async with running(settings, App()) as (task, _):
        os.kill(os.getpid(), signal.SIGINT)
        async with asyncio.timeout(PATIENCE_S):
            await task


async def test_sigterm_announces_itself_and_finishes_what_is_under_way(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "DRAIN_NOTICE_S", 0.1)
    app = App()
    async with running(settings, app) as (task, stopping):
        asked = asyncio.create_task(talk(settings, b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"))
        await app.entered.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            while not stopping.is_set():  # noqa: ASYNC110 - the signal arrives through the loop
                await asyncio.sleep(0)
        assert (await talk(settings, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).endswith(b"ok")
        app.let_go.set()
        assert (await asked).endswith(b"ok")
        async with asyncio.timeout(PATIENCE_S):
            await task
    with pytest.raises(ConnectionError):
        await connect(settings)


async def test_a_process_may_open_as_many_files_as_its_account() -> None:
    code = (
        "import resource; from backend.core import server; hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1];"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard));"
        "assert server.raise_file_limit() == hard;"
        "assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await process.wait() == 0


async def test_a_turn_of_the_loop_begins_few_of_those_who_wait_and_whoever_has_just_come() -> None:
    begun: list[object] = []
    turns = server.Turns()
    crowd = 5 * server.MAX_STARTS_A_TURN
    for number in range(crowd):
        turns.begin(partial(begun.append, number))
    assert begun == list(range(server.MAX_STARTS_A_TURN))
    await asyncio.sleep(0)
    turns.begin(partial(begun.append, "newcomer"))
    assert begun[-1] == "newcomer"
    assert len(begun) <= 2 * server.MAX_STARTS_A_TURN + 1
    for _ in range(crowd):
        before = len(begun)
        await asyncio.sleep(0)
        assert len(begun) - before <= server.MAX_STARTS_A_TURN
    assert [each for each in begun if each != "newcomer"] == list(range(crowd))


async def test_a_crowd_that_comes_at_once_is_served_to_the_last(settings: Settings) -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    async with running(settings, App()):
        answers = await asyncio.gather(*(talk(settings, request) for _ in range(10 * server.MAX_STARTS_A_TURN)))
    assert {answer.split(b"\r\n")[0] for answer in answers} == {b"HTTP/1.1 200 OK"}
