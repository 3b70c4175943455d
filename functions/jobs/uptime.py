"""Ask each part of the installation whether it answers, for /status and the admins."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(minutes=1)
PART_TIMEOUT_S = 10.0
# As in the report for admins (functions/health_report.py).
WAIT_AT_MOST_S = 300
# Through the gateway, as everybody asks.
ROUTES = {
    "site": ("GET", "/"),
    "api": ("GET", "/ready"),
    "auth": ("GET", "/auth/v1/health"),
    "storage": ("GET", "/storage/v1/health"),
    "functions": ("POST", "/functions/v1/ip_hash"),
}

Ask = Callable[[], Awaitable[bool]]


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Ask all parts at the same time and count their answers."""
    asked: dict[str, Ask] = {part: _route(context, *route) for part, route in ROUTES.items()}
    asked["worker"] = lambda: _waits_little(context, "longest_wait_s", "periodic_late_s")
    asked["mail"] = lambda: _waits_little(context, "oldest_mail_s")
    checks = await asyncio.gather(*(_check(part, ask, context) for part, ask in asked.items()))
    async with context.as_service() as connection:
        await connection.execute("select private.note_uptime($1::text::jsonb)", json.dumps(checks))


def _route(context: api.Context, method: str, path: str) -> Ask:
    async def ask() -> bool:
        return (await context.platform.request(method, path, timeout_s=PART_TIMEOUT_S)).status == 200

    return ask


async def _waits_little(context: api.Context, *names: str) -> bool:
    facts: dict[str, int] = await context.call("jobs.health")
    return max(facts[name] for name in names) <= WAIT_AT_MOST_S


async def _check(part: str, ask: Ask, context: api.Context) -> dict[str, Any]:
    started_s = time.perf_counter()
    try:
        is_up = await ask()
    except api.PlatformError as error:
        context.log.warning("a part does not answer", extra={"part": part, "cause": str(error)})
        is_up = False
    return {"part": part, "is_up": is_up, "took_ms": round((time.perf_counter() - started_s) * 1000)}
