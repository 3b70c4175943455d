"""core.places: few at a time, in their order, and nobody waits where too many do."""

from __future__ import annotations

import asyncio

import pytest

from backend.core.places import Full, Places, Shares

pytestmark = pytest.mark.anyio


class Crowd:
    """Takes places and keeps them until it is told to go on."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.inside: list[str] = []
        self.leave: dict[str, asyncio.Event] = {}

    async def one(self, name: str, whose: str = "") -> None:
        self.leave[name] = asyncio.Event()
        async with self.places.one(whose or name):
            self.inside.append(name)
            await self.leave[name].wait()

    async def comes(self, name: str, whose: str = "") -> asyncio.Task[None]:
        task = asyncio.create_task(self.one(name, whose))
        await asyncio.sleep(0)
        return task


async def test_they_come_in_in_their_order_and_the_last_is_sent_away() -> None:
    crowd = Crowd(Places(at_once=1, waiting=2))
    a, b, c = [await crowd.comes(name) for name in "abc"]
    with pytest.raises(Full):
        await crowd.one("d")
    assert crowd.inside == ["a"]
    for name, task in (("a", a), ("b", b), ("c", c)):
        crowd.leave[name].set()
        await task
    assert crowd.inside == ["a", "b", "c"]
    assert crowd.places.taken == 0


async def test_nobody_takes_every_place() -> None:
    crowd = Crowd(Places(at_once=1, waiting=10, each=2))
    greedy = [await crowd.comes(str(number), "greedy") for number in range(2)]
    with pytest.raises(Full):
        await crowd.one("2", "greedy")
    other = await crowd.comes("other")
    for name in ("0", "1", "other"):
        crowd.leave[name].set()
    await asyncio.gather(*greedy, other)
    assert crowd.inside == ["0", "1", "other"]


async def test_whoever_leaves_the_queue_or_fails_leaves_their_place() -> None:
    crowd = Crowd(Places(at_once=1, waiting=1, each=1))
    first, waiting = await crowd.comes("a"), await crowd.comes("b")
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert crowd.places.taken == 0
    again = await crowd.comes("a")
    assert crowd.inside == ["a", "a"]
    crowd.leave["a"].set()
    await again


async def test_who_has_their_share_waits_for_their_own_alone() -> None:
    shares, inside, leave = Shares(each=1), list[str](), asyncio.Event()

    async def one(name: str, whose: str | None) -> None:
        async with shares.one(whose, 20):
            inside.append(name)
            await leave.wait()

    comers = [("a", "anna"), ("b", "anna"), ("c", "bruno"), ("d", None), ("e", None)]
    async with asyncio.TaskGroup() as tasks:
        for name, whose in comers:
            tasks.create_task(one(name, whose))
        await asyncio.sleep(0)
        assert inside == ["a", "c", "d", "e"]
        with pytest.raises(Full):
            async with shares.one("anna", 0.01):
                pass
        leave.set()
    assert inside == ["a", "c", "d", "e", "b"]
    assert shares._free == {}
