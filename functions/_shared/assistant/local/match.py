"""What a sentence wants: an intent and its slots, by the rules of intents.json in order; the first that holds wins.

Nothing is guessed that would write: an order has to begin as orders do, a question is none, and what a slot takes must
be what it stands for (a day, a stage, a telephone number).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from functions._shared.assistant.local import details, names, table, words
from functions._shared.assistant.local.words import Sentence, plain, sentence_of

WRITES = table.words("writes")
# What is asked or told of what happened is no order.
# A question is none of these, however it begins.
_ORDERS = WRITES | {"cannot"}
# What accompanies a request.
_ASIDES = frozenset({"unknown", "thanks", "greeting", "goodbye"})
_ASKING = frozenset(table.CLASSES["QUEST"]) - {"che", "cosa"}
_NO_ORDER = table.words("telling") | frozenset(table.CLASSES["DONE"])


@dataclass(frozen=True)
class Said:
    """What the person wants. `slots` holds only what they said; `is_learned`: no rule read it so."""

    intent: str
    slots: dict[str, Any] = field(default_factory=dict)
    is_learned: bool = field(default=False, compare=False)

    @property
    def writes(self) -> bool:
        """Whether a tool that changes something would be proposed."""
        return self.intent in WRITES


# A turn reads the questions before it at each of its steps.
@lru_cache(maxsize=64)
def understand(text: str, now: datetime) -> Said:
    """What a message wants without what was said before it; «unknown» when no rule holds.

    Of several sentences the last question counts, or the last that wants something; an order is read to its end.
    """
    text = words.spelled_out(text)
    parts = words.parts_of(text)
    first = _read(parts[0], now)
    if len(parts) == 1:
        return first
    if first.writes:
        return _read(text, now)
    read = [(part, first if place == 0 else _read(part, now)) for place, part in enumerate(parts)]
    wanting = [(part, said) for part, said in read if said.intent not in _ASIDES]
    asking = [said for part, said in wanting if part.endswith("?")]
    return asking[-1] if asking else wanting[-1][1] if wanting else _read(text, now)


def _read(text: str, now: datetime) -> Said:
    whole = sentence_of(text)
    if not whole.words:
        return Said("unknown")
    said = plain(whole)
    for rule in table.RULES:
        is_told = said.words[0].norm in _ASKING or (
            said.asks and said.words[0].norm in _NO_ORDER and not holds("HELP_ME", said)
        )
        if rule.intent in _ORDERS and is_told:
            continue
        slots = _taken(rule, said, whole)
        if slots is None:
            continue
        found = details.complete(rule.intent, rule.settings | slots, said, now)
        if found is not None:
            return Said(found[0], found[1])
    name = names.bare(said)
    return Said("contact_summary", {"contact": name}) if name else Said("unknown", {"question": text})


def holds(name: str, sentence: Sentence) -> bool:
    """Whether a class of words occurs."""
    return bool(table.OCCURS[name].search(sentence.line))


def _taken(rule: table.Rule, said: Sentence, whole: Sentence) -> dict[str, Any] | None:
    if rule.form is None:
        fits = all(holds(each, said) for each in rule.wanted) and not any(holds(each, said) for each in rule.unwanted)
        return {} if fits else None
    for sentence in (said,) if said is whole else (said, whole):
        if found := rule.form.match(sentence.line):
            return {
                name: sentence.part(sentence.place(found.start(name)), sentence.place(found.end(name)))
                for name, value in found.groupdict().items()
                if value
            }
    return None
