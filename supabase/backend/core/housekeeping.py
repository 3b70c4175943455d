"""Delete old rows of the platform's tables; pgqueuer itself never deletes its logs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.core import db
from backend.core.resources import Resources

JOB = "core.forget"
EVERY = timedelta(hours=1)
FORGOTTEN_AFTER_DAYS = (
    ("jobs.pgqueuer_log", "created", 7),
    ("jobs.pgqueuer_statistics", "created", 90),
    ("jobs.mails", "created_at", 90),
    ("jobs.sms", "created_at", 90),
    ("platform.request_times", "hour", 90),
)


async def forget(resources: Resources, _payload: dict[str, Any]) -> None:
    """Run the job: delete old rows of the platform's tables."""
    async with db.connection(resources.pool) as connection:
        for table, column, days in FORGOTTEN_AFTER_DAYS:
            limit = f"now() - interval '{days} days'"
            await connection.execute(f"delete from {table} where {column} < {limit}")  # noqa: S608
        await connection.execute(
            """
            delete from jobs.attempts as counted
            where not exists (select from jobs.pgqueuer as job where job.id = counted.job_id)
            """
        )
