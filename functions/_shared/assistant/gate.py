"""How many connections of the pool runs take at the same time: who does not get in waits here, where nothing times out.

Two hundred questions in one moment would else be answered «the database is not available» by the pool. What is done
behind the gate never passes it again.

And how many answers without a provider are made at the same time: they compute, so a hundred side by side are all ready
in the end, and a few after each other in the order in which they were asked for, half of them in half the time.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

PASSES = 8
TURNS = 4

_Gates = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
_gates, _turns = _Gates(), _Gates()


def passed() -> asyncio.Semaphore:
    """To be entered with `async with`, before a connection is asked for."""
    return _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(PASSES))


def turn() -> asyncio.Semaphore:
    """To be entered with `async with`, for a whole answer without a provider; outside of `passed`."""
    return _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(TURNS))
