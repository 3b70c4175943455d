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
    """Runs `session` again and again, with growing pauses, until cancelled or `stopping` is set.

    A lost connection is one line in the log (`what`); anything else is a fault of ours and has its traceback there,
    but nobody would notice work that had quietly ended for ever.
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


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancels tasks and returns when they have ended; what they ended in is theirs.

    Asks again and again: a cancellation that meets a result on its way can be lost in a library (Python 3.11's
    `asyncio.wait_for` is one that loses it), and who awaits work that knows nothing of its end awaits it for ever.
    """
    going = set(tasks)
    while going:
        for task in going:
            task.cancel()
        ended, going = await asyncio.wait(going, timeout=ENDING_S)
        for task in ended:
            if not task.cancelled():
                task.exception()  # looked at, or asyncio complains that nobody did
