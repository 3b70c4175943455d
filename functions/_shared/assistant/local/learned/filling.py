"""An intent, its settings and the words of its slots, as the slots that plans know: days as days, numbers as numbers.

What is missing stays missing: plans ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from functions._shared.assistant.local import new_contact, periods, questions, table
from functions._shared.assistant.local.words import Sentence
from functions._shared.names import fold
from functions._shared.quick_add.parse import parse

Slots = dict[str, Any]
# By intent, what is chosen of few answers; «none» leaves it out.
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "tasks": ("when",),
    "deals": ("state",),
    "invoices": ("state", "direction"),
    "contact_field": ("field",),
    "draft_email": ("purpose",),
    "draft_whatsapp": ("purpose",),
    "move_deal": ("stage",),
    "cannot": ("what",),
}
# Drafts are chosen alike, however they are sent.
ALIKE = {"draft_whatsapp": "draft_email"}
NONE = "none"
# Of tasks: a day, or several, that the sentence names.
DAY, SPAN = "on", "span"
_NAMES = ("contact", "name", "about", "deal", "query", "project")
_NUMBERS = {
    "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8, "nove": 9, "dieci": 10,
    "dodici": 12, "quindici": 15, "venti": 20, "trenta": 30,
}  # fmt: skip
_MOST_CALLS = 50
_TIMES = ("giorn", "settiman", "mes", "ann", "or", "minut")
_BEFORE_OTHERS = frozenset({"alle", "tra", "fra", "ogni", "il"})
_MONTHS = frozenset(table.CLASSES["MONTH"])
_LEADING = table.words("titles") | frozenset(table.CLASSES["ART"])
_CLAUSE = re.compile(r"[,;!?]|[.:](?= )")
_NO_TIME = ("contact", "project")


def filled(intent: str, said: Sentence, chosen: Mapping[str, str], spans: Mapping[str, str], now: datetime) -> Slots:
    """The slots of an intent."""
    slots: Slots = {
        name: _bare(text) if name in _NAMES else text for name, text in spans.items() if text not in _MONTHS
    }
    slots |= {name: value for name, value in chosen.items() if value != NONE}
    if intent == "tasks":
        return _tasks(slots, said, now)
    if intent in ("deals", "invoices"):
        return slots | periods.of_invoices(slots, said, now.date())
    if intent in ("draft_email", "draft_whatsapp") and slots.get("purpose") != "libera":
        slots.pop("body", None)
    if intent == "create_contact":
        slots |= new_contact.reached(said.text)
    if intent == "create_task" and "title" in slots:
        return {"text": _task(slots["title"], said, now)}
    if intent == "to_call":
        slots |= _limit(said)
    if intent in ("ask_documents", "recall"):
        slots["question"] = said.text.strip()
    return slots


def _bare(text: str) -> str:
    """A name without «la signora»."""
    words = text.split()
    while len(words) > 1 and not words[0][0].isupper() and fold(words[0]).strip(".") in _LEADING:
        words = words[1:]
    return " ".join(words)


def _tasks(slots: Slots, said: Sentence, now: datetime) -> Slots:
    when = slots.pop("when", "tutti")
    if when not in (DAY, SPAN):
        return slots | {"when": when}
    day = questions.day_of(said, now)
    if span := periods.slots(periods.between(said, now.date())):
        return slots | {"when": "tutti"} | span
    if when == DAY and day:
        return slots | {"when": "tutti", "on": day}
    span = periods.slots(periods.find(said, now.date(), "ahead"))
    return slots | {"when": "tutti"} | (span or ({"on": day} if day else {}))


def _task(title: str, said: Sentence, now: datetime) -> str:
    """A line of quick-add: the day that stands beside the title, then the title."""
    before, _, after = said.text.partition(title)
    earlier, later = list(reversed(_CLAUSE.split(before))), _CLAUSE.split(after)
    nearest = [f"{earlier[0]} , {later[0]}", *earlier[1:], *later[1:]]
    read = next((read for each in nearest if (read := parse(each, now))["due"]), None)
    parts = read["parts"] if read else []
    return " ".join([*(part["text"] for part in parts if part["kind"] not in _NO_TIME), title])


def _limit(said: Sentence) -> Slots:
    """How many are asked for, and not for how many days, at what hour or between which two."""
    for before, word, after in zip((None, *said.words), said.words, (*said.words[1:], None), strict=False):
        number = int(word.norm) if word.norm.isdecimal() else _NUMBERS.get(word.norm)
        is_other = (after and after.norm.startswith(_TIMES)) or (before and before.norm in _BEFORE_OTHERS)
        if number and 1 < number <= _MOST_CALLS and not is_other:
            return {"limit": number}
    return {}
