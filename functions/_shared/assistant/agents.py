"""The five characters as pydantic-ai agents. Importing this takes seconds: only in a thread."""

from __future__ import annotations

from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from functions._shared.assistant import agents_data, limits
from functions._shared.assistant.tools import registry
from functions._shared.assistant.turn import Turn

# What one agent may use up in a turn.
LIMITS = UsageLimits(
    request_limit=limits.MODEL_STEPS,
    tool_calls_limit=limits.TOOL_CALLS,
    input_tokens_limit=400_000,
    output_tokens_limit=2 * limits.ANSWER_TOKENS,
)
# A tool that was called wrongly may be called again so often.
RETRIES = 2
TOOL_TIMEOUT_S = 15.0
DAYS = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")


def build(agent_id: str, model: Model, turn: Turn) -> Agent[Turn, str]:
    """One of the five, with the tools it may use in this turn: only the Esecutore proposes, the others look."""
    profile = agents_data.profile(agent_id)
    return _agent(profile.id, model, profile.instructions, registry.toolset(profile.id, turn))


def reviewer(model: Model, turn: Turn) -> Agent[Turn, str]:
    """The Etico, who reviews what the others of the council say."""
    etico = agents_data.profile("etico")
    told = f"{etico.instructions}\n\n{agents_data.REVIEWS}"
    return _agent(etico.id, model, told, registry.toolset(etico.id, turn))


def speaker(model: Model) -> Agent[Turn, str]:
    """Who makes one answer of the council's views; it has no tools."""
    return _agent(agents_data.COUNCIL, model, agents_data.MERGED, [])


def _agent(name: str, model: Model, told: str, tools: list[Tool[Turn]]) -> Agent[Turn, str]:
    def instructions(ctx: RunContext[Turn]) -> str:
        # One text: the templates of some open models know one system message only.
        return f"{told}\n\n{today(ctx.deps)}"

    return Agent(
        model,
        name=name,
        deps_type=Turn,
        instructions=instructions,
        tools=tools,
        retries=RETRIES,
        tool_timeout=TOOL_TIMEOUT_S,
    )


def today(turn: Turn) -> str:
    """The day it is for the person; the hour would spoil what a provider keeps of the beginning."""
    now = turn.local_now
    return f"Oggi è {DAYS[now.weekday()]} {now.date().isoformat()}, in Italia."
