"""What a sentence wants: by what was learned, of which the rules' reading is one sign; by the rules alone where nothing
was learned.

Only the rules delete. An order that was learned has to be likelier than a question, and its proposal always asks.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any

from functions._shared.assistant.local import match
from functions._shared.assistant.local.learned import reading, spans
from functions._shared.assistant.local.match import WRITES, Said
from functions._shared.quick_add.parse import parse

# What is less likely is not taken, of orders more is asked; the rules count as long as the learned is less sure.
SURE = 0.3
SURE_OF_ORDER = 0.7
SURER_THAN_RULES = 0.45
# What is like nothing, though the rules know it.
SURE_OF_NOTHING = 0.8
# What rules alone know and would write is not taken when something else is as likely.
SURE_OF_OTHER = 0.8
# Less likely readings are not offered.
_WORTH_OFFERING = 0.05
_MOST_OFFERED = 3
_DELETING = frozenset({"delete_task", "delete_contact"})
_WITHOUT_WORDS = frozenset({
    "today", "to_call", "deals_total", "credits", "recall", "ask_documents", "help", "who", "greeting", "thanks",
    "goodbye", "unknown", "cannot",
})  # fmt: skip
_LEARNED = (frozenset(spans.SLOTS) | _WITHOUT_WORDS) - _DELETING
# Whom and which, if nobody says it, plans ask back.
_ASKED_FOR = frozenset({"contact", "task", "deal"})
# Places in a list, which only the rules count.
_COUNTED = frozenset({"pick", "within"})


# A turn reads its questions at each of its steps.
@lru_cache(maxsize=64)
def understand(text: str, now: datetime) -> Said:
    """What a message wants without what was said before it; «unknown» when that is not sure enough."""
    ruled = match.understand(text, now)
    learned = reading.read(text, now)
    if learned is None or _is_for_rules(ruled, learned, now):
        return ruled
    intent, share = learned.ranked[0]
    is_sure = intent == ruled.intent or share >= (SURE_OF_ORDER if intent in WRITES else SURE)
    if not (is_sure and _holds(ruled, learned, now)):
        return Said("unknown", {"question": text})
    if intent == ruled.intent and _plain(learned.slots, now) == _plain(ruled.slots, now):
        return ruled
    return Said(intent, learned.slots, is_learned=True)


def _is_for_rules(ruled: Said, learned: reading.Reading, now: datetime) -> bool:
    """Whether what the rules read is taken: what they alone know, and what they know where nothing else is likely."""
    intent, share = learned.ranked[0]
    if ruled.intent == "unknown" or _COUNTED & ruled.slots.keys():
        return ruled.intent != "unknown"
    if ruled.intent in _LEARNED | _DELETING:
        if ruled.intent == intent:
            return not _is_day(learned, now)
        if intent == "unknown":
            return share < SURE_OF_NOTHING
        return intent not in _LEARNED or share < (SURE_OF_ORDER if intent in WRITES else SURER_THAN_RULES)
    return not (ruled.intent in WRITES and intent in _LEARNED and share > SURE_OF_OTHER)


def _holds(ruled: Said, learned: reading.Reading, now: datetime) -> bool:
    """Whether it may be read so: a deletion that the rules read too, an order in words that were learned."""
    if learned.intent in _DELETING:
        return ruled.intent == learned.intent
    is_told = learned.is_of_known_words or learned.intent not in WRITES
    needed = {"text"} if learned.intent == "create_task" else {*spans.NEEDED.get(learned.intent, ())} - _ASKED_FOR
    is_whole = needed <= learned.slots.keys()
    return learned.intent in _LEARNED and is_told and is_whole and _is_day(learned, now)


def _is_day(learned: reading.Reading, now: datetime) -> bool:
    """Whether what is said of when is a day, as the quick-add grammar knows them; true where nothing is to be moved."""
    return learned.intent != "move_task" or parse(learned.slots.get("when", ""), now)["due"] is not None


def _plain(slots: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Slots that say the same are the same: «domani chiamare», «chiamare domani»."""
    read = parse(str(slots.get("text", "")), now)
    return {**slots, "text": (read["title"], read["due"]), "question": None}


def nearest(text: str, now: datetime) -> list[str]:
    """The questions that come nearest, best first, with their settings: «invoices state:scadute»."""
    learned = reading.read(text, now)
    likely = [intent for intent, share in learned.ranked if share >= _WORTH_OFFERING] if learned else []
    return [reading.named(intent, text, now) for intent in likely[:_MOST_OFFERED] if intent not in WRITES]
