"""The model without a provider, as pydantic-ai knows models. Importing this takes seconds: only in a thread.

It is deterministic: the conversation and the results of tools so far decide the next call, or the answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic_ai._run_context import RunContext, get_current_run_context
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings

from functions._shared.assistant.local import turns
from functions._shared.assistant.local.plans.all import advance
from functions._shared.assistant.local.steps import Answer, Call, Result, Scene
from functions._shared.assistant.turn import Turn

NAME = "locale"
# Characters of one piece of a streamed answer; citations are put together by whoever shows them.
PIECE = 120


class LocalModel(Model[None]):
    """Answers from the person's own rows, by rules; costs nothing and asks nobody."""

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def system(self) -> str:
        return NAME

    @property
    def provider(self) -> None:
        return None

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,  # noqa: ARG002  # nothing to set
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The next call of a tool, or the answer."""
        step = _step(messages, model_request_parameters, get_current_run_context())
        return ModelResponse([_part(step, messages)], model_name=NAME)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,  # noqa: ARG002  # nothing to set
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """The same, piece by piece."""
        step = _step(messages, model_request_parameters, run_context or get_current_run_context())
        yield _Streamed(model_request_parameters, _said=_part(step, messages))


@dataclass
class _Streamed(StreamedResponse):
    """An answer that is known already, told in pieces."""

    _said: TextPart | ToolCallPart = field(kw_only=True)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        said = self._said
        if isinstance(said, ToolCallPart):
            yield self._parts_manager.handle_part(vendor_part_id="call", part=said)
            return
        for start in range(0, len(said.content), PIECE):
            piece = said.content[start : start + PIECE]
            for event in self._parts_manager.handle_text_delta(vendor_part_id="text", content=piece):
                yield event

    async def close_stream(self) -> None:
        """There is no connection to close."""

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def provider_name(self) -> None:
        return None

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return ModelResponse([]).timestamp


def _step(
    messages: Sequence[ModelMessage], parameters: ModelRequestParameters, run: RunContext[Any] | None
) -> Call | Answer:
    """The next call or the answer; in the end the turn has what may be clicked and what was computed."""
    if run is None or run.deps is None:
        raise UserError("the local model needs the turn as deps")
    # Not asked by isinstance: while developing, functions are loaded anew beside what a thread has imported.
    turn: Turn = run.deps
    rounds, question, results = _told(messages)
    agent = run.agent.name if run.agent and run.agent.name else "automatico"
    found = turns.understood(
        rounds,
        question,
        turn.local_now.replace(tzinfo=None),
        is_picked=turn.picked is not None,
        has_papers=bool(turn.attachments),
    )
    turn.is_read_by_likeness = found.said.is_learned
    scene = Scene(
        now=turn.local_now.replace(tzinfo=None),
        said=found.said,
        before=found.before,
        listed=found.listed,
        choice=found.choice,
        picked=turn.picked.handle if turn.picked else None,
        question=question,
        agent=agent,
        tools=frozenset(each.name for each in parameters.declared_function_tools),
        attachments=len(turn.attachments),
    )
    step = advance(scene, results)
    if isinstance(step, Answer):
        turn.results.append({"derived": list(step.derived)})
        turn.suggestions += [_suggestion(each, turn) for each in step.suggestions]
    return step


def _suggestion(each: Any, turn: Turn) -> dict[str, Any]:
    ref = turn.refs.get(each.ref) if each.ref else None
    return {"label": each.label, "text": each.text, "ref": ref and {"kind": ref.kind, "id": ref.id, "label": ref.label}}


def _part(step: Call | Answer, messages: Sequence[ModelMessage]) -> TextPart | ToolCallPart:
    if isinstance(step, Answer):
        return TextPart(step.text)
    return ToolCallPart(step.tool, step.args, tool_call_id=f"local-{len(messages)}")


def _told(messages: Sequence[ModelMessage]) -> tuple[list[turns.Round], str, list[Result]]:
    """The rounds so far, the question that is open, and what tools returned for it."""
    rounds: list[turns.Round] = []
    question, answer, results = "", "", list[Result]()
    for message in messages:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, UserPromptPart):
                    if question:
                        rounds.append((question, answer))
                    question, answer, results = _text(part), "", []
                elif isinstance(part, ToolReturnPart):
                    results.append(_result(part.content))
                elif isinstance(part, RetryPromptPart):
                    results.append(
                        {"refused": True, "reason": "la richiesta non è completa: prova a dirla in un altro modo"}
                    )
        else:
            answer += "".join(part.content for part in message.parts if isinstance(part, TextPart))
    return rounds, question, results


def _result(content: Any) -> Result:
    return dict(content) if isinstance(content, dict) else {"text": str(content)}


def _text(part: UserPromptPart) -> str:
    """The question; what stands beside it comes before."""
    if isinstance(part.content, str):
        return part.content
    texts = [each for each in part.content if isinstance(each, str)]
    return texts[-1] if texts else ""
