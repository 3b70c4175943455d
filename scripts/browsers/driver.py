"""A browser as the journey drives it, whichever protocol it speaks."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from scripts.supervisor import child

START_WITHIN_S = 30
END_WITHIN_S = 5


class BrowserError(Exception):
    """The browser could not be driven."""


class Driver(Protocol):
    """One window of a browser."""

    @property
    def version(self) -> str:
        """The browser's version, such as 140.2."""

    async def open(self, url: str) -> None:
        """Go to an address and wait until it is loaded."""

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page: a text, a number, a boolean or null."""

    async def picture(self) -> str:
        """Return a PNG of the window in base64."""

    def errors(self) -> list[str]:
        """Return what the page complained about since the last call."""


async def announced(log: Path, pattern: re.Pattern[str], program: str) -> str:
    """Return the first group of what a program writes when it is ready."""
    for _ in range(START_WITHIN_S * 10):
        if found := pattern.search(_text(log)):
            return found[1]
        await asyncio.sleep(0.1)
    raise BrowserError(f"{program} did not start within {START_WITHIN_S} s: {_text(log)[-500:]}")


def made(folder: Path) -> Path:
    """Make a folder and return it."""
    folder.mkdir()
    return folder


def _text(log: Path) -> str:
    return log.read_text(errors="replace")


@contextmanager
def running(command: list[str], log: Path, environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """Run a program and everything it starts as long as the block lasts; its output goes to a file."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            child.with_parent(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        try:
            yield
        finally:
            for ending in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, ending)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(END_WITHIN_S)
