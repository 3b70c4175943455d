"""A small HTTP/1.1 client for one server behind a unix socket: what the proxy needs of RFC 9112, and nothing else.

Connections are kept and used again; an answer streams with back-pressure. httptools parses, as it does for uvicorn. A
general client spends more time on a request than PostgREST spends on answering it (docs/decisions/platform.md).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import cast

import httptools

Header = tuple[bytes, bytes]

# An answer whose reader is slower than PostgREST waits there, not here.
MAX_BUFFERED_BYTES = 256 * 1024
MAX_HEADER_BYTES = 64 * 1024
# Younger than PostgREST's own limit of 30 s for an idle connection.
IDLE_S = 20.0
BODYLESS = frozenset({204, 304})


class UpstreamError(Exception):
    """The server is away, cut the connection, or speaks no HTTP."""


class UpstreamTimeout(UpstreamError):
    """The server is there and says nothing."""


class _Connection(asyncio.Protocol):
    """One connection; serves one request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.idle_since = 0.0
        self._answer: Answer | None = None
        self.closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are none of asyncio's classes.
        self.transport = cast("asyncio.Transport", transport)

    def begin(self, answer: Answer) -> None:
        self._answer = answer

    def end(self) -> None:
        self._answer = None

    def data_received(self, data: bytes) -> None:
        if self._answer is None:
            self.close()  # bytes nobody asked for: what they belong to cannot be told any more
            return
        self._answer.feed(data)

    def eof_received(self) -> bool:
        if self._answer is not None:
            self._answer.cut()
        return False

    def connection_lost(self, _exc: Exception | None) -> None:
        self.closed = True
        if self._answer is not None:
            self._answer.cut()

    def close(self) -> None:
        self.closed = True
        if self.transport is not None:
            self.transport.abort()


