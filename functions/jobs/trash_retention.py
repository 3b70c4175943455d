"""Erase rows after thirty days in the trash, with the rows that depend on them, as the screens promise."""

from datetime import timedelta
from typing import Any

import asyncpg

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(days=1)
KEPT_DAYS = 30
TABLES = ("contacts", "deals", "drafts", "notes", "projects", "tasks")


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Erase the old rows of each table, by the clock of the database.

    A table that fails does not stop the others; all failures are raised together at the end.
    """
    failures: list[Exception] = []
    for table in TABLES:
        try:
            await batches.until_none_is_left(context, _erase(table))
        except (asyncpg.PostgresError, TimeoutError) as error:
            failures.append(error)
    if failures:
        raise ExceptionGroup("not all of the trash is erased", failures)


def _erase(table: str) -> str:
    return f"""
        with gone as (
          delete from public.{table}
          where id in (
            select id from public.{table} where deleted_at < now() - make_interval(days => {KEPT_DAYS}) limit $1
          )
          returning id
        )
        select count(*) from gone
    """  # noqa: S608 - constants
