"""Errors of the server for `/admin/errors`: what is logged with an exception, kept beside the errors of browsers.

A row says which exception it was, what failed and through which lines of code, never what the exception says: that may
quote what a person wrote. The log has it, under the same request id.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import asyncpg

from backend.core import config, db, endless, log
from backend.core.resources import Resources

logger = logging.getLogger("backend.error_reports")

WRITE_EVERY_S = 10
# Of one process between two writes; the oldest of more are dropped, and an error storm is seen all the same.
MAX_WAITING = 30
MAX_FRAMES = 20
# The form that error_logs takes as a session: ids of requests and of jobs.
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NO_REQUEST = "server"

_ADD = """
insert into public.error_logs (session_id, error_message, error_stack, metadata, created_at, source)
values ($1, $2, $3, jsonb_build_object('release', $4::text), $5, 'server')
"""


class Report(NamedTuple):
    """One row: request id, message, stack with the place as its first line, and when."""

    request_id: str
    message: str
    stack: str
    at: datetime


def report(record: logging.LogRecord, error: BaseException) -> Report:
    """Say what is kept of a line of the log; its place has no line number, to be the same in a new version."""
    frames = [
        (name, frame.lineno, frame.name)
        for frame in traceback.extract_tb(error.__traceback__)
        if (name := _own(frame.filename)) is not None
    ]
    place = f"{frames[-1][0]} · {frames[-1][2]}" if frames else record.name
    # A library may put values into what it logs.
    what = str(record.msg) if record.name.startswith(("backend", "functions")) else record.name
    lines = [f"  {name}:{number} {function}" for name, number, function in frames[-MAX_FRAMES:]]
    request_id = log.request_id.get()
    return Report(
        request_id if _ID.fullmatch(request_id) else _NO_REQUEST,
        f"{type(error).__name__}: {what}"[:1000],
        "\n".join([place, *lines])[:16_000],
        datetime.fromtimestamp(record.created, UTC),
    )


def _own(filename: str) -> str | None:
    """Return a file of ours from the checkout on; None for a library's."""
    path = Path(filename)
    if "site-packages" in path.parts or not path.is_relative_to(config.ROOT):
        return None
    return str(path.relative_to(config.ROOT)).removeprefix("supabase/")


class Reports(logging.Handler):
    """Take what is logged with an exception, and write it from time to time."""

    def __init__(self, version: str) -> None:
        super().__init__(logging.ERROR)
        self._version = version
        self._waiting: deque[Report] = deque(maxlen=MAX_WAITING)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record for the next write; nothing is awaited where something is logged."""
        if record.exc_info and (error := record.exc_info[1]) is not None and record.name != logger.name:
            self._waiting.append(report(record, error))

    async def write(self, pool: db.Pool) -> None:
        """Write what waits."""
        while self._waiting:
            async with db.connection(pool) as connection:
                # Taken out once it is written: the database may be what fails.
                first = self._waiting[0]
                try:
                    await connection.execute(_ADD, *first[:3], self._version, first.at)
                except asyncpg.PostgresError as refused:
                    # Trying again would not help: the table is full for this minute, or does not take a value.
                    if not (refused.sqlstate or "").startswith(("PT", "22", "23")):
                        raise
            if self._waiting and self._waiting[0] is first:
                self._waiting.popleft()


@asynccontextmanager
async def reported(res: Resources) -> AsyncIterator[None]:
    """Write the errors of this process while this is open; those of another project have no table."""
    if not res.settings.is_product:
        yield
        return
    reports = Reports(config.version())
    root = logging.getLogger()
    root.addHandler(reports)
    res.background.start(
        endless.again_and_again(lambda: reports.write(res.pool), WRITE_EVERY_S, logger, "errors not kept")
    )
    try:
        yield
    finally:
        root.removeHandler(reports)
        with suppress(*endless.LOST):
            await reports.write(res.pool)
