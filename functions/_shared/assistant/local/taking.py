"""What slots are filled from: a sentence and what a rule took of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from functions._shared.assistant.local import names, table
from functions._shared.assistant.local.words import Sentence

Slots = dict[str, Any]
Filled = tuple[str, Slots] | None
ORDINALS = {
    word: place
    for place, words in enumerate(
        ("primo prima 1 uno", "secondo seconda 2 due", "terzo terza 3 tre", "quarto quarta 4 quattro",
         "quinto quinta 5 cinque", "sesto sesta 6 sei", "settimo settima 7 sette", "ottavo ottava 8 otto",
         "nono nona 9 nove", "decimo decima 10 dieci"), 1)
    for word in words.split()
} | {"ultimo": -1, "ultima": -1}  # fmt: skip
# «lo», «quella», «gli»: whom or what the answer before was about.
PRONOUNS = table.words("pronouns")


@dataclass(frozen=True)
class Found:
    """What a rule took of a sentence."""

    intent: str
    taken: Slots
    said: Sentence
    now: datetime


def said_of(value: Sentence) -> str:
    """All of it, as the person wrote it."""
    return value.said(0, len(value.words))


def dictated(value: Sentence) -> str:
    """What stands behind a colon, to the end of the message with its points."""
    return value.text[value.words[0].start :].strip(' «»"“”\n') if value.words else ""


def said_by(intent: str, slot: str, said: Sentence) -> str | None:
    """What the decision list of a slot says."""
    for rule in table.SLOTS.get(intent, {}).get(slot, ()):
        wanted = all(table.OCCURS[each].search(said.line) for each in rule.wanted)
        if wanted and not any(table.OCCURS[each].search(said.line) for each in rule.unwanted):
            return rule.intent
    return None


def ordinal(words: Sentence) -> int | None:
    """«la prima», «l'ultima», «2», «numero 3»: which of a list; None for anything else."""
    left = [
        each.norm
        for each in words.words
        if each.norm not in table.CLASSES["ART"] and each.norm not in ("numero", "attivita")
    ]
    if len(left) == 1 and left[0] in ORDINALS:
        return ORDINALS[left[0]]
    alone = [each.norm for each in words.words]
    return ORDINALS[alone[0]] if len(alone) == 1 and alone[0] in ORDINALS else None


def thing(slot: str, value: Sentence) -> Slots | None:
    """A task, deal or contact: its name, its place in the list before, or nothing when a pronoun stands for it."""
    place = ordinal(value)
    if place:
        return {"pick": place}
    if slot == "task" and (named := _of_a_list(value)):
        return named
    if all(each.norm in PRONOUNS for each in value.words):
        return {}
    text = names.without_article(value)
    return {slot: text} if any(each.isalnum() for each in text) else None


def _of_a_list(value: Sentence) -> Slots | None:
    """«la prima attività scaduta»: its place in a list that is named with it."""
    words = [each.norm for each in value.words if each.norm not in table.CLASSES["ART"]]
    when = said_by("tasks", "when", value)
    rest = value.part(1, len(value.words)).line
    is_one = len(words) > 1 and words[0] in ORDINALS and when and table.OCCURS["TASK"].search(rest)
    return {"pick": ORDINALS[words[0]], "within": when} if is_one else None


def place_of(word: str) -> int | None:
    """The place that an ordinal in letters names; figures are hours and amounts here."""
    return ORDINALS.get(word) if word.endswith(("o", "a")) and word not in ("quattro", "otto") else None
