"""Work that lasts as long as its process."""

from __future__ import annotations

import asyncio
import io
import logging

import asyncpg
import pytest

from backend.core import endless

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("error", "has_traceback"),
    [
        pytest.param(ConnectionResetError("gone"), False, id="the connection is cut"),
        pytest.param(asyncpg.InternalClientError("cannot switch to state 12"), False, id="cut where an answer begins"),
        pytest.param(asyncpg.InterfaceError("connection is closed"), False, id="already closed"),
        pytest.param(ValueError("a bug"), True, id="a fault of ours"),
    ],
)
async def test_work_is_begun_again_whatever_it_ended_in(error: Exception, has_traceback: bool) -> None:
    stopping = asyncio.Event()
    ends: list[Exception | None] = [error, None]
    said = io.StringIO()
    logger = logging.getLogger("tests.endless")
    handler = logging.StreamHandler(said)
    logger.addHandler(handler)

    async def session() -> None:
        end = ends.pop(0)
        if end is not None:
            raise end
        stopping.set()

    try:
        await endless.keep_up(session, logger, "work lost", stopping)
    finally:
        logger.removeHandler(handler)
    assert ends == []
    assert said.getvalue().startswith("work lost")
    assert ("Traceback" in said.getvalue()) is has_traceback


async def test_work_is_not_begun_once_it_shall_stop() -> None:
    stopping = asyncio.Event()
    stopping.set()

    async def session() -> None:
        pytest.fail("begun")

    await endless.keep_up(session, logging.getLogger("tests.endless"), "work lost", stopping)


async def test_work_is_ended_although_a_first_cancellation_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endless, "ENDING_S", 0.01)
    lost = 0

    async def deaf() -> None:
        nonlocal lost
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                lost += 1
                if lost == 3:
                    raise

    async def failing() -> None:
        raise ValueError("a bug")

    tasks = [asyncio.create_task(each()) for each in (deaf, failing)]
    await asyncio.sleep(0)
    await endless.end(*tasks)
    assert lost == 3
    assert all(task.done() for task in tasks)
