"""What of the engine no door shows: an answer that does not hear its end keeps nobody waiting; titles."""

from __future__ import annotations

import asyncio

import pytest

from functions._shared.assistant import engine, limits
from functions._shared.assistant.feed import Feed

pytestmark = pytest.mark.anyio


async def kept(_first: int, _events: str) -> bool:
    return False


async def test_an_answer_that_does_not_hear_its_end_is_left_behind(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine, "CANCELLING_S", 0.001)
    over, ended = asyncio.Event(), asyncio.Event()

    async def deaf() -> engine.End:
        while not over.is_set():
            try:
                await over.wait()
            except asyncio.CancelledError:
                continue  # as a library that loses it
        ended.set()
        return engine.End("done")

    line = Feed("run", kept)
    line.stopped.set()
    assert await engine._end_of(deaf(), line) == engine.End("stopped")
    assert "does not end" in caplog.text
    over.set()
    await ended.wait()


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("chi devo richiamare?", "Chi devo richiamare?"),
        ("  prima riga\n\nseconda  riga ", "Prima riga seconda riga"),
        (f"Vorrei sapere {'tutto ' * 20}", "Vorrei sapere tutto tutto tutto tutto tutto tutto tutto…"),
        ("x" * 80, "X" + "x" * 58 + "…"),
        ("", None),
    ],
    ids=["short", "lines", "long", "one-word", "empty"],
)
def test_a_conversation_is_called_after_its_first_question(question: str, title: str | None) -> None:
    assert limits.title(question) == title
