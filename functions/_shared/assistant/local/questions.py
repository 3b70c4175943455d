"""Slots of questions: about whom, of which state, when."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from functions._shared.assistant.local import names, periods, table, taking
from functions._shared.assistant.local.taking import Filled, Found, Slots
from functions._shared.assistant.local.words import Sentence
from functions._shared.quick_add.parse import parse

# «trova tutto quello che riguarda Rossi» asks for Rossi.
_ABOUT = re.compile(
    r"^(?:(?:quello )?che riguarda|compare|(?:la )?parola|qualcosa|qualche cosa|tutto|informazioni|notizie)\s+"
    r"(?:(?:su|di|sul|sulla|del|della)\s+)?",
    re.IGNORECASE,
)
# «gli impegni di giovedì»: the grammar of days knows the day alone.
_OF_DAY = re.compile(r"\b(?:di|del|della|per)\s+(?=luned|marted|mercoled|gioved|venerd|sabat|domenic)", re.IGNORECASE)
_NEXT_WEEK = re.compile(r"(?:^| )(?:settimana prossima|prossima settimana) ")
_QUESTIONS = frozenset(table.CLASSES["QUEST"])


def query(it: Found) -> Filled:
    intent = it.intent
    value: Sentence = it.taken["query"]
    query = _ABOUT.sub("", _ABOUT.sub("", names.without_article(value))).strip(" ?")
    if intent == "search_all" and any(table.OCCURS[each].search(value.line) for each in ("DOC_KIND", "DOC_PLACE")):
        intent = "search_documents"
    return (intent, {"query": query}) if any(each.isalnum() for each in query) else None


def question(it: Found) -> Filled:
    text = it.said.text[it.said.words[0].start :].strip()
    return it.intent, {"question": re.sub(r"^ti ricordi,? ", "", text, flags=re.IGNORECASE)}


def filtered(it: Found) -> Filled:
    """Invoices and deals: state, direction, whose, when."""
    slots: Slots = {
        slot: value for slot in table.SLOTS[it.intent] if (value := taking.said_by(it.intent, slot, it.said))
    }
    slots |= {name: value for name, value in it.taken.items() if isinstance(value, str)}
    if it.intent == "deals":
        slots.setdefault("state", "aperte")
    elif slots.get("state") == "pagate" and it.said.asks and _is_yes_or_no(it.said):
        # «è stata pagata?» is asked of what may be open.
        slots["state"] = "da_pagare"
    if name := names.find(
        it.said,
        loose=any(table.OCCURS[each].search(it.said.line) for each in ("TO_COLLECT", "DEBT", "PAID_ME")),
    ):
        slots["contact"] = name
    return it.intent, slots | periods.of_invoices(slots, it.said, it.now.date())


def _is_yes_or_no(said: Sentence) -> bool:
    """«è stata pagata?», not «quali sono state pagate?»."""
    return said.words[0].norm not in _QUESTIONS and bool(table.OCCURS["AUX"].search(said.line))


def field(it: Found) -> Filled:
    field = it.taken.get("field") or taking.said_by(it.intent, "field", it.said)
    person = _person(it.said)
    return None if person is None else (it.intent, {**person, "field": field})


def summary(it: Found) -> Filled:
    if "who" in it.taken:
        name = names.find(it.taken["who"], loose=True)
        return (it.intent, {"contact": name}) if name else None
    if table.OCCURS["WHO_IS"].search(it.said.line) and not names.capital(it.said):
        # «chi è rossi», but not «chi è il presidente».
        words = it.said.words
        loose = names.find(it.said.part(2, len(words)), loose=True)
        return (it.intent, {"contact": loose}) if loose and loose == it.said.said(2, len(words)) else None
    person = _person(it.said)
    return None if person is None else (it.intent, person)


def _person(said: Sentence) -> Slots | None:
    """Whom a question is about: a name, a place in the list before, {} for «lui»; None if nobody."""
    if name := names.find(said, loose=True):
        return {"contact": name}
    if place := next((place for word in said.words if (place := taking.place_of(word.norm))), None):
        return {"pick": place}
    return {} if table.OCCURS["PRONOUN"].search(said.line) else None


def about(it: Found) -> Filled:
    name = names.find(it.said)
    return it.intent, {"about": name} if name else {}


def project(it: Found) -> Filled:
    if "project" in it.taken:
        return it.intent, {"project": names.without_article(it.taken["project"])}
    place = next((place for place, word in enumerate(it.said.words) if word.norm == "progetto"), None)
    rest = it.said.part(place + 1, len(it.said.words)) if place is not None else None
    if not rest or not rest.words or table.OCCURS["OPEN"].search(rest.line):
        return it.intent, {}
    return it.intent, {"project": names.without_article(rest)}


def tasks(it: Found) -> Filled:
    when = taking.said_by("tasks", "when", it.said)
    name = names.find(it.said)
    if when == "oggi" and not name:
        return "today", {}
    if _NEXT_WEEK.search(it.said.line) and when == "settimana" and not name:
        monday = it.now.date() + timedelta(days=7 - it.now.weekday())
        return it.intent, {"when": "tutti", "from": monday.isoformat(), "to": (monday + timedelta(6)).isoformat()}
    day = None if when else day_of(it.said, it.now)
    return it.intent, {"when": when or "tutti"} | ({"contact": name} if name else {}) | ({"on": day} if day else {})


def day_of(said: Sentence, now: datetime) -> str | None:
    """The day that a question names, as YYYY-MM-DD: «cosa ho giovedì?»."""
    text = _OF_DAY.sub("", taking.said_of(said))
    due = parse(text, now)["due"] if table.OCCURS["DATE"].search(said.line) else None
    return due[:10] if due else None


def recent(it: Found) -> Filled:
    """How many of the latest documents, and of which days."""
    slots: Slots = {}
    if number := next((int(word.norm) for word in it.said.words if word.norm.isdecimal()), None):
        slots["limit"] = max(1, min(number, 50))
    elif table.OCCURS["LATEST_ONE"].search(it.said.line):
        slots["limit"] = 1
    today = it.now.date()
    period = periods.find(it.said, today)
    for words, back in (("oggi ", 0), ("ieri ", 1)):
        if not period and words in it.said.line:
            period = (today - timedelta(days=back), today - timedelta(days=back))
    return it.intent, slots | periods.slots(period)


def call(it: Found) -> Filled:
    count = next((int(word.norm) for word in it.said.words if word.norm.isdecimal() and 0 < int(word.norm) <= 50), None)
    return it.intent, {"limit": count} if count else {}
