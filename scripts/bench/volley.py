"""Sends prepared requests at a steady pace, whatever the answers take, then prints how long each took.

A process of its own, as `probe` is. Reads one line `{"url", "rate", "requests": [[body, signature], …]}`. It shares its
two cores with what it measures, so it weighs little: a general client took 0.6 ms of them for an event, a third of what
the server takes.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from http import HTTPStatus
from typing import cast
from urllib.parse import urlsplit

import httptools
import uvloop

# Connections are made and code is warm before it counts.
WARM_UP = 50


class Connection(asyncio.Protocol):
    """A connection that is kept, one request at a time."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self.retry_after_s = 0.0

    async def ask(self, request: bytes) -> int:
        """The status of the answer, when all of it is there; `retry_after_s` is what it says."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, error: Exception | None) -> None:
        if not self._answer.done():
            self._answer.set_exception(error or ConnectionError("the server hung up"))

    # httptools calls these.

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == b"retry-after":
            self.retry_after_s = float(value)

    def on_message_complete(self) -> None:
        self._answer.set_result(self._parser.get_status_code())


async def run() -> None:
    """Prints the milliseconds as a JSON list; raises for an answer that is neither a success nor "later"."""
    asked = json.loads(sys.stdin.readline())
    url = urlsplit(asked["url"])
    requests = [_request(url.netloc, url.path, *each) for each in asked["requests"]]
    taken_ms: list[float] = []
    free: list[Connection] = []

    async def one(request: bytes, due_s: float) -> None:
        connection = free.pop() if free else await _opened(url.netloc)
        while True:
            status = await connection.ask(request)
            if status != HTTPStatus.SERVICE_UNAVAILABLE:
                break
            # Stripe tells it again too, and the clock goes on.
            await asyncio.sleep(connection.retry_after_s)
        if status != HTTPStatus.OK:
            raise RuntimeError(f"the server answered {status}")
        # From the moment it should have been sent: a sender that is late does not make the server look fast.
        taken_ms.append((time.perf_counter() - due_s) * 1000)
        free.append(connection)

    for request in requests[:WARM_UP]:
        await one(request, time.perf_counter())
    taken_ms.clear()
    under_way = []
    began_s = time.perf_counter()
    for number, request in enumerate(requests[WARM_UP:]):
        due_s = began_s + number / asked["rate"]
        await asyncio.sleep(max(0, due_s - time.perf_counter()))
        under_way.append(asyncio.create_task(one(request, due_s)))
    await asyncio.gather(*under_way)
    json.dump(taken_ms, sys.stdout)


def _request(host: str, path: str, body: str, signature: str) -> bytes:
    content = body.encode()
    lines = (
        f"POST {path} HTTP/1.1",
        f"Host: {host}",
        f"Stripe-Signature: {signature}",
        "Content-Type: application/json",
        f"Content-Length: {len(content)}",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


async def _opened(netloc: str) -> Connection:
    host, _, port = netloc.rpartition(":")
    _, connection = await asyncio.get_running_loop().create_connection(Connection, host, int(port))
    return connection


if __name__ == "__main__":
    uvloop.run(run())
