"""Asks one thing after the other at a steady pace until its input ends, then prints how long each took.

A process of its own: the one that makes the storm has no time to look at a watch.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import aiohttp
import uvloop

PACE_S = 0.01


async def run() -> None:
    """Read one line `{"url": …, "headers": […]}` and print the milliseconds as a JSON list."""
    loop = asyncio.get_running_loop()
    asked = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    over = loop.run_in_executor(None, sys.stdin.readline)
    taken_ms: list[float] = []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:

        async def one(number: int) -> None:
            began_s = time.perf_counter()
            async with client.get(asked["url"], headers=asked["headers"][number % len(asked["headers"])]) as answer:
                await answer.read()
                answer.raise_for_status()
            taken_ms.append((time.perf_counter() - began_s) * 1000)

        await one(0)
        taken_ms.clear()
        under_way: list[asyncio.Task[None]] = []
        while not over.done():
            under_way.append(asyncio.create_task(one(len(under_way))))
            await asyncio.sleep(PACE_S)
        await asyncio.gather(*under_way)
    json.dump(taken_ms, sys.stdout)


if __name__ == "__main__":
    uvloop.run(run())
