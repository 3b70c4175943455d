"""Ask each part of the installation whether it answers, for /status and the admins."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import uptime_checks

EVERY = timedelta(minutes=1)
# As in the report for admins (functions/health_report.py).
WAIT_AT_MOST_S = 300


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Ask all parts at the same time and count their answers."""

    async def send(method: str, path: str, _headers: Mapping[str, str], _body: Any) -> uptime_checks.Reply:
        try:
            answer = await context.platform.request(method, path, timeout_s=uptime_checks.TIMEOUT_S)
        except api.PlatformError as error:
            context.log.warning("a part does not answer", extra={"path": path, "cause": str(error)})
            raise uptime_checks.Unreachable from error
        return uptime_checks.Reply(answer.status)

    routes, worker, mail = await asyncio.gather(
        uptime_checks.check_routes(send),
        uptime_checks.check("worker", lambda: _waits_little(context, "longest_wait_s", "periodic_late_s")),
        uptime_checks.check("mail", lambda: _waits_little(context, "oldest_mail_s")),
    )
    await context.call("private.note_uptime", "worker", None, [*routes, worker, mail])


async def _waits_little(context: api.Context, *names: str) -> bool:
    facts: dict[str, int] = await context.call("jobs.health")
    return max(facts[name] for name in names) <= WAIT_AT_MOST_S
