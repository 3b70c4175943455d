"""What the fake model says next: a script of rules, or a fault chosen by the name of the model."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field, fields
from typing import Any

from tests.fakes.llm import obeys
from tests.fakes.llm.asked import Asked

MEGABYTE = 1024 * 1024
# So many requests are remembered.
REMEMBERED = 500


@dataclass(frozen=True)
class Answer:
    """One answer, and how badly it is given. Tokens are words; the pieces of a tool's arguments count too."""

    text: str = ""
    # Tools to call: {"name", "arguments": an object, or text that need not be JSON}.
    calls: tuple[dict[str, Any], ...] = ()
    # Not 200: an error in the provider's format, with a Retry-After if one is given.
    status: int = 200
    retry_after: str | None = None
    location: str | None = None
    # After so many tokens the connection is cut, or the body ends as if that were all, or nothing more comes until
    # `release`; at 0 before the first byte.
    cut_after: int | None = None
    short_after: int | None = None
    stall_after: int | None = None
    # Between two tokens.
    pace_s: float = 0.0
    garbage: bool = False
    endless: bool = False
    # Does whatever any text it sees asks for.
    obeys: bool = False

    @classmethod
    def of(cls, given: dict[str, Any]) -> Answer:
        """From JSON. Raises ValueError on a name it does not know."""
        if unknown := set(given) - {each.name for each in fields(cls)}:
            raise ValueError(f"An answer has no {', '.join(sorted(unknown))}")
        return cls(**{**given, "calls": tuple(given.get("calls", ()))})


@dataclass(frozen=True)
class Rule:
    """For which requests: patterns for the last words of the person and for the instructions. Step n answers the
    request that has n rounds of tool results after those words; the last step answers all further ones."""

    steps: tuple[Answer, ...]
    when: str = ""
    system: str = ""

    @classmethod
    def of(cls, given: dict[str, Any]) -> Rule:
        """From JSON."""
        return cls(tuple(map(Answer.of, given["steps"])), given.get("when", ""), given.get("system", ""))

    def answer(self, asked: Asked) -> Answer | None:
        """Its answer, if it is for this request."""
        if not (_found(self.when, asked.question) and _found(self.system, asked.system)):
            return None
        return self.steps[min(asked.rounds, len(self.steps) - 1)]


@dataclass
class Received:
    """One request, and what became of it: open, done, cut (by us) or left (by the client)."""

    path: str
    key: str
    body: dict[str, Any]
    state: str = "open"
    tokens: int = 0


@dataclass
class Fake:
    """The memory of the fake."""

    rules: list[Rule] = field(default_factory=list)
    # Answers of the next requests, whatever they ask, before any rule.
    queue: list[Answer] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, received: Received) -> None:
        """Remembers a request."""
        self.received.append(received)
        del self.received[:-REMEMBERED]

    def script(self, *, rules: list[dict[str, Any]] | None = None, queue: list[dict[str, Any]] | None = None) -> None:
        """Another script, and what stalled before goes on. Raises ValueError, KeyError."""
        self.rules, self.queue = list(map(Rule.of, rules or [])), list(map(Answer.of, queue or []))
        self.released.set()
        self.released = asyncio.Event()

    def answer(self, asked: Asked) -> Answer:
        """What to say: the queue, then the model's name, then the first rule that fits, then something plain."""
        found = self._next(asked)
        return Answer(**obeys.to(asked)) if found.obeys else found

    def _next(self, asked: Asked) -> Answer:
        if self.queue:
            return self.queue.pop(0)
        if named := by_name(asked.model, asked):
            return named
        return next((found for rule in self.rules if (found := rule.answer(asked))), plain(asked))


def plain(asked: Asked) -> Answer:
    """Says what was found, citing all of it, or what was asked."""
    if not asked.rounds:
        return Answer(text=f"Hai chiesto: {asked.question}")
    handles = dict.fromkeys(re.findall(r'"ref": ?"(r\d+)"', "\n".join(asked.results)))
    return Answer(text="Ho trovato: " + (", ".join(f"[[{handle}]]" for handle in handles) or "nulla") + ".")


def by_name(model: str, asked: Asked) -> Answer | None:
    """A fault that the name of the model asks for, as in `cut-3`."""
    if not (read := re.fullmatch(r"([a-z]+)(?:-(\d+(?:\.\d+)?))?", model)):
        return None
    name, number = read[1], float(read[2]) if read[2] else None
    words = f"Rispondo a: {asked.question} " + "parola " * 30
    tool = next(iter(asked.tools), "nothing")
    named = {
        "obeys": Answer(obeys=True),
        "error": Answer(status=int(number or 500)),
        "busy": Answer(status=429, retry_after=f"{number or 1:g}"),
        "redirect": Answer(status=307, location="http://127.0.0.1:9/elsewhere"),
        "cut": Answer(words, cut_after=3 if number is None else int(number)),
        "short": Answer(words, short_after=3 if number is None else int(number)),
        "stall": Answer(words, stall_after=int(number or 0)),
        "slow": Answer(words, pace_s=number or 1.0),
        "garbage": Answer(words, garbage=True),
        "empty": Answer(),
        "endless": Answer(endless=True),
        "unknowntool": _calling("no_such_tool", {"a": 1}),
        "wrongarguments": _calling(tool, {"no_such_argument": [None]}),
        "brokenarguments": _calling(tool, '{"query": "non fin'),
        "bigargument": _calling(tool, dict.fromkeys(asked.parameters(tool) or ["query"], "x" * MEGABYTE)),
    }
    return named.get(name)


def _calling(name: str, arguments: dict[str, Any] | str) -> Answer:
    return Answer(calls=({"name": name, "arguments": arguments},))


def arguments_text(call: dict[str, Any]) -> str:
    """A call's arguments as they are sent."""
    given = call.get("arguments", {})
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None