class Answer:
    """A response: status and headers are there, the body is read as it comes. `close` gives the connection back."""

    def __init__(self, upstream: Upstream, connection: _Connection, method: str) -> None:
        self.status = 0
        self.headers: list[Header] = []
        self._upstream = upstream
        self._connection = connection
        self._method = method
        self._parser = httptools.HttpResponseParser(self)
        self._chunks: deque[bytes] = deque()
        self._buffered = 0
        self._header_bytes = 0
        self._waiter: asyncio.Future[None] | None = None
        self._has_headers = False
        self._complete = False
        self._error: UpstreamError | None = None
        self._paused = False
        self._is_closed = False

    # httptools calls these.

    def on_message_begin(self) -> None:
        if self._complete:
            raise UpstreamError("a second answer came to one question")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > MAX_HEADER_BYTES:
            raise UpstreamError("the answer's headers are too long")
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 200:  # 100 Continue and its kin: the answer is still to come
            self.headers.clear()
            return
        self.status = status
        self._has_headers = True
        if self._method == "HEAD" or status in BODYLESS:
            self._complete = True

    def on_body(self, body: bytes) -> None:
        self._chunks.append(body)
        self._buffered += len(body)

    def on_message_complete(self) -> None:
        if self._has_headers:
            self._complete = True

    # The connection calls these.

    def feed(self, data: bytes) -> None:
        if self._complete:
            # HEAD with a body, or two answers to one question.
            self._connection.close()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, UpstreamError) as error:
            if not self._complete:
                self._error = UpstreamError(f"the answer is no HTTP: {error}")
            self._connection.close()
        if self._buffered > MAX_BUFFERED_BYTES and not self._paused and self._connection.transport is not None:
            self._paused = True
            self._connection.transport.pause_reading()
        self._wake()

    def cut(self) -> None:
        if not self._complete and self._error is None:
            if self._has_headers and not self._has_length():
                self._complete = True  # RFC 9112, 6.3: without a length the end of the connection is the end
            else:
                self._error = UpstreamError("the connection was cut")
        self._wake()

    def _has_length(self) -> bool:
        return any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _wait(self, timeout_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        deadline = loop.call_later(timeout_s, self._late)
        try:
            await self._waiter
        finally:
            deadline.cancel()
            self._waiter = None

    def _late(self) -> None:
        self._error = UpstreamTimeout("the server took too long")
        self._wake()

    async def begun(self, timeout_s: float) -> None:
        """Waits for the headers. Raises UpstreamError."""
        while not self._has_headers:
            if self._error is not None:
                raise self._error
            await self._wait(timeout_s)

    async def body(self, timeout_s: float) -> AsyncIterator[bytes]:
        """The body in pieces. Raises UpstreamError when it is cut."""
        while True:
            while self._chunks:
                chunk = self._chunks.popleft()
                self._buffered -= len(chunk)
                if self._buffered <= MAX_BUFFERED_BYTES // 2:
                    self._read_on()
                yield chunk
            if self._complete:
                return
            if self._error is not None:
                raise self._error
            await self._wait(timeout_s)

    def whole(self) -> bytes | None:
        """The whole body when it is here already, which is the rule for small answers."""
        if not self._complete:
            return None
        body = b"".join(self._chunks)
        self._chunks.clear()
        self._buffered = 0
        self._read_on()  # whoever gets the connection next waits for its answer
        return body

    def _read_on(self) -> None:
        if self._paused and self._connection.transport:
            self._paused = False
            self._connection.transport.resume_reading()

    def close(self) -> None:
        """Gives the connection back, or ends it when the answer was not read to its end; may be repeated."""
        if self._is_closed:
            return  # somebody else may have the connection by now
        self._is_closed = True
        self._connection.end()
        self._upstream.give_back(self._connection, reusable=self._complete and self._keeps_alive())

    def _keeps_alive(self) -> bool:
        said = dict(self.headers)
        if b"close" in said.get(b"connection", b"").lower():
            return False
        if self._method == "HEAD":
            # PostgREST's server hangs up after a HEAD without a length, and may end a chunked body that is not there.
            return b"content-length" in said
        return self._has_length() or self.status in BODYLESS


class Upstream:
    """The connections to one server."""

    def __init__(self, socket: str, most: int, connect_timeout_s: float) -> None:
        self._socket = socket
        self._connect_timeout_s = connect_timeout_s
        self._free = asyncio.Semaphore(most)
        self._idle: list[_Connection] = []
        self._busy: set[_Connection] = set()

    async def request(
        self, method: str, target: bytes, headers: Sequence[Header], body: bytes | None, timeout_s: float
    ) -> Answer:
        """The answer up to its headers; whoever gets it must close it. Raises UpstreamError, UpstreamTimeout.

        ValueError for a target or header that would become two lines.
        """
        head = _head(method, target, headers, body)
        connection = await self._connection(timeout_s)
        answer = Answer(self, connection, method)
        connection.begin(answer)
        try:
            assert connection.transport is not None
            connection.transport.write(head if not body else head + body)
            await answer.begun(timeout_s)
        except BaseException:
            answer.close()
            raise
        return answer

    async def _connection(self, timeout_s: float) -> _Connection:
        if self._free.locked():
            try:
                async with asyncio.timeout(timeout_s):
                    await self._free.acquire()
            except TimeoutError as error:
                raise UpstreamTimeout("every connection is busy") from error
        else:
            await self._free.acquire()
        try:
            connection = self._kept() or await self._opened()
        except BaseException:
            self._free.release()
            raise
        self._busy.add(connection)
        return connection

    def _kept(self) -> _Connection | None:
        """The connection used last; old ones go."""
        oldest = asyncio.get_running_loop().time() - IDLE_S
        while self._idle:
            connection = self._idle.pop()
            if connection.closed:
                continue
            if connection.idle_since >= oldest:
                return connection
            connection.close()
        return None

    async def _opened(self) -> _Connection:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_timeout_s):
                _, connection = await loop.create_unix_connection(_Connection, self._socket)
        except (OSError, TimeoutError) as error:
            raise UpstreamError(f"the server cannot be reached: {error}") from error
        return connection

    def give_back(self, connection: _Connection, *, reusable: bool) -> None:
        """Keeps a connection for the next request, or ends it."""
        self._busy.discard(connection)
        self._free.release()
        if reusable and not connection.closed:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Ends every connection."""
        for connection in [*self._idle, *self._busy]:
            connection.close()
        self._idle.clear()


def _head(method: str, target: bytes, headers: Sequence[Header], body: bytes | None) -> bytes:
    lines = [method.encode("ascii") + b" " + target + b" HTTP/1.1", b"Host: postgrest"]
    lines += [name + b": " + value for name, value in headers]
    if body is not None:
        lines.append(b"Content-Length: " + str(len(body)).encode())
    head = b"\r\n".join(lines)
    if head.count(b"\n") != len(lines) - 1 or head.count(b"\r") != len(lines) - 1 or b" " in target:
        raise ValueError("a header or the address holds a line break")
    return head + b"\r\n\r\n"


@asynccontextmanager
async def opened(socket: str, most: int, connect_timeout_s: float) -> AsyncIterator[Upstream]:
    """The client, closed in the end."""
    upstream = Upstream(socket, most, connect_timeout_s)
    try:
        yield upstream
    finally:
        upstream.close()
