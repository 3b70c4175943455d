"""«Consiglio»: Logico, Creativo and Strategico answer at the same time, Etico reviews, and one voice says one answer.

A view that fails stays out and is shown as failed; the answer is made of the others. Imports pydantic-ai: in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from functions._shared.assistant import agents, agents_data, model_events, origins, provider
from functions._shared.assistant.guard import Guarded
from functions._shared.assistant.turn import Turn

FIRST = ("logico", "creativo", "strategico")
REVIEWER = "etico"
# Who reads along is shown a growing view once in a while, not at every word.
SHOWN_EVERY_S = 0.5
ENDING_S = 2.0
# Of each view, for those who go on with it.
VIEW_CHARACTERS = 6000

Tell = Callable[[dict[str, Any]], Awaitable[None]]
Say = Callable[[str], Awaitable[None]]


@dataclass
class View:
    """What one agent says, so far."""

    agent: str
    content: str = ""
    status: Literal["streaming", "done", "error"] = "streaming"

    def to_json(self) -> dict[str, Any]:
        """As `messages.views` has it."""
        return {"agent": self.agent, "content": self.content, "status": self.status}


@dataclass
class Council:
    """One answer and the views it is made of; `finished` of its five steps are done."""

    content: str = ""
    views: list[View] = field(default_factory=list)
    finished: int = 0
    usage: RunUsage = field(default_factory=RunUsage)

    @property
    def tokens_in(self) -> int:
        """Of all agents together."""
        return self.usage.input_tokens

    @property
    def tokens_out(self) -> int:
        """Of all agents together."""
        return self.usage.output_tokens


async def run(
    turn: Turn, model: Model, prompt: Sequence[str], history: list[ModelMessage], on_view: Tell, on_text: Say
) -> Council:
    """Answers a question by all voices; `on_text` hears the pieces of the one answer, with its [[r1]] marks.

    Raises what the model raised when no view came about, or no answer.
    """
    # A model that reckons has nothing to weigh: the Etico says its part at once, and the first view is the answer.
    weighs = isinstance(model, Guarded)
    council = Council(views=[View(agent) for agent in (FIRST if weighs else (*FIRST, REVIEWER))])
    voices = [
        asyncio.create_task(_say(agents.build(view.agent, model, turn), view, turn, prompt, history, council, on_view))
        for view in council.views
    ]
    try:
        failures = await asyncio.gather(*voices)
    finally:
        # Nobody goes on asking when one of them, or whoever waits, has ended.
        for voice in voices:
            voice.cancel()
        await asyncio.wait(voices, timeout=ENDING_S)
    said = [view for view in council.views if view.status == "done"]
    if not said:
        raise next(failure for failure in failures if failure)
    if weighs:
        review = View(REVIEWER)
        council.views.append(review)
        await _say(agents.reviewer(model, turn), review, turn, _given(prompt, said), history, council, on_view)
        await _merge(model, turn, _given(prompt, [*said, review]), council, on_text)
    else:
        council.content = said[0].content
        # Every voice offered the same.
        turn.suggestions[:] = [each for at, each in enumerate(turn.suggestions) if each not in turn.suggestions[:at]]
        await on_text(council.content)
    council.finished += 1
    return council


async def _say(
    agent: Agent[Turn, str], view: View, turn: Turn, prompt: Sequence[str], history: list[ModelMessage],
    council: Council, on_view: Tell,
) -> Exception | None:  # fmt: skip
    """One view, told as it grows; the error when it failed for a reason of the model's."""
    await on_view(view.to_json())
    shown_at, failure = asyncio.get_running_loop().time(), None
    try:
        async for event in model_events.events(agent, prompt, turn, agents.LIMITS, council.usage, history):
            view.content += model_events.text_of(event)
            now = asyncio.get_running_loop().time()
            if now >= shown_at + SHOWN_EVERY_S:
                shown_at = now
                await on_view(view.to_json())
    except Exception as error:
        failure = provider.translate(error)
        if failure is None:
            raise
        if failure.code == "ai_limit" and view.content.strip():
            # What it said until then is its view.
            failure = None
    view.status = "done" if failure is None and view.content.strip() else "error"
    council.finished += view.status == "done"
    await on_view(view.to_json())
    return failure or (None if view.status == "done" else provider.Unavailable("ai_garbage", cause="an empty view"))


async def _merge(model: Model, turn: Turn, prompt: Sequence[str], council: Council, on_text: Say) -> None:
    async for event in model_events.events(agents.speaker(model), prompt, turn, agents.LIMITS, council.usage):
        if piece := model_events.text_of(event):
            council.content += piece
            await on_text(piece)


def _given(prompt: Sequence[str], views: list[View]) -> list[str]:
    """The question behind what the others said, which is data: it may repeat what strangers wrote."""
    return [*(_opinion(view) for view in views if view.status == "done"), *prompt]


def _opinion(view: View) -> str:
    name = agents_data.profile(view.agent).name
    # A view may cite, unlike what strangers wrote: marks that no tool gave are dropped from the answer.
    return origins.labelled(f"parere di {name}", view.content, VIEW_CHARACTERS).replace("[ [r", "[[r")
