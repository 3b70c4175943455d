"""Have the provider's model write one text, without tools and without a conversation.

Imports pydantic-ai: in a thread, or after a model was built.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic_ai import Agent
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from functions._shared.assistant import model_events

LIMITS = UsageLimits(request_limit=1, input_tokens_limit=20_000, output_tokens_limit=4_000)


@dataclass
class Text:
    """A text while it grows, and what the provider counted."""

    content: str = ""
    usage: RunUsage = field(default_factory=RunUsage)


async def compose(model: Model, instructions: str, prompt: str, text: Text) -> None:
    """Write `text` as it comes. Raises what the model raises; what it used counts even then."""
    agent = Agent(model, name="lettera", instructions=instructions, retries=0)
    async for event in model_events.events(agent, prompt, None, LIMITS, text.usage):
        text.content += model_events.text_of(event)
