"""How many connections of the pool runs take at the same time: who does not get in waits here, where nothing times out.

Two hundred questions in one moment would else be answered «the database is not available» by the pool. What is done
behind the gate never passes it again.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

PASSES = 8

_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def passed() -> asyncio.Semaphore:
    """To be entered with `async with`, before a connection is asked for."""
    return _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(PASSES))
