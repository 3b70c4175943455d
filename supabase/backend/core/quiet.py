"""Run uvicorn without its ticks: its own server looks ten times a second whether it is to end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import uvicorn

# How often the date of the answers is written anew.
TICK_S = 1.0


class Server(uvicorn.Server):
    """Sleep until the next second, or until a signal comes."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._exits = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop is not None:
            # Also from a signal handler, which does not wake the loop by itself.
            self._loop.call_soon_threadsafe(self._exits.set)

    def stop(self) -> None:
        """End serving, as a signal does."""
        self.should_exit = True
        self._exits.set()

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK_S):
                    await self._exits.wait()


async def serve(*configs: uvicorn.Config) -> None:
    """Serve several applications in this process until SIGTERM or SIGINT."""
    servers = [_OneOfSeveral(config) for config in configs]

    def stop(number: int) -> None:
        for server in servers:
            server.handle_exit(number, None)

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop, number)
    await asyncio.gather(*(server.serve() for server in servers))


class _OneOfSeveral(Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to `serve`: each has one handler, which must reach all servers."""
        yield
