"""Sends prepared requests at a steady pace, whatever the answers take, then prints how long each took.

A process of its own, as `probe` is. Reads one line `{"url", "rate", "requests": [[body, signature], …]}`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from http import HTTPStatus

import aiohttp
import uvloop

# Connections are made and code is warm before it counts.
WARM_UP = 50


async def run() -> None:
    """Prints the milliseconds as a JSON list; raises for an answer that is neither a success nor "later"."""
    asked = json.loads(sys.stdin.readline())
    taken_ms: list[float] = []
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:

        async def one(body: str, signature: str, due_s: float) -> None:
            headers = {"Stripe-Signature": signature}
            while True:
                async with client.post(asked["url"], data=body, headers=headers) as answer:
                    await answer.read()
                    if answer.status != HTTPStatus.SERVICE_UNAVAILABLE:
                        answer.raise_for_status()
                        break
                # Stripe tells it again too, and the clock goes on.
                await asyncio.sleep(float(answer.headers["Retry-After"]))
            # From the moment it should have been sent: a sender that is late does not make the server look fast.
            taken_ms.append((time.perf_counter() - due_s) * 1000)

        for body, signature in asked["requests"][:WARM_UP]:
            await one(body, signature, time.perf_counter())
        taken_ms.clear()
        under_way = []
        began_s = time.perf_counter()
        for number, (body, signature) in enumerate(asked["requests"][WARM_UP:]):
            due_s = began_s + number / asked["rate"]
            await asyncio.sleep(max(0, due_s - time.perf_counter()))
            under_way.append(asyncio.create_task(one(body, signature, due_s)))
        await asyncio.gather(*under_way)
    json.dump(taken_ms, sys.stdout)


if __name__ == "__main__":
    uvloop.run(run())
