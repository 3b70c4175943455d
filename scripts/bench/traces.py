"""Measure what traces and metrics cost a request (GOAL-P33): one server, asked with and without them by turns."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from aiohttp import web

from scripts import postgres
from scripts.bench import cpu
from scripts.bench.goals import REQUESTS, Result, wait_for
from scripts.bench.sides import ALL, FLUSH, HEADER, PLAIN, SOME, UNCOUNTED
from scripts.bench.stage import WIDTH, Stage, get, spread

MOST = 1.03
ROUNDS = 30
# CPU that a server without work takes in a second.
IDLE_S = 0.05
# The SDK sends spans every five seconds: here after as many requests as a busy server answers in that time.
EACH = 5 * REQUESTS
COMPARED = (
    ("every request traced", ALL, PLAIN),
    ("one request in a hundred traced", SOME, PLAIN),
    ("counted for metrics", PLAIN, UNCOUNTED),
)


async def traces(stage: Stage) -> list[Result]:
    """Compare GET /user, CPU of the server with the sending of its spans."""
    spent_us: dict[str, list[float]] = {side: [] for side in (PLAIN, ALL, SOME, UNCOUNTED)}
    async with _receiver() as receiver, _server(stage, receiver) as (url, pid):
        for _ in range(ROUNDS):
            for side in random.sample(list(spent_us), len(spent_us)):
                spent_us[side].append(await _cost_us(stage, url, pid, side))
    return [_compared(what, spent_us[one], spent_us[other]) for what, one, other in COMPARED]


def _compared(what: str, with_us: Sequence[float], without_us: Sequence[float]) -> Result:
    """Compare the rounds of each that other work on the machine disturbed least: it makes memory and turns dearer."""
    one, other = (statistics.quantiles(spent_us, n=10)[0] for spent_us in (with_us, without_us))
    details = f"{one:.0f} us to {other:.0f} us, lowest tenth of {ROUNDS} rounds"
    return Result("P33", f"GET /user, CPU, {what}", one / other, MOST, details)


async def _cost_us(stage: Stage, url: str, pid: int, side: str) -> float:
    """Return the CPU of a request, in microseconds, with what is sent of it afterwards."""
    before_s = cpu.spent_s([pid])
    await spread(EACH, WIDTH, partial(_ask, stage, url, side))
    await _ask(stage, url, FLUSH, 0)
    return (cpu.spent_s([pid]) - before_s) / EACH * 1e6


def _ask(stage: Stage, url: str, side: str, number: int) -> Awaitable[None]:
    return get(stage.client, f"{url}/auth/v1/user", {**stage.headers(number), HEADER: side})


@asynccontextmanager
async def _server(stage: Stage, receiver: str) -> AsyncIterator[tuple[str, int]]:
    """Run another server of the installation; return its address and process id."""
    port = postgres.free_port()
    url = f"http://127.0.0.1:{port}"
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": receiver, "OTEL_BSP_SCHEDULE_DELAY": "600000"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scripts.bench.sides", str(port)),
        env={**os.environ, **variables},
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await wait_for(stage, f"{url}/health")
        await _idle(process.pid)
        await spread(EACH, WIDTH, partial(_ask, stage, url, ALL))
        yield url, process.pid
    finally:
        process.terminate()
        await process.wait()


async def _idle(pid: int) -> None:
    """Wait until a server has loaded what its first answers would wait for, which it does in the background."""
    spent_s = 1.0
    while spent_s > IDLE_S:
        before_s = cpu.spent_s([pid])
        await asyncio.sleep(1)
        spent_s = cpu.spent_s([pid]) - before_s


@asynccontextmanager
async def _receiver() -> AsyncIterator[str]:
    async def receive(request: web.Request) -> web.Response:
        await request.read()
        return web.Response()

    application = web.Application()
    application.router.add_post("/v1/traces", receive)
    runner = web.AppRunner(application)
    await runner.setup()
    port = postgres.free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    yield f"http://127.0.0.1:{port}"
    await runner.cleanup()
