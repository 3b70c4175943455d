"""Ends a process whose event loop stands still: one line of code that blocks would otherwise stop everybody for ever.

The supervisor starts the process anew within seconds, and the log has the stack of who blocked. A job that blocks its
worker counts as one that killed it: it is taken over, and given up after its attempts.
"""

from __future__ import annotations

import asyncio
import faulthandler
from collections.abc import Coroutine
from typing import Any

# Nothing of ours holds the loop for a tenth of a second; this is far beyond a busy machine.
BLOCKED_LIMIT_S = 30
# Each tick starts a thread.
TICK_S = 5


async def watched(work: Coroutine[Any, Any, None]) -> None:
    """Run the work; end the process with status 1 when its event loop blocks. Only for a process of our own."""
    ticking = asyncio.create_task(_tick())
    try:
        await work
    finally:
        ticking.cancel()
        faulthandler.cancel_dump_traceback_later()


async def _tick() -> None:
    while True:
        # A thread outside of Python's lock: it fires unless the loop comes by again.
        faulthandler.dump_traceback_later(BLOCKED_LIMIT_S, exit=True)
        await asyncio.sleep(TICK_S)
