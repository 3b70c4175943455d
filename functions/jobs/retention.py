"""Erase what is older than its retention rule allows, each rule at its interval, and record the run.

`{"rules": [...]}` runs these rules now. A rule that fails does not stop the others and is due again at once.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import asyncpg

from backend.edge import api
from functions._shared import retention

EVERY = timedelta(minutes=10)
TIMEOUT_S = 3600.0
SWEEP_TIMEOUT_S = 600.0


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Run the rules that are due; failures of the database are raised together at the end."""
    rules = payload.get("rules")
    if rules is None:
        async with context.as_service() as connection:
            due = await connection.fetch("select private.due_retention($1) as rule", context.now())
        rules = [row["rule"] for row in due]
    failures = [failure for rule in rules for failure in await _run(context, rule)]
    # Storage that is away needs no attempt of this job: the rule is due again in ten minutes.
    broken = [failure for failure in failures if not isinstance(failure, api.PlatformError)]
    if broken:
        raise ExceptionGroup("not every retention rule is done", broken)


async def _run(context: api.Context, rule: str) -> list[Exception]:
    """Run the sweeps of a rule and record the run; return what failed."""
    started_at = context.now()
    erased = 0
    failures: list[Exception] = []
    for sweep in retention.SWEEPS[rule]:
        try:
            async with asyncio.timeout(SWEEP_TIMEOUT_S):
                async for done in sweep(context):
                    erased += done
        except (asyncpg.PostgresError, api.PlatformError, TimeoutError, OSError) as error:
            failures.append(error)
    if failures:
        context.log.warning("retention rule failed", extra={"rule": rule, "cause": str(failures[0])})
    await context.call("private.note_retention", rule, started_at, erased, not failures)
    if erased:
        context.log.info("old data erased", extra={"rule": rule, "count": erased})
    return failures
