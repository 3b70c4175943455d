"""The same sentence as other people would write it: without capitals, about somebody else, with its circumstances."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

Phrase = dict[str, Any]
# People and firms, works, and circumstances that say nothing of what is wanted.
_LISTS: dict[str, list[str]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_OTHERS = {
    "contact": _LISTS["people"],
    "name": _LISTS["people"],
    "about": _LISTS["people"],
    "deal": [*_LISTS["works"], *_LISTS["people"]],
    "project": _LISTS["works"],
}
_WRITTEN = ("text", "contact", "name", "about", "deal", "project", "query", "title", "task", "when", "body", "fact")
_QUOTING = frozenset({"unknown", "greeting", "thanks", "goodbye", "who", "help"})


def varied(phrase: Phrase, chance: random.Random) -> list[Phrase]:
    """Return the sentence and variants of it."""
    return [phrase, *renamed(phrase, chance), *in_context(phrase, chance)]


def in_context(phrase: Phrase, chance: random.Random) -> list[Phrase]:
    """Put words around the sentence, for one sentence in three."""
    if phrase["intent"] in _QUOTING or chance.random() > 0.33:
        return []
    text = phrase["text"]
    if chance.random() < 0.7:
        lead = chance.choice(_LISTS["before"])
        return [phrase | {"text": lead + (text if text[1:2].isupper() or _names_first(phrase) else _lower(text))}]
    if {"body", "fact"} & phrase.keys():
        # What is dictated goes on to its end.
        return []
    return [phrase | {"text": text.rstrip(" .?!") + chance.choice(_LISTS["after"])}]


def renamed(phrase: Phrase, chance: random.Random) -> list[Phrase]:
    """Return the sentence about another person, and without capitals."""
    told = [without_capitals(phrase)] if phrase["text"] != phrase["text"].lower() else []
    for slot, others in _OTHERS.items():
        named = phrase.get(slot, "")
        if named[:1].isupper() and phrase["text"].count(named) == 1:
            other = chance.choice(others)
            again = phrase | {"text": phrase["text"].replace(named, other), slot: other}
            return [*told, again, *([without_capitals(again)] if chance.random() < 0.5 else [])]
    return told


def without_capitals(phrase: Phrase) -> Phrase:
    """Return the sentence in small letters."""
    return phrase | {slot: phrase[slot].lower() for slot in _WRITTEN if isinstance(phrase.get(slot), str)}


def _names_first(phrase: Phrase) -> bool:
    return any(str(phrase.get(slot, "")).startswith(phrase["text"].split()[0]) for slot in _OTHERS)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
