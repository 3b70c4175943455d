"""Turn citations into footnotes and remove what an answer must not contain (CHAT-07, ATTACK-14).

`[[r3]]` of a record that a tool returned becomes `[^1]`, numbered by first use. Any other marker, footnote, tag, image,
remote link or invisible character is removed before a browser sees it.

Text comes in pieces of any size and leaves as soon as nothing that follows can change it. Scanners run one after the
other, each on what the one before let through. What one takes away never makes neighbours of signs that it or an
earlier one would have taken away: hence a space, or a sign that goes with the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from functions._shared.assistant import markup, origins
from functions._shared.assistant.markup import Step
from functions._shared.assistant.turn import Ref, Refs

# As much of a line as a rule looks back on.
_LINE = 1200


@dataclass(frozen=True)
class Piece:
    """Text of the answer, safe to be shown."""

    text: str


@dataclass(frozen=True)
class CitedRef:
    """A record that the answer cites for the first time, as `[^n]`."""

    n: int
    ref: Ref

    def to_json(self) -> dict[str, Any]:
        """As the client and `messages.refs` have it."""
        return {"n": self.n, **self.ref.to_json()}


class Filter:
    """One answer on its way out; `cited` is what it has cited so far, by number."""

    def __init__(self, refs: Refs) -> None:
        self.cited: list[CitedRef] = []
        self._refs = refs
        self._told = 0
        self._scanners = (
            _Scanner(origins.UNSEEN, markup.unseen),
            _Scanner("[⟦⟧]", markup.fence),
            _Scanner("<", markup.tag),
            _Scanner(r"[\[!(:]", markup.brackets(self._cite)),
            _Scanner("[dfhjvwDFHJVW:]", markup.address),
            _Scanner("&", markup.entity),
        )

    def feed(self, text: str) -> list[Piece | CitedRef]:
        """What may be shown now: the records first that the text cites for the first time."""
        return self._pass(text, final=False)

    def flush(self) -> list[Piece | CitedRef]:
        """What was held back, at the end of the answer."""
        return self._pass("", final=True)

    def _pass(self, text: str, final: bool) -> list[Piece | CitedRef]:
        for scanner in self._scanners:
            text = scanner.feed(text, final)
        told, self._told = self._told, len(self.cited)
        pieces: list[Piece | CitedRef] = [*self.cited[told:]]
        return [*pieces, Piece(text)] if text else pieces

    def _cite(self, handle: str) -> str:
        """The marker of a record that was handed out; nothing for any other."""
        ref = self._refs.get(handle)
        if ref is None:
            return ""
        known = next((cited.n for cited in self.cited if cited.ref == ref), None)
        if known is None:
            known = len(self.cited) + 1
            self.cited.append(CitedRef(known, ref))
        return f"[^{known}]"


class _Scanner:
    """Hands each special character to a rule, and keeps what the rule cannot decide yet."""

    def __init__(self, special: str, rule: Callable[[str, int, bool, str], Step]) -> None:
        self._special = re.compile(special)
        self._rule = rule
        self._held = ""
        # The line so far, as it left.
        self._line = ""

    def feed(self, text: str, final: bool) -> str:
        held, place, out = self._held + text, 0, list[str]()
        while place < len(held):
            found = self._special.search(held, place)
            end = found.start() if found else len(held)
            step: Step = (end - place, held[place:end])
            if end == place:
                step = self._rule(held, place, final, self._line)
            if step is None:
                break
            place += step[0]
            out.append(step[1])
            self._line = (self._line + step[1]).rpartition("\n")[2][-_LINE:]
        self._held = held[place:]
        return "".join(out)
