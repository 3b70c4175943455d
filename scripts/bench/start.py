"""How fast `make run` starts a second time, and what it takes while nobody uses it (GOAL-P19)."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from scripts import stack
from scripts.bench import cpu
from scripts.bench.goals import Result
from scripts.bench.stage import Stage
from scripts.paths import ROOT

STARTS = 3
LOOK_EVERY_S = 0.01
START_WITHIN_S = 120.0
# Idle connections to the database are closed after a minute.
SETTLED_AFTER_S = 90.0
WATCHED_S = 60.0


@dataclass(frozen=True)
class Running:
    """A product of `make run`: its process, and how long it took until it was ready."""

    pid: int
    took_s: float


async def start(stage: Stage) -> Sequence[Result]:
    """Measure GOAL-P19 with a product of its own; the first start, which makes the database, does not count."""
    with tempfile.TemporaryDirectory(prefix="socio-start-") as folder:
        # As in a checkout, without what other measurements set.
        environment = {**os.environ, **stack.overrides(Path(folder)), "SUPABASE_EDGE_RUNTIME_POLICY": "oneshot"}
        async with _running(environment, stage.client):
            pass
        took_s = []
        for _ in range(STARTS - 1):
            async with _running(environment, stage.client) as product:
                took_s.append(product.took_s)
        async with _running(environment, stage.client) as product:
            took_s.append(product.took_s)
            await asyncio.sleep(SETTLED_AFTER_S)
            share = await _cpu_share(product.pid)
            size_mib = sum(map(pss_bytes, [product.pid, *cpu.descendants(product.pid)])) / 2**20
    best_s = min(took_s)
    starts = ", ".join(f"{each:.1f}" for each in took_s)
    return [
        Result("P19", "second `make run` to /ready, best, to 3 s", best_s / 3, 1, f"{starts} s"),
        Result("P19", "idle memory of all processes (PSS), to 250 MiB", size_mib / 250, 1, f"{size_mib:.0f} MiB"),
        Result("P19", "idle CPU of all processes, to 0.5 % of a core", share / 0.005, 1, f"{share:.2%}"),
    ]


@asynccontextmanager
async def _running(environment: dict[str, str], client: aiohttp.ClientSession) -> AsyncIterator[Running]:
    """`make run` from its first moment until Ctrl-C."""
    began_s = time.monotonic()
    # In a session of its own, so that the signal reaches make and its command as from a terminal.
    process = await asyncio.create_subprocess_exec(
        *("make", "--silent", "run"),
        cwd=ROOT,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(START_WITHIN_S):
            while not await _is_ready(client, int(environment["SUPABASE_API_PORT"])):
                if process.returncode is not None:
                    raise RuntimeError(f"make run ended with status {process.returncode}")
                await asyncio.sleep(LOOK_EVERY_S)
        yield Running(process.pid, time.monotonic() - began_s)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        await process.wait()


async def _is_ready(client: aiohttp.ClientSession, port: int) -> bool:
    try:
        async with client.get(f"http://127.0.0.1:{port}/ready") as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


async def _cpu_share(pid: int) -> float:
    """Return the share of a core that a process and all below it need; those that end meanwhile are left out."""
    before_s = {each: cpu.spent_s([each]) for each in [pid, *cpu.descendants(pid)]}
    began_s = time.monotonic()
    await asyncio.sleep(WATCHED_S)
    after_s = {each: cpu.spent_s([each]) for each in [pid, *cpu.descendants(pid)]}
    spent_s = sum(total_s - before_s.get(each, 0) for each, total_s in after_s.items())
    return spent_s / (time.monotonic() - began_s)


def pss_bytes(pid: int) -> int:
    """Return the memory of a process; pages that several share count in parts. A process that has ended has none."""
    with suppress(OSError):
        for line in (cpu.PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
