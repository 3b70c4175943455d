"""core.together: what waits is done together, fails together, and belongs to nobody who has left."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from backend.core import together
from backend.core.background import Background
from backend.core.errors import ServiceUnavailable
from backend.core.together import Together

pytestmark = pytest.mark.anyio


class Doing:
    """Doubles numbers, one gate for each batch; notes what came together. A negative number fails its batch."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = asyncio.Event()

    async def __call__(self, items: Sequence[int]) -> list[int]:
        self.batches.append(list(items))
        await self.gate.wait()
        if min(items) < 0:
            raise ValueError(str(items))
        return [2 * item for item in items]


async def begun(group: Together, doing: Doing, *items: int) -> list[asyncio.Task[int]]:
    """A task for each item, after whatever could begin has begun."""
    tasks = [asyncio.create_task(group.do("key", doing, item)) for item in items]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_what_arrives_while_a_batch_is_under_way_is_done_together_in_order() -> None:
    doing = Doing()
    async with Background() as background:
        group = Together(background)
        first = await begun(group, doing, 1)
        later = await begun(group, doing, *range(10, 10 + together.MOST + 1))
        assert doing.batches == [[1]]
        doing.gate.set()
        assert await asyncio.gather(*first, *later) == [2, *range(20, 22 + 2 * together.MOST, 2)]
        assert doing.batches[1:] == [[*range(10, 10 + together.MOST)], [10 + together.MOST]]
        # Nothing is kept of a line that is empty: the next one begins a new one.
        assert await group.do("key", doing, 7) == 14


async def test_what_follows_at_once_waits_a_moment_for_company() -> None:
    doing = Doing()
    doing.gate.set()
    async with Background() as background:
        group = Together(background)
        assert await group.do("key", doing, 1) == 2
        assert await asyncio.gather(*await begun(group, doing, 2), *await begun(group, doing, 3)) == [4, 6]
    assert doing.batches == [[1], [2, 3]]


async def test_a_batch_that_fails_fails_for_each_and_for_nobody_else() -> None:
    doing = Doing()
    async with Background() as background:
        group = Together(background)
        good = await begun(group, doing, 1)
        bad = await begun(group, doing, 5, -1)
        gone = await begun(group, doing, 6)
        gone[0].cancel()
        doing.gate.set()
        assert await asyncio.gather(*good) == [2]
        assert [str(error) for error in await asyncio.gather(*bad, return_exceptions=True)] == ["[5, -1, 6]"] * 2


async def test_who_waits_when_the_process_ends_is_told_to_come_again() -> None:
    doing = Doing()
    async with Background() as background:
        tasks = await begun(Together(background), doing, 1, 2, 3)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ServiceUnavailable] * 3
