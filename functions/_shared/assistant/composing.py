"""Have the provider's model write one text, without tools and without a conversation.

Imports pydantic-ai: in a thread, or after a model was built.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from pydantic_ai import Agent
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

LIMITS = UsageLimits(request_limit=1, input_tokens_limit=20_000, output_tokens_limit=4_000)


@dataclass
class Text:
    """A text while it grows, and what the provider counted."""

    content: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


async def compose(model: Model, instructions: str, prompt: str, text: Text) -> None:
    """Write `text` as it comes. Raises what the model raises; what it used counts even then."""
    agent = Agent(model, name="lettera", instructions=instructions, retries=0)
    async with agent.run_stream_events(prompt, usage_limits=LIMITS) as events:
        try:
            async for event in events:
                text.content += _piece(event)
        finally:
            # A run that never began has no usage.
            with suppress(UserError):
                text.tokens_in, text.tokens_out = events.usage.input_tokens, events.usage.output_tokens


def _piece(event: object) -> str:
    match event:
        case PartStartEvent(part=TextPart(content=piece)):
            return piece
        case PartDeltaEvent(delta=TextPartDelta(content_delta=piece)):
            return piece
    return ""
