"""The way of a webhook to the product: one request for each attempt."""

from __future__ import annotations

from collections.abc import Mapping

import aiohttp

TIMEOUT = aiohttp.ClientTimeout(total=20)


async def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a body and return the status of the answer; 0 when there is none."""
    try:
        async with (
            aiohttp.ClientSession(timeout=TIMEOUT) as client,
            client.post(url, data=body, headers=headers) as answer,
        ):
            return answer.status
    except (TimeoutError, aiohttp.ClientError, OSError):
        return 0
