"""An answer in the words of three APIs: OpenAI's chat completions and responses, Anthropic's messages.

A frame is (text, tokens): what is sent at once, and how many of the answer's tokens are in it.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from tests.fakes.llm.asked import Asked
from tests.fakes.llm.script import Answer, arguments_text

Frame = tuple[str, int]
# A tool's arguments come in pieces of so many characters.
PIECE = 4096


def tokens(answer: Answer) -> Iterator[str]:
    """The words of an answer, each with the space behind it; an endless one never ends."""
    if answer.endless:
        return (f"parola{number} " for number in itertools.count())
    return iter(re.findall(r"\S+\s*|\s+", answer.text))


def count(answer: Answer, asked: Asked) -> tuple[int, int]:
    """Tokens in and out, roughly as a provider bills them."""
    read = len(asked.system.split()) + sum(len(text.split()) for _role, text in asked.messages)
    return read, len(answer.text.split()) + sum(len(arguments_text(call)) // 4 + 1 for call in answer.calls)


def completion(answer: Answer, asked: Asked) -> dict[str, Any]:
    """OpenAI's, whole."""
    calls = [
        {"id": f"call_{at}", "type": "function", "function": {"name": call["name"], "arguments": arguments_text(call)}}
        for at, call in enumerate(answer.calls)
    ]
    message = {"role": "assistant", "content": answer.text or None} | ({"tool_calls": calls} if calls else {})
    ending = "tool_calls" if calls else "stop"
    choice = {"index": 0, "finish_reason": ending, "message": message}
    return {**_head(asked, "chat.completion"), "choices": [choice], "usage": _usage(answer, asked)}


def completion_stream(answer: Answer, asked: Asked) -> Iterator[Frame]:
    """OpenAI's, as a stream."""
    head = _head(asked, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], ending: str | None = None) -> str:
        return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": ending}]})

    yield chunk({"role": "assistant", "content": ""}), 0
    for word in tokens(answer):
        yield chunk({"content": word}), 1
    for at, call in enumerate(answer.calls):
        function = {"name": call["name"], "arguments": ""}
        yield chunk({"tool_calls": [{"index": at, "id": f"call_{at}", "type": "function", "function": function}]}), 1
        for piece in _pieces(arguments_text(call)):
            yield chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]}), 1
    yield chunk({}, "tool_calls" if answer.calls else "stop"), 0
    yield _event({**head, "choices": [], "usage": _usage(answer, asked)}), 0
    yield "data: [DONE]\n\n", 0


def response(answer: Answer, asked: Asked) -> dict[str, Any]:
    """OpenAI's newer way, whole."""
    output = [_item("text", answer.text, asked, 0)] if answer.text else []
    output += [_item(call["name"], arguments_text(call), asked, at) for at, call in enumerate(answer.calls, 1)]
    read, written = count(answer, asked)
    used = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {**_responding(asked), "status": "completed", "output": output, "usage": {**used, **details}}


def response_stream(answer: Answer, asked: Asked) -> Iterator[Frame]:
    """OpenAI's newer way, as a stream."""
    numbers = itertools.count()

    def event(kind: str, /, **data: Any) -> str:
        return _named(f"response.{kind}", sequence_number=next(numbers), **data)

    yield event("created", response=_responding(asked)), 0
    if answer.text or answer.endless:
        item = _item("text", "", asked, 0)
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        part = {"type": "output_text", "text": "", "annotations": []}
        yield event("output_item.added", output_index=0, item={**item, "status": "in_progress", "content": []}), 0
        yield event("content_part.added", **place, part=part), 0
        for word in tokens(answer):
            yield event("output_text.delta", **place, delta=word, logprobs=[]), 1
        yield event("output_text.done", **place, text=answer.text, logprobs=[]), 0
        yield event("content_part.done", **place, part={**part, "text": answer.text}), 0
        yield event("output_item.done", output_index=0, item=_item("text", answer.text, asked, 0)), 0
    for at, call in enumerate(answer.calls, 1):
        item = _item(call["name"], arguments_text(call), asked, at)
        place = {"item_id": item["id"], "output_index": at}
        yield event("output_item.added", output_index=at, item={**item, "status": "in_progress", "arguments": ""}), 1
        for piece in _pieces(item["arguments"]):
            yield event("function_call_arguments.delta", **place, delta=piece), 1
        yield event("function_call_arguments.done", **place, name=item["name"], arguments=item["arguments"]), 0
        yield event("output_item.done", output_index=at, item=item), 0
    yield event("completed", response=response(answer, asked)), 0


def _responding(asked: Asked) -> dict[str, Any]:
    fixed = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None}
    head = {"id": f"resp_{len(asked.messages)}", "object": "response", "created_at": 1_700_000_000}
    return {**head, **fixed, "model": asked.model, "status": "in_progress", "output": []}


def _item(name: str, text: str, asked: Asked, at: int) -> dict[str, Any]:
    """A message at place 0, a call of a tool at any other."""
    number = f"{len(asked.messages)}_{at}"
    if at == 0:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    call = {"call_id": f"call_{number}", "name": name, "arguments": text, "status": "completed"}
    return {"id": f"fc_{number}", "type": "function_call", **call}


def message(answer: Answer, asked: Asked) -> dict[str, Any]:
    """Anthropic's, whole. It cannot send arguments that are no JSON."""
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    for at, call in enumerate(answer.calls):
        content.append({"type": "tool_use", "id": f"toolu_{at}", "name": call["name"], "input": call["arguments"]})
    read, written = count(answer, asked)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": content,
        "stop_reason": "tool_use" if answer.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": written},
    }


def message_stream(answer: Answer, asked: Asked) -> Iterator[Frame]:
    """Anthropic's, as a stream."""
    read, written = count(answer, asked)
    empty = {**message(Answer(), asked), "stop_reason": None, "usage": {"input_tokens": read, "output_tokens": 0}}
    yield _named("message_start", message=empty), 0
    texts = ({"type": "text_delta", "text": word} for word in tokens(answer))
    if answer.text or answer.endless:
        yield from _block(0, {"type": "text", "text": ""}, texts)
    for at, call in enumerate(answer.calls, start=1 if answer.text else 0):
        start = {"type": "tool_use", "id": f"toolu_{at}", "name": call["name"], "input": {}}
        inputs = ({"type": "input_json_delta", "partial_json": piece} for piece in _pieces(arguments_text(call)))
        yield from _block(at, start, inputs)
    ending = {"stop_reason": "tool_use" if answer.calls else "end_turn", "stop_sequence": None}
    yield _named("message_delta", delta=ending, usage={"output_tokens": written}), 0
    yield _named("message_stop"), 0


def _block(index: int, start: dict[str, Any], deltas: Iterable[dict[str, Any]]) -> Iterator[Frame]:
    yield _named("content_block_start", index=index, content_block=start), 0
    for delta in deltas:
        yield _named("content_block_delta", index=index, delta=delta), 1
    yield _named("content_block_stop", index=index), 0


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": asked.model}


def _usage(answer: Answer, asked: Asked) -> dict[str, int]:
    read, written = count(answer, asked)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + PIECE] for at in range(0, len(text), PIECE))


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"


def _named(kind: str, /, **data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"
