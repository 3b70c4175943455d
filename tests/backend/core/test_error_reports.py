"""core.error_reports: what fails in the server is known to admins, without what people wrote."""

from __future__ import annotations

import asyncio
import json
import logging

import asyncpg
import pytest

from backend.core import config, db, error_reports, log
from backend.core.config import Settings
from backend.core.resources import open_all

pytestmark = pytest.mark.anyio

SECRET = "Mario Rossi, mario@example.com"


def fail(how: str = "ours") -> None:
    """Raise in our own code, or in a library that it calls."""
    if how == "library":
        json.loads(SECRET)
    raise KeyError(SECRET)


async def kept(settings: Settings) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(settings.database_url)
    rows = await connection.fetch("select * from public.error_logs order by id")
    await connection.close()
    return list(rows)


async def test_an_error_is_kept_with_its_request_and_its_lines_of_code(settings: Settings) -> None:
    async with open_all(settings) as resources, error_reports.reported(resources):
        token = log.request_id.set("request-1")
        try:
            fail()
        except KeyError:
            logging.getLogger("backend.storage").exception("request failed", extra={"path": SECRET})
        log.request_id.reset(token)
        logging.getLogger("backend.storage").error("no exception")
        logging.getLogger("backend.storage").warning("a warning", exc_info=KeyError("x"))
    (row,) = await kept(settings)
    assert (row["session_id"], row["source"], row["error_message"]) == (
        "request-1",
        "server",
        "KeyError: request failed",
    )
    assert row["error_stack"].splitlines()[0] == "tests/backend/core/test_error_reports.py · fail"
    assert len(row["error_stack"].splitlines()) == 3
    assert row["metadata"] == f'{{"release": "{config.version()}"}}'
    assert SECRET not in str(dict(row))


async def test_the_place_of_a_librarys_error_is_the_line_that_called_it(settings: Settings) -> None:
    async with open_all(settings) as resources, error_reports.reported(resources):
        try:
            fail("library")
        except Exception:
            # A library that writes values into its message.
            logging.getLogger("asyncio").exception(f"never retrieved: {SECRET}")
    (row,) = await kept(settings)
    assert row["error_stack"].startswith("tests/backend/core/test_error_reports.py · fail\n")
    assert row["error_message"].endswith("Error: asyncio")
    assert row["session_id"] == "server"
    assert SECRET not in str(dict(row))


async def test_a_storm_is_bounded_and_errors_of_a_full_minute_are_let_go(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = await asyncpg.connect(settings.database_url)
    await connection.execute(
        """
        insert into public.error_logs (session_id, error_message)
        select 's' || number, 'm' from generate_series(1, 290) as number
        """
    )
    await connection.close()
    async with open_all(settings) as resources, error_reports.reported(resources):
        for _ in range(error_reports.MAX_WAITING * 2):
            logging.getLogger("backend").error("failed", exc_info=KeyError("x"))
    # The table takes 300 rows of nobody in a minute.
    assert len([row for row in await kept(settings) if row["source"] == "server"]) == 10


async def test_what_could_not_be_written_waits(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_reports, "WRITE_EVERY_S", 0)
    tried = asyncio.Event()
    write = error_reports.Reports.write

    async def fails_once(reports: error_reports.Reports, pool: db.Pool) -> None:
        if not tried.is_set():
            tried.set()
            raise OSError
        await write(reports, pool)

    monkeypatch.setattr(error_reports.Reports, "write", fails_once)
    async with open_all(settings) as resources, error_reports.reported(resources):
        logging.getLogger("backend").error("failed", exc_info=KeyError("x"))
        await tried.wait()
    assert len(await kept(settings)) == 1
