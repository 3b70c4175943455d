"""Measure the auth service and the gateway (GOAL-P1, GOAL-P2, GOAL-P3, GOAL-P5, GOAL-P17)."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from scripts import postgres
from scripts.bench import cpu
from scripts.bench.stage import PASSWORD, WIDTH, Stage, cpu_us, get, hasher, sign_in, spread

ROUNDS = 5
REQUESTS = 600
BACKEND, POSTGREST, POSTGRES = "backend serve", "postgrest", "postgres"
START_TIMEOUT_S = 20
STORM = 200
# Until the probe has read what to ask.
PROBE_START_S = 1.0


@dataclass(frozen=True)
class Result:
    """One row of the table; `ratio` must not be above `most`, or not below it when `at_least`."""

    goal: str
    what: str
    ratio: float
    most: float
    details: str
    at_least: bool = False

    @property
    def holds(self) -> bool:
        return self.ratio >= self.most if self.at_least else self.ratio <= self.most


async def alternately(
    one: Callable[[], Awaitable[float]], other: Callable[[], Awaitable[float]]
) -> tuple[float, float]:
    """The medians of both, each round in the other order."""
    found: tuple[list[float], list[float]] = ([], [])
    for round_ in range(ROUNDS):
        for side in (0, 1) if round_ % 2 else (1, 0):
            found[side].append(await (one, other)[side]())
    return statistics.median(found[0]), statistics.median(found[1])


async def user(stage: Stage) -> Result:
    """Measure GOAL-P1: GET /user against the floor, Postgres counted on both sides."""
    port = postgres.free_port()
    floor = await asyncio.create_subprocess_exec(sys.executable, "-m", "scripts.bench.floor", str(port))
    try:
        await wait_for(stage, f"http://127.0.0.1:{port}/{stage.people[0].id}")

        def ask_user(number: int) -> Awaitable[None]:
            return get(stage.client, f"{stage.url}/auth/v1/user", stage.headers(number))

        def ask_floor(number: int) -> Awaitable[None]:
            person = stage.people[number % len(stage.people)]
            return get(stage.client, f"http://127.0.0.1:{port}/{person.id}", {})

        # Every connection to the database is there before the processes behind them are listed.
        await spread(REQUESTS, WIDTH, ask_user)
        await spread(REQUESTS, WIDTH, ask_floor)
        backend, database = cpu.matching(BACKEND), cpu.matching(POSTGRES)
        ours, least = await alternately(
            lambda: cpu_us([*backend, *database], REQUESTS, ask_user),
            lambda: cpu_us([floor.pid, *database], REQUESTS, ask_floor),
        )
    finally:
        floor.terminate()
        await floor.wait()
    return Result("P1", "GET /user, CPU, to the floor", ours / least, 2.2, f"{ours:.0f} us to {least:.0f} us")


async def wait_for(stage: Stage, url: str) -> None:
    """Wait until an address answers."""
    deadline_s = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            return await get(stage.client, url, {})
        except OSError:
            if time.monotonic() > deadline_s:
                raise
            await asyncio.sleep(0.05)


async def logins(stage: Stage) -> Result:
    """Measure GOAL-P2: sign-ins a second against bare hashing on every core."""
    cores, stored = os.cpu_count() or 1, hasher.hash(PASSWORD)

    async def sign_ins() -> float:
        async def one(number: int) -> None:
            await sign_in(stage.client, stage.url, stage.people[number % len(stage.people)].email)

        began_s = time.perf_counter()
        await spread(STORM, 4 * cores, one)
        return STORM / (time.perf_counter() - began_s)

    async def hashes() -> float:
        async def one(_number: int) -> None:
            await asyncio.to_thread(hasher.verify, stored, PASSWORD)

        began_s = time.perf_counter()
        await spread(STORM, cores, one)
        return STORM / (time.perf_counter() - began_s)

    ours, limit = await alternately(sign_ins, hashes)
    details = f"{ours:.0f}/s to {limit:.0f}/s"
    return Result("P2", "sign-ins a second, to bare hashing", ours / limit, 0.8, details, at_least=True)


async def storm(stage: Stage) -> tuple[Result, Result]:
    """Measure GOAL-P3: other requests at a steady pace while 200 people sign in at once, against the same when idle."""

    async def sign_ins() -> None:
        await asyncio.gather(*(sign_in(stage.client, stage.url, person.email) for person in stage.people[:STORM]))

    async def nothing() -> None:
        await asyncio.sleep(2)

    calm_ms, storm_ms = [], []
    url, headers = f"{stage.url}/auth/v1/user", [stage.headers(number) for number in range(len(stage.people))]
    for _ in range(3):
        calm_ms += await probing(url, headers, nothing())
        storm_ms += await probing(url, headers, sign_ins())
    calm, storm_ = p99(calm_ms), p99(storm_ms)
    slowest = max(storm_ms)
    return (
        Result("P3", "p99 during 200 sign-ins, to idle", storm_ / calm, 4, f"{storm_:.1f} ms to {calm:.1f} ms"),
        Result("P3", "slowest of them, to 250 ms", slowest / 250, 1, f"{slowest:.0f} ms"),
    )


async def probing(url: str, headers: Sequence[Mapping[str, str]], meanwhile: Awaitable[object]) -> list[float]:
    """Ask at a steady pace, by a process of its own, until `meanwhile` is over; return the milliseconds of each."""
    pipe = asyncio.subprocess.PIPE
    probe = await asyncio.create_subprocess_exec(sys.executable, "-m", "scripts.bench.probe", stdin=pipe, stdout=pipe)
    assert probe.stdin is not None
    probe.stdin.write(json.dumps({"url": url, "headers": [*headers]}).encode() + b"\n")
    await asyncio.sleep(PROBE_START_S)
    await meanwhile
    output, _ = await probe.communicate(b"")
    taken_ms: list[float] = json.loads(output)
    return taken_ms


def p99(values: Sequence[float]) -> float:
    """Return what 99 of 100 values do not exceed."""
    return statistics.quantiles(values, n=100)[98]


READ = "/notifications?select=id,title,is_read,created_at&order=created_at.desc&limit=10"
# As web/src/data/wallet.ts asks.
TAB = "/credit_wallets?select=balance,notifications(*)&notifications.order=created_at.desc&notifications.limit=50"


async def gateway(stage: Stage) -> Result:
    """Measure GOAL-P5: a small read through the gateway against PostgREST alone, without the database's equal cost."""

    def through(number: int) -> Awaitable[None]:
        return get(stage.client, f"{stage.url}/rest/v1{READ}", stage.headers(number))

    def direct(number: int) -> Awaitable[None]:
        return get(stage.rest, f"http://postgrest{READ}", stage.headers(number))

    backend, rest = cpu.matching(BACKEND), cpu.matching(POSTGREST)
    ours, alone = await alternately(
        lambda: cpu_us([*backend, *rest], REQUESTS, through), lambda: cpu_us(rest, REQUESTS, direct)
    )
    return Result(
        "P5", "read through the gateway, CPU, to PostgREST", ours / alone, 1.25, f"{ours:.0f} us to {alone:.0f}"
    )


async def polling(stage: Stage) -> Result:
    """Measure GOAL-P17: what one open tab asks every 30 seconds, all of it counted, against 1.2 ms."""

    def tab(number: int) -> Awaitable[None]:
        return get(stage.client, f"{stage.url}/rest/v1{TAB}", stage.headers(number))

    # Opens the connections whose processes are counted.
    await spread(REQUESTS, WIDTH, tab)
    everything = cpu.matching(BACKEND, POSTGREST, POSTGRES)
    spent = statistics.median([await cpu_us(everything, REQUESTS // 2, tab) for _ in range(ROUNDS)])
    return Result("P17", "what a tab polls, CPU, to 1.2 ms", spent / 1200, 1, f"{spent / 1000:.2f} ms")
