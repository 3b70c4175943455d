"""Group commit: what arrives while transactions run is done together in the next one.

A commit that waits for the disk takes as long for one as for a hundred, and so do its round trips. At rest an item is
done at once and alone; under load the batches grow by themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.core.background import Background
from backend.core.errors import ServiceUnavailable

# While one waits for the disk another computes; more would only stand in each other's way.
AT_ONCE = 2
# Bounds a transaction, and how much is done over again when one fails.
MOST = 50

# Does items and answers an outcome for each, in their order.
Do = Callable[[Sequence[Any]], Awaitable[Sequence[Any]]]
Waiting = list[tuple[Any, asyncio.Future[Any]]]


@dataclass
class _Line:
    """Who waits for one key, in the order of arrival, and how many batches are under way."""

    waiting: Waiting = field(default_factory=list)
    busy: int = 0


class Together:
    """Batches by key. What is in one belongs to no single request: it goes on when a caller stops to wait."""

    def __init__(self, background: Background) -> None:
        self._background = background
        self._lines: dict[Hashable, _Line] = {}

    async def do(self, key: Hashable, do: Do, item: Any) -> Any:
        """The outcome of `item`. Raises what its batch raised: then nothing of the batch was done.

        Raises ServiceUnavailable when the process ends meanwhile.
        """
        line = self._lines.setdefault(key, _Line())
        outcome = asyncio.get_running_loop().create_future()
        line.waiting.append((item, outcome))
        if line.busy < AT_ONCE:
            line.busy += 1
            self._background.start(self._work(key, line, do))
        return await outcome

    async def _work(self, key: Hashable, line: _Line, do: Do) -> None:
        batch: Waiting = []
        try:
            while line.waiting:
                batch, line.waiting = line.waiting[:MOST], line.waiting[MOST:]
                await _settle(batch, do)
                batch = []
        finally:
            line.busy -= 1
            left = batch if line.busy else [*batch, *self._lines.pop(key).waiting]
            for _, outcome in left:
                if not outcome.done():
                    outcome.set_exception(ServiceUnavailable("The process ends"))


async def _settle(batch: Waiting, do: Do) -> None:
    try:
        outcomes = await do([item for item, _ in batch])
    except Exception as error:  # whatever it is belongs to those who wait
        for _, outcome in batch:
            if not outcome.done():
                outcome.set_exception(error)
        return
    for (_, waiting), outcome in zip(batch, outcomes, strict=True):
        if not waiting.done():  # somebody may have stopped to wait
            waiting.set_result(outcome)
