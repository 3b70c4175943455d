"""Measure what the reports for admins show, so that their screens read no hot table."""

import asyncio
import json
import shutil
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from backend.edge import api

EVERY = timedelta(minutes=10)
# Comparing all wallets with the ledger reads the whole ledger.
MEASURED = {
    "database": EVERY,
    "payments": EVERY,
    "errors": EVERY,
    "people": EVERY,
    "security": EVERY,
    "credits": timedelta(hours=1),
    # Reads the events of a month.
    "analytics": timedelta(hours=1),
    "performance": timedelta(hours=1),
    "devices": timedelta(hours=1),
}
QUEUE = (
    "waiting",
    "postponed",
    "running",
    "longest_wait_s",
    "periodic_late_s",
    "dead_letters",
    "mails_waiting",
    "mails_failed_today",
)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Take each snapshot in a transaction of its own: a run that dies leaves the others to the next."""
    for name, every in MEASURED.items():
        async with context.as_service() as connection:
            await connection.execute("select private.take_snapshot($1, $2)", name, every)
    facts = await context.call("jobs.health")
    disk = await asyncio.to_thread(shutil.disk_usage, context.data_folder)
    measured = {
        "queue": {name: facts[name] for name in QUEUE},
        "disk": {
            "free_bytes": disk.free,
            "total_bytes": disk.total,
            "exports_without_space": await context.call("private.exports_without_space"),
        },
    }
    for name, figures in measured.items():
        await context.call("private.keep_snapshot", name, EVERY, api.Json(json.dumps({"figures": figures})))
    await _note_client(context)


async def _note_client(context: api.Context) -> None:
    """Note the version of the client that is served and what it weighs (web/vite/budget.ts), where there is one."""
    try:
        answer = await context.platform.request("GET", "/sizes.json")
    except api.PlatformError as error:
        context.log.warning("the client does not say what it weighs", extra={"cause": str(error)})
        return
    if answer.status == HTTPStatus.OK:
        told = answer.json()
        sizes = {part["name"]: part["size_bytes"] for part in told["parts"]}
        await context.call("private.keep_client_sizes", told["release"], api.Json(json.dumps(sizes)))
