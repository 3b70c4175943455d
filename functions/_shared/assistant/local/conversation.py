"""What a sentence wants after what was said before: «e domani?», «solo quelle di Bianchi», «scrivigli un sollecito».

The questions alone are enough: each is read in the light of the one before, so nothing has to be stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from functions._shared.assistant.local import (
    figures_asked,
    letters_asked,
    match,
    mending,
    names,
    orders,
    periods,
    questions,
    readers,
    table,
    taking,
    understanding,
    vat,
    work_asked,
)
from functions._shared.assistant.local.match import Said, holds
from functions._shared.assistant.local.words import Sentence, asked_directly, plain, sentence_of

# What a question goes on with, and how short one is that can only be understood so.
_GOES_ON = table.words("goes_on")
# Lists of contacts.
OF_PEOPLE = ("to_call", "find_contacts")
MOST_WORDS = 8
FEW_WORDS = 4
# Words that name a subject of their own.
_SUBJECTS = ("TASKS", "FATTURA", "DEALS", "PROJECTS", "AI_CREDITS_SURE", "DOC", "MEMORY", "CONTACTS")
# Papers say how soon somebody is to pay; of calls and deals are words that figures leave over.
_OF_PAPERS = ("ask_documents", "search_documents")
_OTHER_SUBJECTS = ("to_call", "deals", "deals_total")
# After these, what was spoken of before is still the subject.
_ASIDES = table.words("asides")
_ABOUT = table.words("about")


@dataclass(frozen=True)
class Asked:
    """A question; the labels of the list that stood before it; whom the person chose when they were asked back."""

    question: str
    listed: tuple[str, ...] = ()
    chosen: str = ""


def read(questions: Iterable[Asked], now: datetime, *, guesses: bool = True) -> Said:
    """What the last of these questions wants; `guesses`: by what was learned too, and not by the rules alone."""
    subject: Said | None = None
    said = Said("unknown")
    for asked in questions:
        said = _after(asked.question, subject, now, guesses=guesses)
        if said.intent not in _ASIDES:
            subject = _settled(said, subject, asked)
    return said


def _settled(said: Said, before: Said | None, asked: Asked) -> Said:
    """The question with the name of whom it turned out to be about."""
    name = asked.chosen if "contact" in said.slots else ""
    place = said.slots.get("pick")
    if place and before and before.intent in OF_PEOPLE and abs(place) <= len(asked.listed):
        name = asked.listed[place - 1 if place > 0 else place]
    kept = {key: value for key, value in said.slots.items() if key != "pick"}
    said = replace(said, slots={**kept, "contact": name}) if name else said
    if said.intent in letters_asked.LETTERS and "asked" not in said.slots:
        said = replace(said, slots={**said.slots, "asked": asked.question})
    return said


def _after(text: str, before: Said | None, now: datetime, *, guesses: bool) -> Said:
    text = asked_directly(text)
    whole = sentence_of(text)
    today = now.date()
    if whole.words and (own := readers.read(whole, before, today)):
        return own
    ruled = match.understand(text, now)
    alone = mending.mended(understanding.understand(text, now) if guesses else ruled, whole, today)
    if closer := _closer(whole, ruled, alone, today):
        return closer
    if alone.is_learned and figures_asked.is_strange(whole, alone, today):
        alone = Said("unknown", {"question": text})
    if before is None or not whole.words:
        return alone
    said = plain(whole)
    goes_on = said.words[0].norm in _GOES_ON and len(said.words) <= MOST_WORDS
    is_short = ruled.intent in ("unknown", "recall") and len(said.words) <= FEW_WORDS
    if (goes_on or is_short) and (followed := _followed(text, said, before, now, goes_on=goes_on)):
        return followed
    if alone.intent == "create_task" and "contact" in before.slots:
        return replace(alone, slots={"text": orders.naming(alone.slots["text"], str(before.slots["contact"]))})
    return _same_person(alone, before, said, goes_on)


def _closer(whole: Sentence, ruled: Said, alone: Said, today: date) -> Said | None:
    """Return what a grammar reads that knows more of the sentence than the table and likeness do."""
    asked = figures_asked.read(whole, today)
    if not asked and not alone.writes and (closer := readers.closer(whole, ruled, today)):
        return closer
    if narrowed := work_asked.narrowed(whole, alone):
        return narrowed
    is_other = ruled.writes or alone.writes or alone.intent in _OF_PAPERS
    is_left = asked is not None and "left_word" in asked.slots and alone.intent in _OTHER_SUBJECTS
    return None if is_other or is_left else asked


def _followed(text: str, said: Sentence, before: Said, now: datetime, *, goes_on: bool) -> Said | None:
    """Return the question before with what a short sentence changes of it; None when it names a subject of its own."""
    if figures := figures_asked.follow(before, said, now.date()):
        return figures
    subjects = (each for each in _SUBJECTS if (each, before.intent) != ("CONTACTS", "invoices"))
    if any(holds(each, said) for each in subjects):
        return None
    if before.intent == "invoices" and len(said.words) <= FEW_WORDS and vat.is_net(text) is not None:
        return before
    rest = said.part(1, len(said.words)) if said.words[0].norm in ("e", "ed", "ma") else said
    return _changed(before, rest, now, goes_on=goes_on)


def _changed(before: Said, rest: Sentence, now: datetime, *, goes_on: bool) -> Said | None:
    """The question before with another day, state, name or field; None when nothing of it is named."""
    if not rest.words:
        return None
    name = names.find(rest, loose=True)
    if name and not goes_on and len(rest.words) > len(name.split()) + 1:
        # «Luca è simpatico?» speaks of something else.
        return None
    if before.intent in ("tasks", "today"):
        return _tasks(before, rest, name, now)
    if before.intent in ("deals", "invoices") and holds("HOW_MUCH", rest) and not name:
        return Said("deals_total") if before.intent == "deals" else before
    slots: dict[str, Any] = {}
    if before.intent in ("invoices", "deals"):
        slots = {
            slot: value for slot in table.SLOTS[before.intent] if (value := taking.said_by(before.intent, slot, rest))
        }
        dated = periods.of_invoices(before.slots | slots, rest, now.date())
        if "state" in slots and "to" in before.slots and not dated and before.slots.get("state") == "tutte":
            # «e quelle pagate?»: of those that were listed, by the days by which they were.
            dated = {"by": "issued"}
        slots |= dated
    field = taking.said_by("contact_field", "field", rest)
    if field and ("contact" in before.slots or "pick" in before.slots):
        person: dict[str, Any] = {key: before.slots[key] for key in ("contact", "pick") if key in before.slots}
        person = {"contact": name} if name else person
        return Said("contact_field", {**person, "field": field})
    if name and before.intent in _ABOUT:
        slots["about" if before.intent == "list_memories" else "contact"] = name
    # Other days take the place of those before, also where they have no beginning.
    gone = {"pick"} if "contact" in slots else set[str]()
    gone |= {"from", "to", "by"} if {"from", "to"} & slots.keys() else set()
    kept = {key: value for key, value in before.slots.items() if key not in gone}
    return Said(before.intent, {**kept, **slots}) if slots else None


def _tasks(before: Said, rest: Sentence, name: str, now: datetime) -> Said | None:
    when = taking.said_by("tasks", "when", rest)
    contact = {"contact": name} if name else {key: before.slots[key] for key in ("contact",) if key in before.slots}
    day = None if when else questions.day_of(rest, now)
    if day:
        return Said("tasks", {"when": "tutti", "on": day, **contact})
    if not when and not name:
        return None
    when = when or before.slots.get("when", "oggi" if before.intent == "today" else "tutti")
    return Said("today") if when == "oggi" and not contact else Said("tasks", {"when": when, **contact})


def _same_person(alone: Said, before: Said, said: Sentence, goes_on: bool) -> Said:
    """Whom «gli», «suo», «mi deve» mean: whoever was spoken of."""
    person: dict[str, Any] = {key: before.slots[key] for key in ("contact", "pick") if key in before.slots}
    named = {"contact", "pick"} & alone.slots.keys()
    if alone.intent in _ABOUT and not named and person and (goes_on or holds("PRONOUN", said)):
        if alone.intent in ("tasks", "invoices", "deals") and not goes_on and holds("WHO", said):
            return alone
        return replace(alone, slots={**alone.slots, **person})
    return alone
