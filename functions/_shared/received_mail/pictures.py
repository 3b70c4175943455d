"""Fetch the pictures that a formatted mail takes from elsewhere, when its reader asks for them.

The server asks, so that the sender learns neither the reader's address nor the browser: public addresses only, few
redirects, bounded in number, size and time. A picture is known by its bytes, whatever the other side calls it.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from urllib.parse import urljoin, urlsplit

from backend.edge import api

MAX_PICTURES = 30
MAX_BYTES = 1024 * 1024
MAX_BYTES_OF_ALL = 8 * 1024 * 1024
TIMEOUT_S = 5.0
TIMEOUT_OF_ALL_S = 12.0
AT_ONCE = 6
MAX_STEPS = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})
SIGNS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
)  # fmt: skip


async def fetch(context: api.Context, addresses: Sequence[str]) -> dict[str, str]:
    """Return the pictures that came, as data addresses by the address that the mail names."""
    places = asyncio.Semaphore(AT_ONCE)
    found: dict[str, bytes] = {}

    async def one(address: str) -> None:
        async with places:
            picture = await _picture(context, address)
        if picture is not None and sum(map(len, found.values())) + len(picture) <= MAX_BYTES_OF_ALL:
            found[address] = picture

    wanted = list(dict.fromkeys(addresses))[:MAX_PICTURES]
    tasks = [asyncio.create_task(one(address)) for address in wanted]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=TIMEOUT_OF_ALL_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {
        address: f"data:{kind_of(picture)};base64,{base64.b64encode(picture).decode()}"
        for address, picture in found.items()
    }


async def _picture(context: api.Context, address: str) -> bytes | None:
    """Return the bytes of one picture; None when it is none or did not come."""
    for _ in range(MAX_STEPS):
        try:
            answer = await context.http.request(
                "GET",
                _secure(context, address),
                headers={"Accept": "image/*"},
                timeout_s=TIMEOUT_S,
                max_bytes=MAX_BYTES,
            )
            if answer.status not in REDIRECTS:
                return answer.body if answer.status == 200 and kind_of(answer.body) else None
            address = urljoin(address, _header(answer.headers, "location"))
        except (api.OutwardError, ValueError):
            return None
    return None


def kind_of(content: bytes) -> str | None:
    """Return the type that the bytes of a picture have."""
    kind = next((kind for sign, kind in SIGNS if content.startswith(sign)), None)
    return None if kind == "image/webp" and content[8:12] != b"WEBP" else kind


def _secure(context: api.Context, address: str) -> str:
    """Ask by https, but for this machine in development."""
    parts = urlsplit(address)
    is_own = context.http.is_own_machine(parts.hostname or "")
    return address if is_own else parts._replace(scheme="https").geturl()


def _header(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")
