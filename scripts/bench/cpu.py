"""CPU spent by processes we started, on Linux: every thread of them, and of their children."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def descendants(root: int = os.getpid()) -> dict[int, str]:
    """Process id → command line of everything below `root`."""
    parents: dict[int, int] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                # After the name, which stands in brackets and may hold anything: state, parent (proc(5)).
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found: dict[int, str] = {}
    pending = [root]
    while pending:
        current = pending.pop()
        for child in (pid for pid, parent in parents.items() if parent == current):
            with suppress(OSError):
                found[child] = (PROC / str(child) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            pending.append(child)
    return found


def matching(*words: str) -> list[int]:
    """List the child processes whose command line contains one of the words."""
    return [pid for pid, command in descendants().items() if any(word in command for word in words)]


def spent_s(pids: Iterable[int]) -> float:
    """CPU of these processes since they began, in seconds; threads that have ended count too.

    By their CPU clocks, for /proc counts in steps of 10 ms. The number of another process's clock is Linux's
    MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) (include/linux/posix-timers_types.h).
    """
    seconds = 0.0
    for pid in pids:
        with suppress(OSError):
            seconds += time.clock_gettime(~pid << 3 | 2)
    return seconds
