"""Is it up? Questions a service answers by itself; none of them waits longer than a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg

ANSWER_TIMEOUT_S = 2.0

Check = Callable[[], Awaitable[bool]]


def http(port: int, path: str) -> Check:
    """Healthy when the address answers with a status below 400."""
    return lambda: _answers(lambda: asyncio.open_connection("127.0.0.1", port), path)


def unix_http(socket: Path, path: str) -> Check:
    """Return a check like `http`, over a unix socket."""
    return lambda: _answers(lambda: asyncio.open_unix_connection(str(socket)), path)


def every(*checks: Check) -> Check:
    """Healthy when all of the checks are."""

    async def check() -> bool:
        return all(await asyncio.gather(*(each() for each in checks)))

    return check


def database(url: str) -> Check:
    """Healthy when the database lets us in: a server in recovery listens but refuses."""

    async def check() -> bool:
        try:
            connection = await asyncpg.connect(url, timeout=ANSWER_TIMEOUT_S)
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return False
        await connection.close(timeout=ANSWER_TIMEOUT_S)
        return True

    return check


_Opened = Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]


async def _answers(connect: Callable[[], _Opened], path: str) -> bool:
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            reader, writer = await connect()
            try:
                writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
                status_line = await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
    status = status_line.split()[1:2]
    return bool(status) and status[0].isdigit() and int(status[0]) < 400
