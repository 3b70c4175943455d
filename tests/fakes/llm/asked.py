"""A request to a model, the same for both kinds of API."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Asked:
    """What the model sees."""

    model: str
    system: str
    # (role, text), oldest first; the role is user, assistant or tool.
    messages: tuple[tuple[str, str], ...]
    # Tools it may call: name to JSON schema of the arguments.
    tools: dict[str, dict[str, Any]]
    # Names of tools it has called since the last words of the person.
    called: tuple[str, ...]
    stream: bool

    @property
    def _last(self) -> int:
        spoken = [at for at, (role, _text) in enumerate(self.messages) if role == "user"]
        return spoken[-1] if spoken else -1

    @property
    def question(self) -> str:
        """The last words of the person."""
        return self.messages[self._last][1] if self._last >= 0 else ""

    @property
    def results(self) -> list[str]:
        """What tools returned since."""
        return [text for role, text in self.messages[self._last + 1 :] if role == "tool"]

    @property
    def rounds(self) -> int:
        """How often the model has called tools since."""
        roles = [role for role, _text in self.messages[self._last + 1 :]]
        return sum(role == "tool" and before != "tool" for before, role in zip(["", *roles], roles, strict=False))

    def parameters(self, tool: str) -> dict[str, Any]:
        """The schema of each argument of a tool."""
        found: dict[str, Any] = self.tools.get(tool, {}).get("properties", {})
        return found


def of_transcription(body: dict[str, Any]) -> Asked:
    """From a form of OpenAI's transcriptions: the name of the file is what is asked."""
    return Asked(body["model"], "", (("user", body["filename"]),), {}, (), stream=False)


def of_completions(body: dict[str, Any]) -> Asked:
    """From a body of OpenAI's chat completions."""
    turns = body.get("messages", [])
    spoken = [each for each in turns if each["role"] not in {"system", "developer"}]
    last = max((at for at, each in enumerate(spoken) if each["role"] == "user"), default=-1)
    return Asked(
        model=body.get("model", ""),
        system="\n".join(_text(each["content"]) for each in turns if each["role"] in {"system", "developer"}),
        messages=tuple((each["role"], _text(each.get("content"))) for each in spoken),
        tools={each["function"]["name"]: each["function"].get("parameters", {}) for each in body.get("tools") or []},
        called=tuple(call["function"]["name"] for each in spoken[last + 1 :] for call in each.get("tool_calls") or ()),
        stream=bool(body.get("stream")),
    )


def of_responses(body: dict[str, Any]) -> Asked:
    """From a body of OpenAI's responses."""
    flat: list[tuple[str, str]] = []
    called: list[str] = []
    told = [body.get("instructions") or ""]
    given = body.get("input", [])
    for each in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        kind, role = each.get("type", "message"), each.get("role", "")
        if kind == "function_call":
            called.append(each["name"])
        elif kind == "function_call_output":
            flat.append(("tool", _text(each["output"])))
        elif role in {"system", "developer"}:
            told.append(_text(each["content"]))
        elif kind == "message":
            if role == "user":
                called.clear()
            flat.append((role, _text(each["content"])))
    return Asked(
        model=body.get("model", ""),
        system="\n".join(told),
        messages=tuple(flat),
        tools={each["name"]: each.get("parameters") or {} for each in body.get("tools") or []},
        called=tuple(called),
        stream=bool(body.get("stream")),
    )


def of_messages(body: dict[str, Any]) -> Asked:
    """From a body of Anthropic's messages."""
    flat: list[tuple[str, str]] = []
    called: list[str] = []
    for each in body.get("messages", []):
        blocks = each["content"] if isinstance(each["content"], list) else [{"type": "text", "text": each["content"]}]
        for block in blocks:
            if block["type"] == "tool_use":
                called.append(block["name"])
            elif block["type"] == "tool_result":
                flat.append(("tool", _text(block.get("content"))))
            elif block["type"] == "text":
                if each["role"] == "user":
                    called.clear()
                flat.append((each["role"], block["text"]))
    return Asked(
        model=body.get("model", ""),
        system=_text(body.get("system")),
        messages=tuple(flat),
        tools={each["name"]: each.get("input_schema", {}) for each in body.get("tools") or []},
        called=tuple(called),
        stream=bool(body.get("stream")),
    )


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content if isinstance(content, str) else "" if content is None else json.dumps(content)
