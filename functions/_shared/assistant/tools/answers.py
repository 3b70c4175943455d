"""What every answer of a tool keeps to: at most 50 rows and 12 KB, handles instead of ids, and marks on what strangers
wrote.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from functions._shared.assistant import origins
from functions._shared.assistant.turn import Turn

MAX_ROWS = 50
MAX_BYTES = 12_000
MAX_TEXT = 600
# Contacts and deals that no person typed in: whatever stands in their fields may have been written by anybody.
FOREIGN_ORIGINS = frozenset({"import", "whatsapp", "email", "documento", "modulo"})
# Who wrote the title of a task or a project: its person, by hand or by us.
OWN_ORIGINS = frozenset({"manuale", "demo", "assistente"})

Answer = dict[str, Any]


class Arguments(BaseModel):
    """What a tool may be told; anything else is refused. What nobody sees, and fences that a model copied, go."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _clean(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {key: origins.bare(value) if isinstance(value, str) else value for key, value in given.items()}


Given = TypeVar("Given", bound=Arguments)


@dataclass(frozen=True)
class Read(Generic[Given]):
    """A tool that only looks. `step` is what the person reads while it does; its docstring is what models read."""

    name: str
    step: str
    arguments: type[Given]
    run: Callable[[Turn, Given], Awaitable[Answer]]
    needs_memory: bool = False


class Unanswered(Exception):
    """What was named is not sure: `answer` says so to the model, and nothing else was done."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(str(answer))
        self.answer = answer


async def answered(turn: Turn, read: Read[Any], given: Arguments) -> Answer:
    """Runs a tool and notes what it answered, for the check of figures."""
    try:
        answer = bounded(await read.run(turn, given))
    except Unanswered as unsure:
        answer = unsure.answer
    turn.results.append(answer)
    return answer


def listed(rows: Iterable[Answer], count: int | None = None, **more: Any) -> Answer:
    """`{"rows", "count", "more"}`; `count` is of all there are, when that is more than what is shown."""
    shown = list(rows)
    total = len(shown) if count is None else count
    return {"rows": shown[:MAX_ROWS], "count": total, "more": total > min(len(shown), MAX_ROWS), **more}


def bounded(answer: Answer) -> Answer:
    """The answer without the last rows of its longest list, as long as it is too large."""
    while size(answer) > MAX_BYTES:
        holders = [each for each in (answer, *answer.values()) if isinstance(each, dict) and each.get("rows")]
        if not holders:
            break
        longest = max(holders, key=lambda each: size(each["rows"]))
        longest["rows"].pop()
        longest["more"] = True
    return answer


def size(value: Any) -> int:
    """In bytes, as JSON."""
    return len(json.dumps(value, ensure_ascii=False).encode())


def short(text: str | None, most: int = MAX_TEXT) -> str | None:
    """A text that is cut, with an ellipsis, when it is long."""
    if text is None or len(text) <= most:
        return text
    return text[: most - 1].rstrip() + "…"


def foreign(turn: Turn, origin: str, text: str | None, most: int = MAX_TEXT) -> str | None:
    """A text that a stranger may have written: from here on the turn has read it."""
    cut = short(origins.visible(text), most) if text else None
    if cut:
        turn.tainted_by.add(origin)
        turn.untrusted.append(cut)
    return cut


def quoted(turn: Turn, origin: str, text: str | None, most: int = MAX_TEXT) -> str | None:
    """As `foreign`, of a text long enough to instruct: fenced and labelled as data."""
    cut = foreign(turn, origin, text, most)
    return origins.labelled(origin, cut) if cut else None


def present(values: Mapping[str, Any]) -> Answer:
    """Without what is not there: a model reads less, and finds what is."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}
