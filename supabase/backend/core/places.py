"""Limits of concurrency: a few callers at a time while the others wait, or a few calls of each caller at a time.

A caller that finds too many waiting is refused at once. Under a limit of its own, a caller waits only for itself.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

_K = TypeVar("_K", bound=Hashable)


@contextmanager
def counted(counts: Counter[_K], key: _K) -> Iterator[None]:
    """One more of `key` inside the block; nothing is left of those of whom there is none."""
    counts[key] += 1
    try:
        yield
    finally:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]


class Full(Exception):
    """So many wait already that another one would wait for too long."""


class Places:
    """Places for work that takes much of the machine: whoever has none holds nothing but their place in the queue.

    Of those who wait and work `each` may be of one caller: what a browser asks for at once (100 over HTTP/2), and not
    all there are.
    """

    def __init__(self, at_once: int, *, waiting: int = 300, each: int = 100) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._most = at_once + waiting
        self._each = each
        self._here: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many work or wait."""
        return self._here.total()

    @asynccontextmanager
    async def one(self, whose: str) -> AsyncIterator[None]:
        """Hold a place inside the block; places are given in the order of the requests. Raises Full."""
        if self.taken >= self._most or self._here[whose] >= self._each:
            raise Full
        with counted(self._here, whose):
            async with self._free:
                yield


class Shares:
    """So many at a time of each caller: whoever has that many waits for one of their own to end."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._free: dict[str, asyncio.Semaphore] = {}
        self._here: Counter[str] = Counter()

    @asynccontextmanager
    async def one(self, whose: str | None, patience_s: float | None) -> AsyncIterator[None]:
        """One of the caller's share inside the block; no caller has no bounds. Raises Full when none ends in time."""
        if whose is None:
            yield
            return
        free = self._free.setdefault(whose, asyncio.Semaphore(self._each))
        try:
            with counted(self._here, whose):
                await _acquired(free, patience_s)
                try:
                    yield
                finally:
                    free.release()
        finally:
            if whose not in self._here:
                self._free.pop(whose, None)


async def _acquired(free: asyncio.Semaphore, patience_s: float | None) -> None:
    """Acquire a place within `patience_s`. Raises Full."""
    if not free.locked():
        await free.acquire()  # at once: a timer would be most of its cost
        return
    try:
        async with asyncio.timeout(patience_s):
            await free.acquire()
    except TimeoutError as error:
        raise Full from error
