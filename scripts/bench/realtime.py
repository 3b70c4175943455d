"""Measure realtime (GOAL-P10, GOAL-P11, GOAL-P12) with a fleet of sockets in a process of its own."""

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

import asyncpg

from backend.core import config, jwt
from scripts.bench import cpu
from scripts.bench.goals import BACKEND, Result
from scripts.bench.stage import Stage

SUBSCRIBERS = 500
CHANGES_PER_S, CHANGES_S = 300, 6
ASKED_PER_S, ASKED_S = 60, 4
LISTENERS, MESSAGES_PER_S, MESSAGES_S = 300, 100, 5
IDLE = 10_000
PATIENCE_S = 60

TABLES = """
create table public.bench_owned (id bigserial primary key, user_id uuid not null, sent float8 not null);
create index on public.bench_owned (user_id);
alter table public.bench_owned enable row level security;
create policy "own" on public.bench_owned for select to authenticated using (user_id = (select auth.uid()));
create table public.bench_asked (id bigserial primary key, user_id uuid not null, sent float8 not null);
alter table public.bench_asked enable row level security;
create policy "own or long ago" on public.bench_asked for select to authenticated
  using (user_id = (select auth.uid()) or sent < 0);
grant select on public.bench_owned, public.bench_asked to authenticated;
alter publication supabase_realtime add table public.bench_owned, public.bench_asked;
"""


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
async def fleet(stage: Stage, count: int, people: list[str], config_: dict[str, Any]) -> AsyncIterator[Fleet]:
    """So many sockets of these people, joined."""
    keys = jwt.load(config.load().home)
    expires = int((datetime.now(UTC) + timedelta(hours=1)).timestamp())
    tokens = [keys.sign({"sub": person, "role": "authenticated", "exp": expires}) for person in people]
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


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[18]


async def changes(stage: Stage, database_url: str) -> list[Result]:
    """Measure GOAL-P10: rows of 500 people, each sent to its owner, with a policy by owner and with one to be asked."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(TABLES)
    people = [str(uuid4()) for _ in range(SUBSCRIBERS)]
    found = []
    for table, per_s, seconds in (("bench_owned", CHANGES_PER_S, CHANGES_S), ("bench_asked", ASKED_PER_S, ASKED_S)):
        wanted = [{"event": "INSERT", "schema": "public", "table": table}]
        async with fleet(stage, SUBSCRIBERS, people, {"postgres_changes": wanted}) as sockets:
            began_s = time.perf_counter()
            for number in range(per_s * seconds):
                await connection.execute(
                    f"insert into public.{table} (user_id, sent) values ($1, $2)",  # noqa: S608
                    people[number % SUBSCRIBERS],
                    time.time(),
                )
                await asyncio.sleep(max(0, began_s + (number + 1) / per_s - time.perf_counter()))
            taken_ms = await sockets.until(per_s * seconds)
            rate = len(taken_ms) / (time.perf_counter() - began_s)
        p95 = _p95(taken_ms) if len(taken_ms) > 20 else float("inf")
        details = f"{per_s}/s for {seconds} s to {SUBSCRIBERS}: {len(taken_ms)} of {per_s * seconds}, p95 {p95:.0f} ms"
        if table == "bench_owned":
            found.append(Result("P10", "changes by owner, p95, to 100 ms", p95 / 100, 1, details))
        else:
            what = "changes by any policy a second, to 60"
            found.append(Result("P10", what, rate / ASKED_PER_S, 0.9, details, at_least=True))
    await connection.close()
    return found


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
        Result("P11", "broadcast p95, to 50 ms", _p95(taken_ms) / 50, 1, f"{_p95(taken_ms):.0f} ms"),
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
