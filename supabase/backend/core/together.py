"""Group commit: what arrives while a transaction runs is done together in the next one.

A commit that waits for the disk takes as long for one as for a hundred, and so do its round trips. At rest an item is
done at once and alone; under load the batches grow by themselves. One at a time: two that share what arrives are each
half as large and cost almost as much. And at a pace, as Postgres' own commit_delay: batches of one that follow each
other at once leave nothing of the processor to catch up with when something stood still.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any

from backend.core.background import Background
from backend.core.errors import ServiceUnavailable

# Bounds a transaction, and how much is done over again when one fails.
MOST = 50
# From the beginning of a batch to that of the next: what an item waits at most besides the work itself.
PACE_S = 0.004

# Does items and answers an outcome for each, in their order.
Do = Callable[[Sequence[Any]], Awaitable[Sequence[Any]]]
Waiting = list[tuple[Any, asyncio.Future[Any]]]


class Together:
    """Batches by key. What is in one belongs to no single request: it goes on when a caller stops to wait."""

    def __init__(self, background: Background) -> None:
        self._background = background
        # Who waits for a key, in the order of arrival, for as long as somebody works on it.
        self._lines: dict[Hashable, Waiting] = {}

    async def do(self, key: Hashable, do: Do, item: Any) -> Any:
        """The outcome of `item`. Raises what its batch raised: then nothing of the batch was done.

        Raises ServiceUnavailable when the process ends meanwhile.
        """
        outcome = asyncio.get_running_loop().create_future()
        if key in self._lines:
            self._lines[key].append((item, outcome))
        else:
            self._lines[key] = [(item, outcome)]
            self._background.start(self._work(key, do))
        return await outcome

    async def _work(self, key: Hashable, do: Do) -> None:
        line, batch, now_s = self._lines[key], Waiting(), asyncio.get_running_loop().time
        try:
            while line:
                batch = line[:MOST]
                del line[:MOST]
                due_s = now_s() + PACE_S
                await _settle(batch, do)
                await asyncio.sleep(due_s - now_s())
        finally:
            del self._lines[key]
            for _, outcome in [*batch, *line]:
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
