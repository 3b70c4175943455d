"""Work that lasts as long as its process: begun again whenever it ends, whatever it ended in, until it is ended."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import asyncpg

from backend.core.errors import ServiceUnavailable

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
# How long cancelled work may take to end before it is cancelled once more.
ENDING_S = 1.0
# What work with a database ends in when the database goes away. InternalClientError: asyncpg when the server says
# goodbye where an answer should begin.
LOST = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    ServiceUnavailable,
)


async def keep_up(
    session: Callable[[], Awaitable[None]],
    logger: logging.Logger,
    what: str,
    stopping: asyncio.Event | None = None,
) -> None:
    """Run `session` again and again, with growing pauses, until cancelled or `stopping` is set.

    A lost connection is one line in the log (`what`). Any other error is a bug, so its traceback is logged and the work
    goes on: nobody would notice that it had ended.
    """
    stopping = stopping or asyncio.Event()
    clock = asyncio.get_running_loop()
    pause_s = FIRST_PAUSE_S
    while not stopping.is_set():
        began_s = clock.time()
        try:
            await session()
        except Exception as error:
            extra = {"cause": f"{type(error).__name__}: {error}"}
            if isinstance(error, LOST):
                logger.warning(what, extra=extra)
            else:
                logger.error(what, extra=extra, exc_info=error)
        if clock.time() - began_s > LONGEST_PAUSE_S:
            pause_s = FIRST_PAUSE_S
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_s * random.uniform(0.5, 1)):
                await stopping.wait()
        pause_s = min(pause_s * 2, LONGEST_PAUSE_S)


async def again_and_again(
    work: Callable[[], Awaitable[None]], every_s: float, logger: logging.Logger, what: str
) -> None:
    """Do `work` every so many seconds until cancelled, as `keep_up` does."""

    async def session() -> None:
        while True:
            await asyncio.sleep(every_s)
            await work()

    await keep_up(session, logger, what)


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and return when they have ended, whatever their result.

    Cancel again and again, because a library can lose a cancellation that comes with a result (`asyncio.wait_for` of
    Python 3.11 does), and awaiting such a task would never end.
    """
    going = set(tasks)
    while going:
        for task in going:
            task.cancel()
        ended, going = await asyncio.wait(going, timeout=ENDING_S)
        for task in ended:
            if not task.cancelled():
                task.exception()  # looked at, or asyncio complains that nobody did
