"""Work that goes on after its request was answered, in this process and for as long as it runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self

logger = logging.getLogger("backend.background")

# What work that was told to end may still take, for writing down how far it came.
ENDING_LIMIT_S = 5


class Background:
    """Tasks that belong to nobody's request. When it is left they are cancelled, and awaited before anything closes.

    Nothing here outlives its process: what must happen is a job, or has a sweep behind it.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start work in the background; log an error that it does not handle."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=ENDING_LIMIT_S)
            if late:
                logger.warning("work in the background did not end in time", extra={"tasks": len(late)})

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("work in the background failed", exc_info=error)
