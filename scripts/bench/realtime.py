"""Measure broadcasts and memory (GOAL-P11, GOAL-P12) with a fleet of sockets in a process of its own."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from backend.core import config, jwt
from scripts.bench import cpu
from scripts.bench.goals import BACKEND, Result
from scripts.bench.stage import Stage

LISTENERS, MESSAGES_PER_S, MESSAGES_S = 300, 100, 5
IDLE = 10_000
PATIENCE_S = 60


class Fleet:
    """The process with the sockets."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def taken_ms(self) -> list[float]:
        """How long the messages since the last question took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"\n")
        found: list[float] = json.loads(await self._process.stdout.readline())
        return found

    async def until(self, count: int) -> list[float]:
        """Return the times of `count` messages, or of those that came within PATIENCE_S."""
        found: list[float] = []
        deadline_s = time.monotonic() + PATIENCE_S
        while len(found) < count and time.monotonic() < deadline_s:
            found += await self.taken_ms()
            await asyncio.sleep(0.05)
        return found


@asynccontextmanager
async def fleet(stage: Stage, count: int, people: list[str] | None, config_: dict[str, Any]) -> AsyncIterator[Fleet]:
    """Join so many sockets of these people, or of visitors without an account."""
    keys = jwt.load(config.load().home)
    expires = int((datetime.now(UTC) + timedelta(hours=1)).timestamp())
    tokens = [keys.sign({"sub": person, "role": "authenticated", "exp": expires}) for person in people or ()] or [""]
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "scripts.bench.fleet")
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=2**26)
    assert process.stdin is not None
    assert process.stdout is not None
    url = stage.url.replace("http", "ws", 1) + "/realtime/v1/websocket"
    asked = {"url": url, "key": stage.publishable_key, "tokens": tokens, "count": count, "join": {"config": config_}}
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    ready = await process.stdout.readline()
    if ready != b"ready\n":
        raise RuntimeError("the fleet did not come up")
    try:
        yield Fleet(process)
    finally:
        process.stdin.close()
        await process.wait()


def p95(values: list[float]) -> float:
    """Return what 95 of 100 values do not exceed."""
    return statistics.quantiles(values, n=20)[18]


async def broadcast(stage: Stage) -> list[Result]:
    """Measure GOAL-P11: deliveries for each second of the server's processor time, and how long they take."""
    people = [str(uuid4()) for _ in range(LISTENERS)]
    secret = jwt.load(config.load().home).secret_key
    url, headers = f"{stage.url}/realtime/v1/api/broadcast", {"apikey": secret}
    async with fleet(stage, LISTENERS, people, {}) as sockets:
        backend = cpu.matching(BACKEND)
        before_s, began_s = cpu.spent_s(backend), time.perf_counter()
        for number in range(MESSAGES_PER_S * MESSAGES_S):
            message = {"topic": "bench", "event": "x", "payload": {"sent": time.time(), "text": "x" * 100}}
            async with stage.client.post(url, json={"messages": [message]}, headers=headers) as answer:
                assert answer.status == 202
            await asyncio.sleep(max(0, began_s + (number + 1) / MESSAGES_PER_S - time.perf_counter()))
        expected = LISTENERS * MESSAGES_PER_S * MESSAGES_S
        taken_ms = await sockets.until(expected)
        per_core = len(taken_ms) / (cpu.spent_s(backend) - before_s)
    details = f"{per_core:.0f}/s a core; {len(taken_ms)} of {expected} arrived"
    return [
        Result("P11", "broadcast deliveries, to 30,000/s a core", per_core / 30_000, 1, details, at_least=True),
        Result("P11", "broadcast p95, to 50 ms", p95(taken_ms) / 50, 1, f"{p95(taken_ms):.0f} ms"),
    ]


async def memory(stage: Stage) -> Result:
    """Measure GOAL-P12: the server's memory for each idle socket with a channel and claims."""
    backend = cpu.matching(BACKEND)
    before = sum(map(rss_bytes, backend))
    async with fleet(stage, IDLE, [str(uuid4()) for _ in range(IDLE)], {}):
        each = (sum(map(rss_bytes, backend)) - before) / IDLE
    details = f"{each / 1024:.0f} KiB each, {each * IDLE / 2**20:.0f} MiB for {IDLE} of them"
    return Result("P12", "memory of an idle socket, to 64 KiB", each / 65_536, 1, details)


def rss_bytes(pid: int) -> int:
    """Memory a process has now."""
    line = next(line for line in (Path("/proc") / str(pid) / "status").read_text().splitlines() if "VmRSS" in line)
    return int(line.split()[1]) * 1024
