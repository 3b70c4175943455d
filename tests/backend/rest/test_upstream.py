"""backend.rest.upstream against servers that say exactly what a test wants, over real unix sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from backend.rest import upstream
from backend.rest.upstream import Upstream, UpstreamError, UpstreamTimeout

pytestmark = pytest.mark.anyio
TIMEOUT_S = 10.0
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def server(folder: Path, talk: Talk, most: int = 10) -> AsyncIterator[Upstream]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    path = str(folder / "s")
    listening = await asyncio.start_unix_server(serve, path)
    async with listening, upstream.opened(path, most, 2.0) as client:
        yield client


async def head_of(reader: asyncio.StreamReader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


def saying(*answers: bytes) -> Talk:
    """Answers one request after the other on a connection, then hangs up."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await head_of(reader)
            writer.write(answer)
            await writer.drain()

    return talk


async def read(client: Upstream, method: str = "GET", target: bytes = b"/") -> tuple[int, bytes]:
    answer = await client.request(method, target, (), None, TIMEOUT_S)
    try:
        return answer.status, b"".join([piece async for piece in answer.body(TIMEOUT_S)])
    finally:
        answer.close()


@pytest.mark.parametrize(
    ("method", "answer", "status", "body"),
    [
        ("GET", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nciao", 200, b"ciao"),
        ("GET", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nci\r\n2\r\nao\r\n0\r\n\r\n", 200, b"ciao"),
        ("GET", b"HTTP/1.1 200 OK\r\n\r\nto the end", 200, b"to the end"),
        ("GET", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx", 201, b"x"),
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n", 200, b""),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", 204, b""),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, b""),
        ("GET", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, b""),
    ],
    ids=["length", "chunked", "until the end", "after a 100", "head", "204", "304", "empty"],
)
async def test_every_framing_is_understood(
    tmp_path: Path, method: str, answer: bytes, status: int, body: bytes
) -> None:
    async with server(tmp_path, saying(answer)) as client:
        assert await read(client, method) == (status, body)


async def test_an_answer_that_is_closed_twice_takes_its_connection_from_nobody(tmp_path: Path) -> None:
    first_read, short = asyncio.Event(), b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(short)
        await head_of(reader)
        await first_read.wait()
        writer.write(short)

    async with server(tmp_path, talk, most=1) as client:
        first = await client.request("GET", b"/", (), None, TIMEOUT_S)
        async with asyncio.timeout(TIMEOUT_S):
            while first.whole() is None:  # noqa: ASYNC110 - nobody tells when the body is there
                await asyncio.sleep(0)
        first.close()
        second = asyncio.create_task(read(client))
        await asyncio.sleep(0)
        first.close()
        first_read.set()
        assert await second == (200, b"ok")


async def test_a_long_answer_that_came_at_once_leaves_its_connection_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream, "MAX_BUFFERED_BYTES", 10)
    long = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"x" * 100
    async with server(tmp_path, saying(long, long), most=1) as client:
        for _ in range(2):
            answer = await client.request("GET", b"/", (), None, 1.0)
            assert answer.whole() == b"x" * 100
            answer.close()


async def test_a_connection_is_used_again_also_after_head(tmp_path: Path) -> None:
    connections = 0
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while True:
            head = await head_of(reader)
            writer.write(answer if head.startswith(b"HEAD") else answer + b"ok")

    async with server(tmp_path, talk) as client:
        for method in ("GET", "HEAD", "GET", "HEAD", "GET"):
            assert await read(client, method) == (200, b"" if method == "HEAD" else b"ok")
        assert connections == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["nothing", "half a header", "half a body", "half a chunk", "garbage", "flood of headers", "no chunk"],
)
async def test_what_is_cut_or_no_http_is_an_error(tmp_path: Path, answer: bytes) -> None:
    async with server(tmp_path, saying(answer)) as client:
        with pytest.raises(UpstreamError):
            await read(client)
        # The connection is not trusted again.
        with pytest.raises(UpstreamError):
            await read(client)


async def test_bytes_nobody_asked_for_are_never_the_next_answer(tmp_path: Path) -> None:
    first = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    smuggled = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    async with server(tmp_path, saying(first + smuggled)) as client:
        assert await read(client) == (200, b"ok")
        assert await read(client) == (200, b"ok")


async def test_a_connection_that_ended_while_it_was_idle_is_replaced(tmp_path: Path) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    async with server(tmp_path, saying(answer)) as client:
        assert await read(client) == (200, b"ok")
        for _ in range(20):
            await asyncio.sleep(0)  # the end of the connection arrives
        assert await read(client) == (200, b"ok")


async def test_silence_is_a_timeout(tmp_path: Path) -> None:
    async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with server(tmp_path, silent) as client:
        with pytest.raises(UpstreamTimeout):
            await client.request("GET", b"/", (), None, 0.01)


async def test_nobody_listening_is_an_error(tmp_path: Path) -> None:
    async with upstream.opened(str(tmp_path / "none"), 1, 2.0) as client:
        with pytest.raises(UpstreamError):
            await read(client)


async def test_no_more_connections_than_allowed(tmp_path: Path) -> None:
    released = asyncio.Event()
    waiting = 0

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal waiting
        while True:
            await head_of(reader)
            waiting += 1
            await released.wait()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    async with server(tmp_path, slow, most=2) as client:
        asked = [asyncio.create_task(read(client)) for _ in range(5)]
        async with asyncio.timeout(TIMEOUT_S):
            while waiting < 2:  # noqa: ASYNC110 - the server counts, it has nobody to tell
                await asyncio.sleep(0)
        assert waiting == 2
        released.set()
        assert await asyncio.gather(*asked) == [(200, b"")] * 5


async def test_a_slow_reader_stops_the_server_not_the_memory(tmp_path: Path) -> None:
    sent = 0
    piece = b"x" * 65_536

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(piece) * 200))
        for _ in range(200):
            writer.write(piece)
            await writer.drain()
            sent += len(piece)

    async with server(tmp_path, flood) as client:
        answer = await client.request("GET", b"/", (), None, TIMEOUT_S)
        for _ in range(2000):
            await asyncio.sleep(0)
        assert sent < len(piece) * 100
        total = 0
        async for chunk in answer.body(TIMEOUT_S):
            total += len(chunk)
        answer.close()
        assert total == len(piece) * 200


@pytest.mark.parametrize(
    ("target", "headers"),
    [(b"/x\r\nEvil: 1", []), (b"/x y", []), (b"/", [(b"a", b"b\r\nEvil: 1")]), (b"/", [(b"a\n", b"b")])],
    ids=["target", "space", "value", "name"],
)
async def test_nothing_becomes_two_lines(tmp_path: Path, target: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    async with server(tmp_path, saying()) as client:
        with pytest.raises(ValueError, match="line break"):
            await client.request("GET", target, headers, None, TIMEOUT_S)


async def test_a_body_is_sent_with_its_length(tmp_path: Path) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await head_of(reader)
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            body = await reader.readexactly(length)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async with server(tmp_path, echo) as client:
        for body in (b"", b"ciao"):
            answer = await client.request("POST", b"/", [(b"a", b"b")], body, TIMEOUT_S)
            assert b"".join([piece async for piece in answer.body(TIMEOUT_S)]) == body
            answer.close()
