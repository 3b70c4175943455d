"""An answer as far as it has been told: its text behind the last gate, what it cites, its cards, views and end."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from functions._shared.assistant import citations, limits
from functions._shared.assistant.feed import Feed
from functions._shared.assistant.turn import Refs, Turn

ONLY_CARDS = "Ecco la proposta: guardala qui sotto e decidi tu."
TOO_LONG = "\n\n*Mi fermo qui: la risposta è diventata troppo lunga.*"

TOO_MANY_STEPS = "\n\n*Mi fermo qui: servirebbero troppi passaggi. Dividi la richiesta in più domande.*"


class TooLong(Exception):
    """The answer has as many characters as an answer may have; what follows is not wanted."""


class Silent(Exception):
    """Who answers has said nothing for too long."""


@dataclass
class Told:
    """What readers of a run have been told. The text leaves through `say` only."""

    turn: Turn
    feed: Feed
    agent: str | None = None
    _views: dict[str, dict[str, Any]] = field(default_factory=dict)
    unverified: list[tuple[int, int]] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    # Of the price; what is charged when the person stops it.
    finished_share: float = 0.0
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _is_full: bool = False
    _cards: int = 0

    def __post_init__(self) -> None:
        self._filter = citations.Filter(self.turn.refs)

    @property
    def content(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    @property
    def refs(self) -> list[dict[str, Any]]:
        """What it cites, in the order of their numbers."""
        return [cited.to_json() for cited in self._filter.cited]

    @property
    def views(self) -> list[dict[str, Any]]:
        """Of a council, in the order in which they began."""
        return list(self._views.values())

    def by(self, agent: str) -> None:
        """Who answers."""
        self.agent = agent
        self.feed.tell("agent", {"agent": agent})

    def say(self, text: str) -> None:
        """A piece of text as a model gave it. Raises TooLong."""
        self._pass(self._filter.feed(limits.clean(text)))

    def flush(self) -> None:
        """The text is over: what the gate holds back leaves."""
        with suppress(TooLong):
            self._pass(self._filter.flush())

    def view(self, view: Mapping[str, Any]) -> None:
        """What one agent of a council says; its records are not numbered, so it cites none."""
        gate = citations.Filter(Refs())
        pieces = [*gate.feed(limits.clean(view["content"])), *gate.flush()]
        content = "".join(piece.text for piece in pieces if isinstance(piece, citations.Piece))
        shown = {"agent": view["agent"], "content": content, "status": view["status"]}
        self._views[shown["agent"]] = shown
        self.feed.tell("view", shown)

    def cards(self) -> None:
        """The proposals that were made since the last time."""
        for row in self.turn.proposals[self._cards :]:
            self.feed.tell("card", row)
        self._cards = len(self.turn.proposals)

    def _pass(self, passed: list[citations.Piece | citations.CitedRef]) -> None:
        for each in passed:
            if isinstance(each, citations.CitedRef):
                self.feed.tell("ref", each.to_json())
            else:
                self._delta(each.text)

    def _delta(self, text: str) -> None:
        if not self._pieces:
            text = text.lstrip()
        shown = text[: max(0, limits.ANSWER_CHARACTERS - self._length)]
        is_whole = shown == text
        if not is_whole and not self._is_full:
            self._is_full = True
            shown += TOO_LONG
        if shown:
            self._pieces.append(shown)
            self._length += len(shown)
            self.feed.tell("delta", {"text": shown})
        if not is_whole:
            raise TooLong
