"""Asks a model and tells what it says: one agent, or the council. Imports pydantic-ai, so it is loaded in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.exceptions import UsageLimitExceeded, UserError
from pydantic_ai.messages import (
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ModelMessage,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from functions._shared.assistant import agents, agents_data, council, history, limits, provider
from functions._shared.assistant.local import turns
from functions._shared.assistant.local.model import LocalModel
from functions._shared.assistant.told import TOO_MANY_STEPS, Silent, Told, TooLong
from functions._shared.assistant.tools import registry
from functions._shared.assistant.turn import Turn

# Three agents, the one that reviews, and the one answer made of them.
COUNCIL_STEPS = 5
# Made here, in the thread that imports this: the first model loads half a second of tables.
LOCAL = LocalModel()


async def answer(
    choice: provider.Choice | None, wanted: str, branch: history.Branch, told: Told, *, is_deep: bool
) -> None:
    """Tells the answer to the question of a turn, of the agent that was wanted.

    Raises Silent, provider.Unavailable and what models raise.
    """
    agent_id = _chosen(branch, told.turn) if wanted == agents_data.AUTOMATIC else wanted
    told.by(agent_id)
    # The voices of a council weigh each other instead.
    thinks = is_deep and agent_id != agents_data.COUNCIL
    said = history.messages(branch.said)
    model: Model | None = LOCAL
    prompt = [told.turn.question]
    if choice is not None:
        model = await provider.model(told.turn.context, provider.DEEP if thinks else None)
        prompt = [*await history.beside(told.turn), *prompt]
    assert model is not None
    if agent_id == agents_data.COUNCIL:
        await _council(model, prompt, said, told)
        _once(told.turn.suggestions)
        return
    agent = agents.build(agent_id, model, told.turn)
    if choice is None and wanted == agents_data.AUTOMATIC:
        # Rules know what they were asked to do: a guess of who should answer keeps them from nothing.
        tools = registry.toolset(agents_data.AUTOMATIC, told.turn)
        agent = Agent(model, name=agent_id, deps_type=Turn, tools=tools, retries=agents.RETRIES)
    await _one(agent, prompt, said, told, is_deep=thinks)


def _chosen(branch: history.Branch, turn: Turn) -> str:
    """Who answers by itself: what follows on a proposal («il primo», «sì») is a matter of who proposes."""
    rounds, now = turns.rounds_of(branch.said), turn.local_now.replace(tzinfo=None)
    follows = turns.agent_for(rounds, turn.question, now, is_picked=turn.picked is not None)
    return follows or agents_data.choose(turn.question)


def _once(suggestions: list[dict[str, Any]]) -> None:
    """Without what more than one voice suggests."""
    suggestions[:] = [each for place, each in enumerate(suggestions) if each not in suggestions[:place]]


async def _one(
    agent: Agent[Turn, str], prompt: list[str], said: list[ModelMessage], told: Told, *, is_deep: bool
) -> None:
    """The answer of one agent, which looks and proposes as it likes within the limits."""
    settings = ModelSettings(thinking="high") if is_deep else None
    async with agent.run_stream_events(
        prompt, message_history=said, deps=told.turn, usage_limits=agents.LIMITS, model_settings=settings
    ) as events:
        try:
            async with _heard_every(limits.DEEP_STALL_S if is_deep else limits.STALL_S) as heard:
                async for event in events:
                    heard()
                    _tell(event, told)
        except TooLong:
            return
        except UsageLimitExceeded:
            # What was said until then is an answer, and whoever reads it is told that it ends here.
            if not told.content:
                raise
            with suppress(TooLong):
                told.say(TOO_MANY_STEPS)
        finally:
            with suppress(UserError):
                told.tokens_in, told.tokens_out = events.usage.input_tokens, events.usage.output_tokens


async def _council(model: Model, prompt: list[str], said: list[ModelMessage], told: Told) -> None:
    """One answer made of several views, which are told as they come; a voice that falls silent stays out (guard)."""

    async def on_view(view: Mapping[str, Any]) -> None:
        told.view(view)
        told.finished_share = sum(each["status"] == "done" for each in told.views) / COUNCIL_STEPS

    async def on_text(text: str) -> None:
        told.say(text)

    with suppress(TooLong):
        merged = await council.run(told.turn, model, prompt, said, on_view, on_text)
        told.tokens_in, told.tokens_out = merged.tokens_in, merged.tokens_out


def _tell(event: object, told: Told) -> None:
    """What one event of a model means to readers."""
    match event:
        case PartStartEvent(part=TextPart(content=text)):
            if told.content:
                told.say("\n\n")
            told.say(text)
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            told.say(text)
        case FunctionToolCallEvent(part=part) if event.args_valid:
            told.feed.tell("step", {"tool": part.tool_name, "text": registry.step(part.tool_name)})
        case FunctionToolResultEvent():
            told.cards()


@asynccontextmanager
async def _heard_every(limit_s: float) -> AsyncIterator[Callable[[], None]]:
    """A block that ends with Silent unless what it yields is called again within that time, and again."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(limit_s) as silence:
            yield lambda: silence.reschedule(loop.time() + limit_s)
    except TimeoutError as error:
        if silence.expired():
            raise Silent from error
        raise
