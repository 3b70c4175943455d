"""Read what a model says while it runs. Imports pydantic-ai: in a thread, or after a model was built."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import TypeVar

from pydantic_ai import Agent
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.usage import RunUsage, UsageLimits

DepsT = TypeVar("DepsT")


async def events(
    agent: Agent[DepsT, str], prompt: str | Sequence[str], deps: DepsT, limits: UsageLimits, usage: RunUsage,
    history: Sequence[ModelMessage] = (),
) -> AsyncIterator[object]:  # fmt: skip
    """Go through a run of an agent. Adds what it used to `usage`, also when it fails; raises what the model raises."""
    async with agent.run_stream_events(prompt, message_history=history, deps=deps, usage_limits=limits) as run:
        try:
            async for event in run:
                yield event
        finally:
            # A run that never began has no usage.
            with suppress(UserError):
                usage.incr(run.usage)


def text_of(event: object) -> str:
    """Return the piece of the answer that an event brings; empty for any other event."""
    match event:
        case PartStartEvent(part=TextPart(content=text)):
            return text
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return text
    return ""
