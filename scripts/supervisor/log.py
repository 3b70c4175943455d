"""One readable stream out of many processes: each line prefixed with its process, coloured on a terminal."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import TextIO

COLOURS = (36, 33, 35, 32, 34, 96, 93, 95)
NAME_WIDTH = 9
LONGEST_LINE_BYTES = 64 * 1024


class Log:
    """Writes lines to one stream; remembers the last ones of each process for error messages."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._coloured = stream.isatty() and "NO_COLOR" not in os.environ
        self._tails: dict[str, deque[str]] = {}
        self._lost = 0

    def line(self, name: str, text: str) -> None:
        """Write one line of one process. Drop it if it cannot be written, so that a full disk stops nothing."""
        tail = self._tails.setdefault(name, deque(maxlen=20))
        tail.append(text)
        prefix = f"{name:<{NAME_WIDTH}} |"
        if self._coloured:
            colour = COLOURS[list(self._tails).index(name) % len(COLOURS)]
            prefix = f"\x1b[{colour}m{prefix}\x1b[0m"
        try:
            if self._lost:
                print(f"[{self._lost} lines could not be written]", file=self._stream, flush=True)
                self._lost = 0
            print(prefix, text, file=self._stream, flush=True)
        except (OSError, UnicodeEncodeError):
            self._lost += 1

    def tail(self, name: str) -> str:
        """Return the last lines of a process, for the message that says why it failed."""
        return "\n".join(self._tails.get(name, ()))

    async def follow(self, name: str, reader: asyncio.StreamReader) -> None:
        """Copy a process's output line by line until it ends; cut an endless line instead of keeping it in memory."""
        pending = b""
        while chunk := await reader.read(LONGEST_LINE_BYTES):
            *lines, pending = (pending + chunk).split(b"\n")
            if len(pending) > LONGEST_LINE_BYTES:
                lines, pending = [*lines, pending], b""
            for line in lines:
                self.line(name, line.decode(errors="replace").rstrip("\r"))
        if pending:
            self.line(name, pending.decode(errors="replace"))
