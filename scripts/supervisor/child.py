"""One process: how it is started so that it cannot outlive us, and how it is ended."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from scripts.supervisor.health import Check
from scripts.supervisor.log import Log

FOLLOW_AGAIN_AFTER_S = 0.1


def with_parent(command: Sequence[str], orphan_signal: signal.Signals = signal.SIGTERM) -> list[str]:
    """Have the kernel send a command a signal when the process that started it is killed."""
    # PR_SET_PDEATHSIG through setpriv rather than a preexec_fn: nothing of ours runs between fork and exec.
    return ["setpriv", "--pdeathsig", orphan_signal.name.removeprefix("SIG"), "--", *command]


@dataclass(frozen=True)
class Service:
    """What to run and how to know that it works."""

    name: str
    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    healthy: Check | None = None
    start_timeout_s: float = 60.0
    stop_signal: signal.Signals = signal.SIGTERM
    # What the kernel sends when the supervisor itself was killed.
    orphan_signal: signal.Signals = signal.SIGKILL
    # Stopped after all the others, because they stand on it.
    foundation: bool = False
    # When one of these came back from the dead, this one must be healthy again in a moment, or is restarted.
    stands_on: tuple[str, ...] = ()
    # Runs before each start.
    prepare: Callable[[], None] | None = None


class Child:
    """A running process of a service, in its own process group, its output going to the log."""

    def __init__(
        self,
        service: Service,
        process: asyncio.subprocess.Process,
        output: asyncio.ReadTransport,
        follower: asyncio.Task[None],
    ) -> None:
        self.service = service
        self.process = process
        self._output = output
        self._follower = follower

    @classmethod
    async def spawn(cls, service: Service, log: Log) -> Child:
        """Start the process. Raises OSError when the program cannot be run."""
        if service.prepare:
            service.prepare()
        # A pipe of ours: with one of asyncio's own, `Process.wait` waits until everybody has let go of it, and what is
        # left of a killed Postgres may hold it for as long as its query computes.
        reading, writing = os.pipe()
        lines = asyncio.StreamReader()
        output, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(reading, "rb")
        )
        try:
            process = await asyncio.create_subprocess_exec(
                *with_parent(service.command, service.orphan_signal),
                env={**os.environ, "PYTHONUNBUFFERED": "1", **service.environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                process_group=0,
            )
        except OSError:
            output.close()
            raise
        finally:
            os.close(writing)
        return cls(service, process, output, asyncio.create_task(_follow(log, service.name, lines)))

    @property
    def running(self) -> bool:
        return self.process.returncode is None

    async def wait(self) -> int:
        """Its exit status, once its last output is in the log and what it left in its group is gone."""
        status = await self.process.wait()
        self._signal_group(signal.SIGKILL)
        # Somebody who left the group may still hold the pipe: do not wait for them.
        await asyncio.wait({self._follower}, timeout=0.5)
        self._follower.cancel()
        self._output.close()
        return status

    def send(self, number: signal.Signals) -> None:
        """Signals the process alone, so that it can end its own children in order."""
        with suppress(ProcessLookupError):
            self.process.send_signal(number)

    async def stop(self, patience_s: float) -> None:
        """Asks it to end, kills the whole group when it does not in time."""
        self.send(self.service.stop_signal)
        try:
            async with asyncio.timeout(patience_s):
                await self.process.wait()
        except TimeoutError:
            self.kill()
        await self.wait()

    def kill(self) -> None:
        """Kill the process and its group at once."""
        self._signal_group(signal.SIGKILL)
        self.send(signal.SIGKILL)

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


async def _follow(log: Log, name: str, lines: asyncio.StreamReader) -> None:
    """Follows the output to its end, whatever befalls: a process whose output nobody reads stands still."""
    while not lines.at_eof():
        try:
            await log.follow(name, lines)
        except Exception as error:
            log.line("socio", f"[supervisor] lost output of {name}: {error!r}")
            await asyncio.sleep(FOLLOW_AGAIN_AFTER_S)
