"""The least an upload can cost in Python: parse it, hash and write the body in threads, flush it, answer 200."""

from __future__ import annotations

import asyncio
import hashlib
import os
import socket
import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from typing import cast

import httptools
import uvloop

PIECE_BYTES = 2**20
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Intake(asyncio.Protocol):
    """One connection; its requests come one after the other."""

    def __init__(self, hashing: ThreadPoolExecutor, writing: ThreadPoolExecutor) -> None:
        self._hashing = hashing
        self._writing = writing
        self._parser = httptools.HttpRequestParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_begin(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._digest = hashlib.sha256()
        self._gathered = bytearray()
        self._under_way: list[Future[object]] = []

    def on_body(self, body: bytes) -> None:
        self._gathered += body
        if len(self._gathered) >= PIECE_BYTES:
            self._take()

    def on_message_complete(self) -> None:
        self._take()
        self._ending = asyncio.ensure_future(self._end())

    def _take(self) -> None:
        piece, self._gathered = self._gathered, bytearray()
        self._under_way.append(self._hashing.submit(self._digest.update, piece))
        self._under_way.append(self._writing.submit(self._file.write, piece))

    async def _end(self) -> None:
        await asyncio.gather(*map(asyncio.wrap_future, self._under_way))
        await asyncio.to_thread(os.fsync, self._file.fileno())
        self._file.close()
        self._transport.write(ANSWER)


async def serve(listening: socket.socket) -> None:
    """Serve until the process is ended."""
    # One thread each, so that the pieces keep their order.
    with ThreadPoolExecutor(1) as hashing, ThreadPoolExecutor(1) as writing:
        server = await asyncio.get_running_loop().create_server(lambda: Intake(hashing, writing), sock=listening)
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(socket.socket(fileno=int(sys.argv[1]))))
