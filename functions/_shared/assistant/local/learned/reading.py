"""What a sentence most likely wants, by what was learned, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from functions._shared.assistant.local import match, table
from functions._shared.assistant.local.learned import filling, signs, spans, weights
from functions._shared.assistant.local.words import sentence_of, spelled_out
from functions._shared.quick_add.parse import parse

# What is longer is dictated: rules read where it begins.
READ_LENGTH = 400
_GRAMMAR = table.words("stop")


@dataclass(frozen=True)
class Reading:
    """An intent with its slots.

    `ranked`: every intent and how likely it is, the likeliest first; `is_of_known_words`: it is told by a word that was
    learned, and not by grammar and letters alone.
    """

    intent: str
    slots: dict[str, Any]
    ranked: tuple[tuple[str, float], ...]
    is_of_known_words: bool


def read(text: str, now: datetime) -> Reading | None:
    """The likeliest reading; None for what is empty or too long. What the rules read is one of its signs."""
    said = sentence_of(spelled_out(text))
    if not said.words or len(text) > READ_LENGTH:
        return None
    known = weights.learned()
    ruled = match.understand(text, now)
    found = signs.signs(text, ruled)
    ranked = sorted(known.intents.shares(found).items(), key=lambda each: -each[1])
    intent = ranked[0][0]
    chosen = settings(intent, found, known)
    same = ruled_spans(ruled, now) if ruled.intent == intent else None
    told = spans.read(said, intent, known.marks.scores, known.marks.answers, same)
    slots = filling.filled(intent, said, chosen, told, now)
    words = {sign[2:] for sign in found if sign.startswith("w:")} - _GRAMMAR
    is_known = any(f"w:{word}" in known.intents.rows for word in words)
    return Reading(intent, slots, tuple(ranked), is_known)


def named(intent: str, text: str, now: datetime) -> str:
    """An intent with the settings that the sentence would have if it meant it: «deals state:ferme»."""
    chosen = settings(intent, signs.signs(text, match.understand(text, now)), weights.learned())
    return " ".join([intent, *(f"{name}:{value}" for name, value in chosen.items() if value != filling.NONE)])


def ruled_spans(ruled: match.Said, now: datetime) -> dict[str, str]:
    """The slots that the rules read, as words of the sentence."""
    slots = {name: value for name, value in ruled.slots.items() if name in spans.SLOTS.get(ruled.intent, ())}
    if ruled.intent == "create_task":
        slots["title"] = parse(str(ruled.slots["text"]), now)["title"]
    return slots


def settings(intent: str, found: dict[str, float], known: weights.Learned) -> dict[str, str]:
    """The likeliest value of each setting of an intent."""
    chosen = {}
    for name in filling.SETTINGS.get(intent, ()):
        shares = known.settings[f"{filling.ALIKE.get(intent, intent)} {name}"].shares(found)
        chosen[name] = max(shares, key=lambda value: shares[value])
    return chosen
