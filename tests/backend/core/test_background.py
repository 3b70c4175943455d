"""core.background: work outlives its request, never its process, and says when it fails."""

from __future__ import annotations

import asyncio

import pytest

from backend.core.background import Background

pytestmark = pytest.mark.anyio


async def test_work_is_told_to_end_and_may_write_down_how_far_it_came() -> None:
    begun, written = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            written.set()

    async with Background() as background:
        background.start(work())
        await begun.wait()
    assert written.is_set()


async def test_an_error_nobody_handles_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        raise ValueError("lost")

    async with Background() as background:
        task = background.start(work())
        await asyncio.wait([task])
    assert "ValueError: lost" in caplog.text


async def test_work_that_does_not_end_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("backend.core.background.ENDING_LIMIT_S", 0)
    begun, over = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await over.wait()
        finally:
            await over.wait()

    async with Background() as background:
        task = background.start(work())
        await begun.wait()
    assert "did not end in time" in caplog.text
    over.set()
    await asyncio.wait([task])
