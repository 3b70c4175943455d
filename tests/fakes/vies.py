"""A fake VIES on loopback that can misbehave: `mode` says how it answers the next requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

# A name as VIES writes it, and what it writes where a country tells none.
REGISTERED = {"00743110157": "ROSSI  COSTRUZIONI\nSRL", "01234560017": "---"}


@dataclass
class Vies:
    """Knows the numbers of REGISTERED; `asked` are the paths it was asked for."""

    url: str = ""
    mode: str = "good"
    asked: list[str] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One request, in the mode of the moment."""
        self.asked.append(request.path)
        number = request.match_info["number"]
        if self.mode == "silent":
            await self.over.wait()
        if self.mode == "garbage":
            return web.Response(text="<html>Service Temporarily Unavailable</html>", content_type="text/html")
        if self.mode == "error":
            return web.json_response({"errorWrappers": []}, status=500)
        if self.mode == "endless":
            return web.Response(body=b" " * 1_000_000, content_type="application/json")
        if self.mode != "good":
            return web.json_response({"isValid": False, "userError": self.mode})
        known = number in REGISTERED
        error = "VALID" if known else "INVALID"
        return web.json_response({"isValid": known, "userError": error, "name": REGISTERED.get(number, "---")})


@asynccontextmanager
async def serving() -> AsyncIterator[Vies]:
    """The fake, while the block lasts."""
    fake = Vies()
    app = web.Application()
    app.router.add_get("/ms/{country}/vat/{number}", fake.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    fake.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield fake
    finally:
        fake.over.set()
        await runner.cleanup()
