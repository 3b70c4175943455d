"""How long a wrong password must take. A hash that an import brought may cost ten times one of today's, and the time
of a refusal would tell which addresses have one: every refusal waits for longer than the costliest kind there is.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from backend.auth import queries, timing
from backend.auth.passwords import Passwords
from backend.core import db
from backend.core.resources import Resources

LOOK_EVERY = timedelta(minutes=1)
# A busy core takes longer than when the kind was measured, and the statements of a sign-in come on top.
MARGIN = 2.0


class HashCosts:
    """What the kinds of hashes cost that are stored now; each is measured once in a process."""

    def __init__(self, passwords: Passwords) -> None:
        self._passwords = passwords
        self._turn = asyncio.Lock()
        self._measured_s: dict[str, float] = {}
        self._looked_at: datetime | None = None
        self._step_s = 0.0

    async def hold_back(self, resources: Resources, started_s: float) -> None:
        """Before a refusal of what began then; returns at once where all hashes are today's."""
        if step_s := await self._refusal_step_s(resources):
            await timing.hold_back(started_s, step_s)

    async def _refusal_step_s(self, resources: Resources) -> float:
        async with self._turn:
            now = resources.now()
            if self._looked_at is None or now >= self._looked_at + LOOK_EVERY:
                async with db.connection(resources.pool) as connection:
                    stored = await queries.users.imported_hashes(connection)
                for kind, sample in stored.items():
                    if kind not in self._measured_s:
                        self._measured_s[kind] = await self._passwords.cost_s(sample)
                costs = [MARGIN * self._measured_s[kind] for kind in stored]
                # One that costs less than today's would tell as much.
                self._step_s = max(timing.STEP_S, *costs) if costs else 0.0
                self._looked_at = now
            return self._step_s
