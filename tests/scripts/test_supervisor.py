"""The supervisor with real, tiny processes."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scripts.supervisor.child import Service
from scripts.supervisor.log import Log
from scripts.supervisor.supervisor import StartError, Supervisor
from tests.scripts.processes import ends

pytestmark = pytest.mark.anyio

# Says its process id, then waits for a signal. In one write: `print` makes four of an unbuffered line, and another
# process that shares the pipe may write between them.
SLEEPER = "import os, signal; os.write(1, b'pid %d\\n' % os.getpid()); signal.pause()"
ORPHAN = SLEEPER.replace("pid %d", "orphan %d")
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPER}"


class Screen(io.StringIO):
    """A log stream on which a test can wait for a line."""

    def __init__(self) -> None:
        super().__init__()
        self._written = asyncio.Event()

    def flush(self) -> None:
        self._written.set()

    async def shows(self, pattern: str, times: int = 1) -> list[str]:
        """The matches of the pattern, once there are that many."""
        async with asyncio.timeout(20):
            while len(found := re.findall(pattern, self.getvalue())) < times:
                self._written.clear()
                await self._written.wait()
        return found


def python(name: str, code: str, **options: object) -> Service:
    return Service(name, [sys.executable, "-c", code], **options)  # type: ignore[arg-type]


@pytest.fixture
def screen() -> Screen:
    return Screen()


@pytest.fixture
async def supervisor(screen: Screen) -> AsyncIterator[Supervisor]:
    made = Supervisor(Log(screen), stop_patience_s=0.5)
    yield made
    await made.stop()


async def test_a_child_that_dies_is_started_again(supervisor: Supervisor, screen: Screen) -> None:
    await supervisor.start(python("sleeper", SLEEPER))
    first = int((await screen.shows(r"pid (\d+)"))[0])
    os.kill(first, signal.SIGKILL)
    second = int((await screen.shows(r"pid (\d+)", times=2))[1])
    assert second != first
    assert "killed by SIGKILL" in screen.getvalue()


async def test_what_a_dead_child_has_left_behind_does_not_hide_its_death(
    supervisor: Supervisor, screen: Screen
) -> None:
    """As a query of a killed Postgres, which left the group and writes where its postmaster wrote."""
    leaves = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {ORPHAN!r}], start_new_session=True)"
    await supervisor.start(python("postgres", f"{leaves}; {SLEEPER}"))
    [orphan] = await screen.shows(r"orphan (\d+)")
    [child] = await screen.shows(r"pid (\d+)")
    os.kill(int(child), signal.SIGKILL)
    try:
        await screen.shows(r"pid \d+", times=2)
        assert not ends(int(orphan), 0)
    finally:
        for pid in await screen.shows(r"orphan (\d+)", times=2):
            os.kill(int(pid), signal.SIGKILL)


class FullDisk(Screen):
    """A log stream that takes nothing while the disk is full."""

    full = True

    def write(self, text: str) -> int:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(text)


async def test_a_full_disk_stops_no_child_and_the_lost_lines_are_counted() -> None:
    screen = FullDisk()
    supervisor = Supervisor(Log(screen), stop_patience_s=0.5)
    try:
        async with asyncio.timeout(20):
            # More than a pipe holds.
            await supervisor.once("talker", [sys.executable, "-c", "print(('x' * 99 + '\\n') * 2000)"], {})
        screen.full = False
        await supervisor.start(python("sleeper", SLEEPER))
        assert await screen.shows(r"\[(\d+) lines could not be written\]") == ["2001"]
        await screen.shows(r"sleeper +\| pid")
    finally:
        await supervisor.stop()


async def test_a_follower_that_fell_begins_again(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    log, falls = Log(screen), iter([True, False])
    follow = log.follow

    async def falling(name: str, reader: asyncio.StreamReader) -> None:
        if next(falls):
            raise RuntimeError("fell")
        await follow(name, reader)

    monkeypatch.setattr(log, "follow", falling)
    supervisor = Supervisor(log, stop_patience_s=0.5)
    try:
        await supervisor.start(python("sleeper", SLEEPER))
        await screen.shows(r"sleeper +\| pid")
    finally:
        await supervisor.stop()


async def test_a_child_that_keeps_dying_waits_longer_each_time(supervisor: Supervisor, screen: Screen) -> None:
    await supervisor.start(python("sleeper", SLEEPER))
    for times in (1, 2, 3, 4):
        os.kill(int((await screen.shows(r"pid (\d+)", times))[-1]), signal.SIGKILL)
    pauses = [float(pause) for pause in await screen.shows(r"again in ([\d.]+) s", times=4)]
    assert pauses[0] <= 0.2
    assert pauses[3] > pauses[0]


@pytest.mark.parametrize("finds_back", [True, False])
async def test_what_stands_on_a_restarted_service_is_helped_only_when_it_needs_it(
    supervisor: Supervisor, screen: Screen, finds_back: bool
) -> None:
    async def healthy() -> bool:
        return finds_back or "again in" not in screen.getvalue() or screen.getvalue().count("rider") > 1

    await supervisor.start(python("base", SLEEPER))
    await supervisor.start(python("rider", SLEEPER, healthy=healthy, stands_on=("base",)))
    [base] = await screen.shows(r"base +\| pid (\d+)")
    await screen.shows(r"rider +\| pid (\d+)")
    os.kill(int(base), signal.SIGKILL)
    await screen.shows(r"base +\| .*healthy again")
    if finds_back:
        os.kill(int((await screen.shows(r"base +\| pid (\d+)", times=2))[1]), signal.SIGKILL)
        await screen.shows(r"base +\| .*healthy again", times=2)
    else:
        await screen.shows(r"rider +\| pid (\d+)", times=2)
    assert len(re.findall(r"rider +\| pid", screen.getvalue())) == (1 if finds_back else 2)


async def test_start_waits_until_the_service_is_healthy(supervisor: Supervisor, tmp_path: Path) -> None:
    flag = tmp_path / "ready"

    async def healthy() -> bool:
        return flag.exists()

    code = f"import pathlib, signal; pathlib.Path({str(flag)!r}).touch(); signal.pause()"
    await supervisor.start(python("slow", code, healthy=healthy))
    assert flag.exists()


async def test_a_service_that_dies_at_start_is_reported_with_its_last_words(supervisor: Supervisor) -> None:
    async def never() -> bool:
        return False

    with pytest.raises(StartError, match=r"(?s)broken ended with status 3.*no such luck"):
        await supervisor.start(python("broken", "print('no such luck'); raise SystemExit(3)", healthy=never))


async def test_a_program_that_does_not_exist_is_reported(supervisor: Supervisor) -> None:
    with pytest.raises(StartError, match="no-such-program"):
        await supervisor.once("missing", ["no-such-program"], {})


async def test_a_failed_command_is_reported(supervisor: Supervisor) -> None:
    with pytest.raises(StartError, match=r"(?s)migrate ended with status 1.*boom"):
        await supervisor.once("migrate", [sys.executable, "-c", "raise SystemExit('boom')"], {})


async def test_stop_ends_stubborn_children_and_their_children(supervisor: Supervisor, screen: Screen) -> None:
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {STUBBORN!r}]); {STUBBORN}"
    await supervisor.start(python("family", code))
    pids = [int(pid) for pid in await screen.shows(r"pid (\d+)", times=2)]
    await supervisor.stop()
    assert all(ends(pid, 5) for pid in pids)


async def test_what_others_stand_on_stops_last(supervisor: Supervisor, screen: Screen) -> None:
    farewell = "import atexit, signal; signal.signal(signal.SIGTERM, lambda *_: exit()); atexit.register(print, 'bye')"
    await supervisor.start(python("base", f"{farewell}; {SLEEPER}", foundation=True))
    await supervisor.start(python("rider", f"{farewell}; {SLEEPER}"))
    await screen.shows(r"pid (\d+)", times=2)
    await supervisor.stop()
    assert re.findall(r"(\w+) +\| bye", screen.getvalue()) == ["rider", "base"]


async def test_an_endless_line_is_cut(supervisor: Supervisor, screen: Screen) -> None:
    await supervisor.once("chatter", [sys.executable, "-c", "print('x' * 1_000_000)"], {})
    lines = re.findall(r"x+", screen.getvalue())
    assert sum(map(len, lines)) == 1_000_000
    assert max(map(len, lines)) < 200_000


def test_children_die_with_a_killed_supervisor(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from scripts.supervisor.child import Service
from scripts.supervisor.log import Log
from scripts.supervisor.supervisor import Supervisor
async def main():
    supervisor = Supervisor(Log(sys.stdout))
    await supervisor.start(Service("sleeper", [sys.executable, "-c", {STUBBORN!r}]))
    await asyncio.Event().wait()
asyncio.run(main())
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as output:
        line = output.readline()
        process.kill()
    process.wait()
    assert ends(int(line.rpartition(" ")[2]), 5)


def test_colours_and_prefixes_are_for_terminals_only() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        Log(stream).line("backend", "up")
    assert file.getvalue() == "backend   | up\n"
    assert terminal.getvalue().startswith("\x1b[36mbackend")
