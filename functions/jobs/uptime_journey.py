"""Log in, read, write and delete with an account of the server over its public address, for /status and the admins."""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import uptime_checks

EVERY = timedelta(minutes=uptime_checks.JOURNEY_MINUTES)
VIEWPOINT = "worker"


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Make one journey, unless one is under way, and keep its steps.

    It runs with the account's rights, never with those of the service.
    """

    async def send(method: str, path: str, headers: Mapping[str, str], body: Any) -> uptime_checks.Reply:
        try:
            answer = await context.public.request(
                method, path, headers=headers, json=body, timeout_s=uptime_checks.TIMEOUT_S
            )
        except api.PlatformError as error:
            context.log.warning("the journey got no answer", extra={"path": path, "cause": str(error)})
            raise uptime_checks.Unreachable("Nessuna risposta dall’indirizzo pubblico") from error
        return uptime_checks.Reply(answer.status, answer.body)

    password = secrets.token_urlsafe(32)
    email = await context.call("private.prepare_probe", VIEWPOINT, password)
    if email is None:
        return
    steps = await uptime_checks.make_journey(send, uptime_checks.Login(email, password))
    await context.call("private.note_uptime", VIEWPOINT, None, [uptime_checks.journey_check(steps)], steps)
