"""How many connections of the pool runs take at the same time: who does not get in waits here, where nothing times out.

Two hundred questions in one moment would else be answered «the database is not available» by the pool. What is done
behind the gate never passes it again. What changes somebody's wallet waits for the same person's before it asks for a
pass: the database lets one of them work at a time, and the others would hold their passes and wait.

And how many answers without a provider are made at the same time: they compute, so a hundred side by side are all ready
in the end, and a few after each other in the order in which they were asked for, half of them in half the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from backend.edge import api

PASSES = 8
TURNS = 4

_Gates = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
_gates, _turns = _Gates(), _Gates()
_own = api.Shares(each=1)


@asynccontextmanager
async def passed(whose: str | None = None) -> AsyncIterator[None]:
    """A pass inside the block, before a connection is asked for; with `whose`, one at a time of that person's."""
    async with _own.one(whose, None), _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(PASSES)):
        yield


def turn() -> asyncio.Semaphore:
    """To be entered with `async with`, for a whole answer without a provider; outside of `passed`."""
    return _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(TURNS))
