"""What a question most likely wants when no rule holds: words counted over the questions of examples.json.

Only what reads is ever told from here; an order has to be understood by the rules. A reading is taken when it is nearly
certain, else the nearest are offered to be clicked.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from functions._shared.assistant.local import details, names
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import plain, sentence_of

# Above it 94 of 100 readings were right, in sets that were not counted.
CERTAIN = 0.97
# Fewer known words say too little.
FEWEST_WORDS = 2
# Less likely readings are not offered; of the first more is asked.
LEAST = 0.02
LEAST_OF_FIRST = 0.5
# Letters that tell a word; its ending is grammar.
STEM = 6
# How far the frequency over all readings counts against that of one.
_SMOOTHING = 5.0
# Pairs depend on their words.
_PAIR = 0.5
_PRIOR = 0.5
# These say by themselves what is wanted.
_WITHOUT_SLOTS = frozenset(
    ("today", "to_call", "deals_total", "credits", "help", "who", "thanks", "greeting", "goodbye")
)
_FILLED = frozenset(
    ("tasks", "deals", "invoices", "list_memories", "ask_documents", "projects", "contact_field", "contact_summary")
)
_NO_READING = frozenset({"order", "other"})


@dataclass(frozen=True)
class _Counts:
    """How many examples each reading has, and how many of them hold a word."""

    readings: Counter[str]
    words: dict[str, Counter[str]]


def read(text: str, now: datetime) -> Said | None:
    """The reading that is nearly certain, with its slots; None when there is none, or when it would write."""
    ranked = _ranked(text)
    if not ranked or ranked[0][0] < CERTAIN:
        return None
    intent, *settings = ranked[0][1].split()
    if intent in _WITHOUT_SLOTS:
        return Said(intent)
    if intent not in _FILLED:
        return None
    slots = dict(each.split(":") for each in settings)
    found = details.complete(intent, dict(slots), plain(sentence_of(text)), now)
    if found is None or (intent == "contact_field" and not found[1].get("field")):
        return None
    if intent == "tasks" and found[1].get("when") == "tutti" and not {"on", "from"} & found[1].keys():
        return Said("tasks", found[1] | slots)
    return Said(found[0], found[1])


def nearest(text: str) -> list[str]:
    """The readings that come nearest, best first: those of examples.json, without orders and the rest."""
    ranked = _ranked(text)
    if not ranked or ranked[0][0] < LEAST_OF_FIRST or ranked[0][1] in _NO_READING:
        return []
    return [reading for share, reading in ranked[:3] if share >= LEAST and reading not in _NO_READING]


def _ranked(text: str) -> Sequence[tuple[float, str]]:
    counts = _counts()
    known = [each for each in _features(text) if each in counts.words]
    if sum(" " not in each for each in known) < FEWEST_WORDS:
        return []
    total = counts.readings.total()
    scores = {reading: _PRIOR * math.log(number / total) for reading, number in counts.readings.items()}
    for each in known:
        held, weight = counts.words[each], _PAIR if " " in each else 1.0
        usual = _SMOOTHING * held.total() / total
        for reading, number in counts.readings.items():
            scores[reading] += weight * math.log((held[reading] + usual) / (number + _SMOOTHING))
    best = max(scores.values())
    shares = {reading: math.exp(score - best) for reading, score in scores.items()}
    every = sum(shares.values())
    return sorted(((share / every, reading) for reading, share in shares.items()), reverse=True)


def _features(text: str) -> set[str]:
    """Words and pairs of words by their stems; a name is a name."""
    said = plain(sentence_of(text))
    named = names.places(said)
    stems = [
        "<name>" if place in named else word.norm[:STEM]
        for place, word in enumerate(said.words)
        if place in named or word.norm[0].isalpha()
    ]
    return {*stems, *(f"{left} {right}" for left, right in zip(["^", *stems], stems, strict=False))}


@cache
def _counts() -> _Counts:
    examples: dict[str, list[str]] = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))
    words: dict[str, Counter[str]] = {}
    for reading, texts in examples.items():
        for each in (feature for text in texts for feature in _features(text)):
            words.setdefault(each, Counter())[reading] += 1
    return _Counts(Counter({reading: len(texts) for reading, texts in examples.items()}), words)
