"""Measure what traces cost a request (GOAL-P33): servers with and without the setting, one next to the other."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from aiohttp import web

from backend.core import config
from scripts import postgres
from scripts.bench import cpu
from scripts.bench.goals import REQUESTS, Result, alternately, wait_for
from scripts.bench.stage import WIDTH, Stage, cpu_us, get, spread

MOST = 1.03
# CPU that a server without work takes in a second.
IDLE_S = 0.05
SHARES = {"1": "every request traced", "0.05": "one request in twenty traced"}


async def traces(stage: Stage) -> list[Result]:
    """Compare GET /user, CPU of the server with the sending of its spans."""
    results = []
    async with AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(_receiver())
        plain = await stack.enter_async_context(_server(stage, {}))
        for share, what in SHARES.items():
            settings = {
                "OTEL_EXPORTER_OTLP_ENDPOINT": receiver,
                "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG": share,
            }
            async with _server(stage, settings) as traced:
                with_us, without_us = await alternately(lambda: _cost(stage, *traced), lambda: _cost(stage, *plain))
            details = f"{with_us:.0f} us to {without_us:.0f} us"
            results.append(Result("P33", f"GET /user, CPU, {what}", with_us / without_us, MOST, details))
    return results


async def _cost(stage: Stage, url: str, pid: int) -> float:
    return await cpu_us([pid], REQUESTS, lambda number: _ask(stage, url, number))


def _ask(stage: Stage, url: str, number: int) -> Awaitable[None]:
    return get(stage.client, f"{url}/auth/v1/user", stage.headers(number))


@asynccontextmanager
async def _server(stage: Stage, settings: Mapping[str, str]) -> AsyncIterator[tuple[str, int]]:
    """Run another server of the installation; return its address and process id."""
    port = postgres.free_port()
    url = f"http://127.0.0.1:{port}"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "backend", "serve"),
        # The issuer of the sessions is the public address.
        env={
            **os.environ,
            **settings,
            "SUPABASE_API_PORT": str(port),
            "SUPABASE_API_EXTERNAL_URL": config.load().api.external_url,
        },
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await wait_for(stage, f"{url}/health")
        await _idle(process.pid)
        await spread(REQUESTS, WIDTH, lambda number: _ask(stage, url, number))
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
