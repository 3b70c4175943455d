"""Waiting for processes without guessing how long: a process file descriptor becomes readable when it ends."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path


def ends(pid: int, timeout_s: float = 15.0) -> bool:
    """Whether the process is gone, or goes in time; a zombie nobody fetched counts as gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(timeout_s * 1000))
    finally:
        os.close(descriptor)


def descendants(pid: int) -> dict[int, str]:
    """Every process below this one with its command line, parents before their children."""
    found: dict[int, str] = {}
    for task in Path(f"/proc/{pid}/task").glob("*"):
        # What ends while we look is none.
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in map(int, (task / "children").read_text().split()):
                command = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                found |= {child: command, **descendants(child)}
    return found
