"""What a sentence wants: an intent and its slots, by the rules of intents.json in order; the first that holds wins.

Nothing is guessed that would write: an order has to begin as orders do, a question is none, and what a slot takes must
be what it stands for (a day, a stage, a telephone number).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from functions._shared.assistant.local import details, names, table
from functions._shared.assistant.local.words import Sentence, plain, sentence_of

WRITES = table.words("writes")
# What is asked or told of what happened is no order.
_NO_ORDER = table.words("telling") | frozenset(table.CLASSES["DONE"])


@dataclass(frozen=True)
class Said:
    """What the person wants. `slots` holds only what they said."""

    intent: str
    slots: dict[str, Any] = field(default_factory=dict)

    @property
    def writes(self) -> bool:
        """Whether a tool that changes something would be proposed."""
        return self.intent in WRITES


def understand(text: str, now: datetime) -> Said:
    """Reads one sentence without what was said before; «unknown» when no rule holds."""
    whole = sentence_of(text)
    if not whole.words:
        return Said("unknown")
    said = plain(whole)
    for rule in table.RULES:
        if rule.intent in WRITES and said.asks and said.words[0].norm in _NO_ORDER:
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
