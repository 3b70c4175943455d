"""`/functions/v1/health_report`: how the installation is doing, for admins who have shown a second factor.

Each part is asked by itself and within a time limit. A part that does not answer is `down` with a reason, and never
makes the report fail: it is read exactly when something is broken. Content of users is in none of them.
"""

import asyncio
import platform
import shutil
import time
from collections.abc import Awaitable, Callable
from typing import Any

from backend.edge import api
from functions._shared import requests

TIMEOUT_S = 20
PART_TIMEOUT_S = 5
GIB = 1024**3
# What an admin should look at.
DISK_FREE_AT_LEAST = 0.1
WAIT_AT_MOST_S = 300

Part = dict[str, Any]


async def handler(_request: api.Request, context: api.Context) -> api.Response:
    """Answers `{"status", "checked_at", "parts": {name: {"status", …}}}`; ok, degraded or down. Refuses with 403."""
    await requests.refuse_non_admins(context)
    asked = {
        "database": database,
        "rest": rest,
        "storage": storage,
        "queue": queue,
        "mail": mail,
        "payments": payments,
        "disk": disk,
        "versions": versions,
    }
    answers = await asyncio.gather(*(part(name, ask, context) for name, ask in asked.items()))
    parts = dict(zip(asked, answers, strict=True))
    report = {"status": worst(parts), "checked_at": context.now().isoformat(), "parts": parts}
    return api.JSONResponse(report, headers={"Cache-Control": "no-store"})


async def part(name: str, ask: Callable[[api.Context], Awaitable[Part]], context: api.Context) -> Part:
    """One part's answer and how long it took."""
    started_s = time.perf_counter()
    try:
        async with asyncio.timeout(PART_TIMEOUT_S):
            answer = await ask(context)
    except Exception as error:
        # Whatever is wrong with one part, the others are still worth knowing.
        context.log.warning("part of the health report is missing", extra={"part": name, "cause": str(error)})
        answer = {"status": "down", "reason": type(error).__name__}
    return {**answer, "took_ms": round((time.perf_counter() - started_s) * 1000, 1)}


def worst(parts: dict[str, Part]) -> str:
    """The state of the whole."""
    states = {each["status"] for each in parts.values()}
    return next((state for state in ("down", "degraded") if state in states), "ok")


def judged(fine: bool, **facts: Any) -> Part:
    """A part that answered."""
    return {"status": "ok" if fine else "degraded", **facts}


async def database(context: api.Context) -> Part:
    """Postgres itself."""
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            """
            select pg_database_size(current_database()) as size_bytes, pg_is_in_recovery() as is_replica,
              (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
              current_setting('max_connections')::int as max_connections
            """
        )
    assert row is not None
    return judged(row["connections"] < 0.9 * row["max_connections"] and not row["is_replica"], **dict(row))


async def rest(context: api.Context) -> Part:
    """The gateway's own word on whether it can serve, PostgREST and migrations included."""
    answer = await context.platform.request("GET", "/ready")
    return judged(answer.status == 200, reasons=answer.json().get("reasons", []))


async def storage(context: api.Context) -> Part:
    """The storage service: whether it can look into its tables."""
    answer = await context.platform.request("GET", "/storage/v1/bucket")
    return judged(answer.status == 200, answer=answer.status)


async def queue(context: api.Context) -> Part:
    """Jobs that wait, and those that were given up."""
    facts = await jobs_facts(context)
    names = ("waiting", "postponed", "running", "longest_wait_s", "periodic_late_s", "dead_letters")
    fine = facts["dead_letters"] == 0 and max(facts["longest_wait_s"], facts["periodic_late_s"]) <= WAIT_AT_MOST_S
    return judged(fine, **{name: facts[name] for name in names}, latest=facts["latest_dead_letters"])


async def mail(context: api.Context) -> Part:
    """The outbox."""
    facts = await jobs_facts(context)
    names = ("mails_waiting", "oldest_mail_s", "mails_failed_today")
    fine = facts["oldest_mail_s"] <= WAIT_AT_MOST_S and facts["mails_failed_today"] == 0
    return judged(fine, **{name: facts[name] for name in names})


async def jobs_facts(context: api.Context) -> dict[str, Any]:
    """What the platform tells of its queue; where there is none, this part of the report is down."""
    facts: dict[str, Any] = await context.call("jobs.health")
    return facts


async def payments(context: api.Context) -> Part:
    """What a person must look at: open alerts by kind, and the oldest."""
    async with context.as_service() as connection:
        rows = await connection.fetch(
            """
            select kind::text, count(*) as count, min(created_at) as oldest_at from public.payment_alerts
            where resolved_at is null group by kind order by kind
            """
        )
    oldest_at = min((row["oldest_at"].isoformat() for row in rows), default=None)
    return judged(not rows, open_alerts={row["kind"]: row["count"] for row in rows}, oldest_at=oldest_at)


async def disk(context: api.Context) -> Part:
    """Where the installation keeps its state."""
    usage = await asyncio.to_thread(shutil.disk_usage, context.data_folder)
    return judged(
        usage.free / usage.total >= DISK_FREE_AT_LEAST,
        free_gib=round(usage.free / GIB, 1),
        total_gib=round(usage.total / GIB, 1),
    )


async def versions(context: api.Context) -> Part:
    """What runs here."""
    async with context.as_service() as connection:
        postgres: str = await connection.fetchval("select current_setting('server_version')")
    migration = (await jobs_facts(context))["latest_migration"]
    return judged(True, postgres=postgres, python=platform.python_version(), migration=migration)
