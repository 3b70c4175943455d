"""Classes of requests that are read by a grammar of their own before the table of intents is asked.

Each takes the sentence, and what was wanted before it or the day, and returns None for what is not of its class.
"""

from __future__ import annotations

from datetime import date

from functions._shared.assistant.local import (
    autonomy_asked,
    channels_asked,
    heard_told,
    letters_asked,
    mail_asked,
    one_of_many,
    own_business_asked,
    papers_asked,
    paying_asked,
    people_asked,
    set_aside_asked,
    templates_asked,
    trade_asked,
    undo_asked,
    work_asked,
)
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence

_AFTER = (
    undo_asked.read, set_aside_asked.read, letters_asked.read, templates_asked.read, heard_told.read, work_asked.read,
    papers_asked.read, people_asked.read, channels_asked.read, mail_asked.read, own_business_asked.read,
)  # fmt: skip
_DATED = (autonomy_asked.read, paying_asked.read, one_of_many.read)
# These know less of the sentence than a rule does, and more than likeness.
_CLOSER = (trade_asked.read, work_asked.closer)
# What a rule reads by one word only: «fino a oggi» names no task.
_WEAK = frozenset({"unknown", "recall", "tasks", "today"})


def read(sentence: Sentence, before: Said | None, today: date) -> Said | None:
    """Return what a sentence of one of these classes wants; None for any other."""
    if said := next((said for reader in _AFTER if (said := reader(sentence, before))), None):
        return said
    return next((said for reader in _DATED if (said := reader(sentence, today))), None)


def closer(sentence: Sentence, ruled: Said, today: date) -> Said | None:
    """Return what a sentence wants that no rule reads for sure; None for any other."""
    if ruled.intent not in _WEAK:
        return None
    return next((said for reader in _CLOSER if (said := reader(sentence, today))), None)
