"""Starts services in the order asked for, brings the dead ones back, stops them all."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Mapping
from contextlib import suppress

from scripts.supervisor.child import Child, Service
from scripts.supervisor.log import Log

POLL_S = 0.05
FIRST_BACKOFF_S = 0.1
LONGEST_BACKOFF_S = 3.0
# A process that lived this long had started well: its next death begins the back-off anew.
STEADY_AFTER_S = 10.0
STOP_PATIENCE_S = 10.0
# How long a service may need to find back to one that it stands on and that was restarted.
RECOVERY_PATIENCE_S = 1.0


class StartError(Exception):
    """A service did not come up; the message carries its last output."""


class Supervisor:
    """Owns the children. `start` returns when the service is healthy; from then on it is kept alive."""

    def __init__(self, log: Log, *, stop_patience_s: float = STOP_PATIENCE_S) -> None:
        self._log = log
        self._patience_s = stop_patience_s
        self._children: dict[str, Child] = {}
        self._keepers: dict[str, asyncio.Task[None]] = {}

    async def start(self, service: Service) -> None:
        """Start a service and wait until it is healthy. Raises StartError when it ends or stays unhealthy."""
        child = await self._spawn(service)
        if not await self._healthy(child, child.service.start_timeout_s):
            reason = "did not become healthy" if child.running else f"ended with status {await child.wait()}"
            raise StartError(f"{service.name} {reason}. Its last output:\n{self._log.tail(service.name)}")
        self._keepers[service.name] = asyncio.create_task(self._keep(child))

    async def once(self, name: str, command: list[str], environment: Mapping[str, str]) -> None:
        """Run a command to its end. Raises StartError when it fails."""
        child = await self._spawn(Service(name, command, environment))
        status = await child.wait()
        del self._children[name]
        if status != 0:
            raise StartError(f"{name} ended with status {status}. Its last output:\n{self._log.tail(name)}")

    async def stop(self) -> None:
        """Stop all services; those that the others depend on come last."""
        keepers = list(self._keepers.values())
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        for foundation in (False, True):
            group = [child for child in self._children.values() if child.service.foundation is foundation]
            await asyncio.gather(*(child.stop(self._patience_s) for child in group))
        self._children.clear()

    def hurry(self) -> None:
        """Kills what is still there; for the second Ctrl-C."""
        for child in self._children.values():
            child.kill()

    async def _spawn(self, service: Service) -> Child:
        try:
            child = await Child.spawn(service, self._log)
        except OSError as error:
            raise StartError(f"{service.name} cannot be started: {error}") from error
        self._children[service.name] = child
        return child

    async def _healthy(self, child: Child, timeout_s: float) -> bool:
        """Poll until the service is healthy, the process ends or time is up."""
        if child.service.healthy is None:
            return child.running
        deadline = time.monotonic() + timeout_s
        while child.running and time.monotonic() < deadline:
            if await child.service.healthy() and child.running:
                return True
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await child.process.wait()
        return False

    async def _keep(self, child: Child) -> None:
        """Restart a child whenever it ends."""
        service, backoff_s = child.service, FIRST_BACKOFF_S
        while True:
            born = time.monotonic()
            status = await child.wait()
            died = time.monotonic()
            if died - born > STEADY_AFTER_S:
                backoff_s = FIRST_BACKOFF_S
            # Jitter, so that processes that fell together do not come back in step.
            pause_s = backoff_s * random.uniform(0.5, 1.5)
            self._log.line(service.name, f"[supervisor] ended ({_describe(status)}), starts again in {pause_s:.1f} s")
            await asyncio.sleep(pause_s)
            backoff_s = min(backoff_s * 2, LONGEST_BACKOFF_S)
            try:
                child = await self._spawn(service)
            except StartError as error:
                self._log.line(service.name, f"[supervisor] {error}")
                continue
            if await self._healthy(child, child.service.start_timeout_s):
                self._log.line(service.name, f"[supervisor] healthy again after {time.monotonic() - died:.1f} s")
                await asyncio.gather(*map(self._help_back, self._standing_on(service.name)))

    def _standing_on(self, name: str) -> list[Child]:
        return [child for child in self._children.values() if name in child.service.stands_on]

    async def _help_back(self, child: Child) -> None:
        """End a child that does not recover within RECOVERY_PATIENCE_S; its keeper starts it again."""
        if not await self._healthy(child, RECOVERY_PATIENCE_S) and child.running:
            child.send(child.service.stop_signal)


def _describe(status: int) -> str:
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"status {status}"
