"""What of the engine no door shows: who does not hear their end, or comes as a crowd, keeps nobody waiting; titles."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import Any, cast

import pytest

from functions._shared.assistant import engine, gate, limits
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


async def test_answers_without_a_provider_are_made_a_few_at_a_time_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, go_on = list[int](), asyncio.Event()

    async def answer(number: int, _told: object) -> engine.End:
        begun.append(number)
        await go_on.wait()
        return engine.End("done")

    monkeypatch.setattr(engine, "_answer", answer)
    turns = [asyncio.ensure_future(engine._in_turn(cast("Any", number), cast("Any", None))) for number in range(6)]
    for _ in turns:
        await asyncio.sleep(0)
    assert begun == list(range(gate.TURNS))
    go_on.set()
    assert await asyncio.gather(*turns) == [engine.End("done")] * 6
    assert begun == list(range(6))


async def test_a_crowd_of_one_person_takes_one_pass_and_nobody_elses() -> None:
    inside, leave = list[str](), asyncio.Event()

    async def passes(whose: str | None) -> None:
        async with gate.passed(whose):
            inside.append(whose or "anybody")
            await leave.wait()

    async with asyncio.TaskGroup() as tasks:
        for whose in [*["anna"] * 3 * gate.PASSES, "bruno", None]:
            tasks.create_task(passes(whose))
        for _ in range(5):
            await asyncio.sleep(0)
        assert inside == ["anna", "bruno", "anybody"]
        leave.set()
    assert inside.count("anna") == 3 * gate.PASSES


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


def test_without_a_provider_only_the_local_model_is_loaded() -> None:
    """In a process of its own, because this one has loaded everything."""
    code = """
import asyncio, sys
from functions._shared.assistant import engine
asyncio.run(engine.warm_up(has_provider=False))
from pydantic_ai._genai_prices import fill_response_cost
from pydantic_ai.messages import ModelResponse
fill_response_cost(ModelResponse([], model_name="locale"))
wanted = ("functions._shared.assistant.local.model", "openai", "anthropic", "genai_prices.data")
print(*(name for name in wanted if name in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
        capture_output=True,
    )
    assert (done.stdout.split(), done.stderr) == (["functions._shared.assistant.local.model"], "")
