"""Runs a decoder of what strangers sent in a process of its own: `await run("package.decoder", {...}, content)`.

Decoders are where attackers begin. What floods its memory, its time, its pixels or the disk ends itself and nothing
else; it has no network where the kernel lets it be taken away, none of our environment, a folder of its own for its
files, and it goes with its whole process group when it is late, when its caller is cancelled or when the worker dies.

The module is run as `__main__` with the options as JSON in its first argument, the source on standard input (a file
stays a file, so that it can be sought in) and its answer on standard output. An exit status from 1 to 100 is its own
word for what is wrong; what it writes to standard error is in the log when it ends by itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from backend.core.confined import OUT_OF_MEMORY

logger = logging.getLogger("backend.sandbox")

PROBE_TIMEOUT_S = 10
PIECE_BYTES = 64 * 1024
# How much of a decoder's last words the log keeps.
LAST_WORDS_BYTES = 2000
_OWN = range(1, 101)


@dataclass(frozen=True)
class Limits:
    """What one run may use; `file_bytes` is for each file it writes, `wall_s` for all of it."""

    memory_bytes: int = 1024**3
    cpu_s: int = 10
    wall_s: float = 15
    output_bytes: int = 64 * 1024**2
    file_bytes: int = 64 * 1024**2
    open_files: int = 64
    processes: int = 16


class Ending(StrEnum):
    """How a run ended."""

    DONE = "done"
    # The module's own exit status says why.
    REFUSED = "refused"
    TOOK_TOO_LONG = "took_too_long"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_MUCH_OUTPUT = "too_much_output"
    CRASHED = "crashed"


@dataclass(frozen=True)
class Result:
    """`output` is whole only when `ending` is DONE; `status` is the exit status, negative for a signal."""

    ending: Ending
    status: int
    output: bytes


class _TooMuch(Exception):
    """The module wrote more than it may."""


async def run(
    module: str, options: Mapping[str, Any], source: bytes | Path = b"", limits: Limits | None = None
) -> Result:
    """Run `python -m module '<options>'` confined. Raises OSError when no process or folder can be made."""
    limits = limits or Limits()
    isolate = await _network_can_be_left()
    with tempfile.TemporaryDirectory(prefix="socio-sandbox-") as folder, tempfile.TemporaryFile() as words:
        process = await _start(module, options, source, limits, isolate, folder, words)
        try:
            async with asyncio.timeout(limits.wall_s):
                output = await _exchange(process, source, limits.output_bytes)
            result = Result(_ending(await process.wait()), process.returncode or 0, output)
        except TimeoutError:
            result = Result(Ending.TOOK_TOO_LONG, 0, b"")
        except _TooMuch:
            result = Result(Ending.TOO_MUCH_OUTPUT, 0, b"")
        finally:
            await _end(process)
        if result.ending is not Ending.DONE:
            _tell(module, result, words)
        return result


async def _start(
    module: str,
    options: Mapping[str, Any],
    source: bytes | Path,
    limits: Limits,
    isolate: bool,
    folder: str,
    words: IO[bytes],
) -> asyncio.subprocess.Process:
    confinement = json.dumps({**asdict(limits), "isolate": isolate, "parent": os.getpid()})
    command = (*_python(), confinement, module, json.dumps(options))
    stdin: int | IO[bytes] = asyncio.subprocess.PIPE
    if isinstance(source, Path):
        stdin = source.open("rb")
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=words,
            env=_environment(folder),
            cwd=folder,
            start_new_session=True,
        )
    finally:
        if not isinstance(stdin, int):
            stdin.close()


def _python() -> tuple[str, ...]:
    return sys.executable, "-s", "-P", "-m", "backend.core.confined"


def _environment(folder: str) -> dict[str, str]:
    """Where to find programs and modules, and nothing else: no address of a database, no secret."""
    kept = {name: os.environ[name] for name in ("PATH", "TESSDATA_PREFIX") if name in os.environ}
    path = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry)
    own = {"PYTHONPATH": path, "TMPDIR": folder, "HOME": folder, "LANG": "C.UTF-8"}
    # A page is one core's work: more threads make it slower, and others wait.
    return {**kept, **own, "OMP_THREAD_LIMIT": "1"}


async def _exchange(process: asyncio.subprocess.Process, source: bytes | Path, most_bytes: int) -> bytes:
    """Write the source and read the answer at the same time. Raises _TooMuch."""
    feeding = asyncio.create_task(_feed(process, source)) if isinstance(source, bytes) else None
    try:
        assert process.stdout is not None
        output = bytearray()
        while piece := await process.stdout.read(PIECE_BYTES):
            output += piece
            if len(output) > most_bytes:
                raise _TooMuch
        return bytes(output)
    finally:
        if feeding is not None:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)


async def _feed(process: asyncio.subprocess.Process, source: bytes) -> None:
    assert process.stdin is not None
    # It may have seen enough before it has read everything.
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(source)
        await process.stdin.drain()
    process.stdin.close()


def _ending(status: int) -> Ending:
    if status == 0:
        return Ending.DONE
    if status == -signal.SIGXCPU:
        return Ending.TOOK_TOO_LONG
    if status == OUT_OF_MEMORY:
        return Ending.OUT_OF_MEMORY
    return Ending.REFUSED if status in _OWN else Ending.CRASHED


async def _end(process: asyncio.subprocess.Process) -> None:
    """Whatever the module has started ends with it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    # Python 3.11 sees a process off only when its pipes are closed too, and one that nobody reads any more is not; nor
    # is one that a grandchild took along into a session of its own.
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
    await process.wait()


def _tell(module: str, result: Result, words: IO[bytes]) -> None:
    words.seek(max(0, words.seek(0, os.SEEK_END) - LAST_WORDS_BYTES))
    said = words.read().decode(errors="replace")
    level = logging.INFO if result.ending is Ending.REFUSED and result.status != 1 else logging.WARNING
    logger.log(
        level,
        "a decoder ended",
        extra={"decoder": module, "ending": result.ending, "status": result.status, "said": said},
    )


_probed: bool | None = None


async def _network_can_be_left() -> bool:
    """Whether this kernel lets a process leave the network; tried once, because half of it cannot be taken back."""
    global _probed
    if _probed is None:
        confinement = json.dumps({"isolate": True, "parent": os.getpid()})
        probe = await asyncio.create_subprocess_exec(
            *_python(), confinement, stderr=asyncio.subprocess.DEVNULL, env=_environment(tempfile.gettempdir())
        )
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            _probed = await probe.wait() == 0
        if _probed:
            logger.info("decoders run without a network")
        else:
            logger.warning("decoders keep the network: this kernel lets no process leave it")
    return _probed
