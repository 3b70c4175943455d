"""What a rule took, as slots: names without articles, days that are days, the parts of a new contact.

None stands for «not this rule»: the next one is tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from functions._shared.assistant.local import names, new_contact, periods, table
from functions._shared.assistant.local.words import Sentence, sentence_of
from functions._shared.quick_add.parse import parse
from functions._shared.quick_add.tokens import fold

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
_DUTIES = table.words("duties")
_ORDER = re.compile(rf"(?<![^ ])(?:[a-z]{{2,}}(?:are|ere|ire|arsi|irsi)|{'|'.join(table.words('imperatives'))}) ")
_STAGES = {
    "qualificata": "qualificato",
    "qualificazione": "qualificato",
    "vinto": "vinta",
    "perso": "persa",
    "negoziazione": "trattativa",
}
_BODY = re.compile(r"(?:^|\s)(?::|dicendo(?:gli|le)? che|per dire(?:gli|le)? che|che)\s+(.+)$", re.DOTALL)


@dataclass(frozen=True)
class Found:
    """What a rule took of a sentence."""

    intent: str
    taken: Slots
    said: Sentence
    now: datetime


def complete(intent: str, taken: Slots, said: Sentence, now: datetime) -> Filled:
    """The intent with its slots; another intent where the slots say so; None when they do not hold."""
    filler = _FILLERS.get(intent)
    return filler(Found(intent, taken, said, now)) if filler else (intent, _texts(taken))


def _texts(taken: Slots) -> Slots:
    """Sentences as they were written."""
    return {name: _clean(value) for name, value in taken.items()}


def _said(value: Sentence) -> str:
    return value.said(0, len(value.words))


def _clean(value: Any) -> Any:
    return names.without_article(value) if isinstance(value, Sentence) else value


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


def _thing(slot: str, value: Sentence) -> Slots | None:
    """A task, deal or contact: its name, its place in the list before, or nothing when a pronoun stands for it."""
    place = ordinal(value)
    if place:
        return {"pick": place}
    if all(each.norm in PRONOUNS for each in value.words):
        return {}
    text = names.without_article(value)
    return {slot: text} if any(each.isalnum() for each in text) else None


def _task(it: Found) -> Filled:
    slots: Slots = {}
    if isinstance(it.taken.get("task"), Sentence):
        thing = _thing("task", it.taken["task"])
        if thing is None:
            return None
        slots |= thing
    if "later" in it.taken:
        it.taken["when"] = sentence_of(f"tra {_said(it.taken['later'])}")
    if "when" in it.taken:
        when = _said(it.taken["when"])
        read = parse(when, it.now)
        if not read["due"] or any(
            each.isalnum() for each in re.sub(r"\b(il|la|l|alle|al|di)\b", "", fold(read["title"]))
        ):
            return None
        slots["when"] = when
    return it.intent, slots


def _new_task(it: Found) -> Filled:
    value: Sentence = it.taken["text"]
    text = _said(value).strip(' ,:«»"“”')
    title = parse(text, it.now)["title"]
    if title.lower().startswith(("di ", "che ", "per ")) and not text.lower().startswith(("di ", "che ", "per ")):
        # «ricordami domani di chiamare»: what stands between day and verb belongs to neither.
        text = (
            re.sub(rf"\b{title.split()[0]} (?={re.escape(title.split()[1])}\b)", "", text, count=1)
            if len(title.split()) > 1
            else text
        )
    return (it.intent, {"text": text}) if any(each.isalnum() for each in text) else None


def _bare_task(it: Found) -> Filled:
    """A line of quick-add: «domani alle 15 chiama Rossi», «devo sentire Rossi giovedì»."""
    if it.said.asks or not _ORDER.search(it.said.line):
        return None
    task = it.said.part(1, len(it.said.words)) if it.said.words[0].norm in _DUTIES else it.said
    read = parse(_said(task), it.now)
    is_order = bool(read["due"]) and bool(_ORDER.match(sentence_of(read["title"]).line))
    return ("create_task", {"text": _said(task)}) if is_order else None


def _fact(it: Found) -> Filled:
    value: Sentence = it.taken["what" if it.intent == "forget" else "fact"]
    text = _said(value).strip(' ,:«»"“”')
    if it.intent == "forget":
        return it.intent, {"what": names.without_article(value)}
    return it.intent, {"fact": text}


def _note(it: Found) -> Filled:
    body: Sentence = it.taken["body"]
    slots: Slots = {"body": _said(body).strip(' «»"“”')}
    if "contact" in it.taken:
        thing = _thing("contact", it.taken["contact"])
        if thing is None or ":" in it.taken["contact"].line:
            return None
        slots |= thing
    return it.intent, slots


def _new_contact(it: Found) -> Filled:
    slots = new_contact.read(_said(it.taken["rest"]))
    return (it.intent, slots) if slots else None


def _deal(it: Found) -> Filled:
    stage = it.taken["stage"] if isinstance(it.taken["stage"], str) else fold(_said(it.taken["stage"]))
    thing = _thing("deal", it.taken["deal"])
    return None if thing is None else (it.intent, {**thing, "stage": _STAGES.get(stage, stage)})


def _contact(it: Found) -> Filled:
    thing = _thing("contact", it.taken["contact"])
    return None if thing is None else (it.intent, thing)


def _draft(it: Found) -> Filled:
    intent = it.intent
    if table.OCCURS["WHATSAPP"].search(it.said.line):
        intent = "draft_whatsapp"
    colon = next((place for place, word in enumerate(it.said.words) if word.raw == ":"), len(it.said.words))
    head = it.said.part(0, colon)
    slots: Slots = {}
    body = it.said.said(colon + 1, len(it.said.words))
    if not body and (found := _BODY.search(it.said.said(0, len(it.said.words)))) and not _speaks_of_offers(found[1]):
        body = found[1]
        head = it.said.part(0, len(sentence_of(it.said.said(0, len(it.said.words))[: found.start()]).words))
    if name := names.find(head.part(1, len(head.words)), loose=True):
        slots["contact"] = name
    elif place := next((place for word in head.words[1:] if (place := _place(word.norm))), None):
        slots["pick"] = place
    slots["purpose"] = "libera" if body else said_by("draft_email", "purpose", head) or "libera"
    return intent, slots | ({"body": body.strip(' «»"“”')} if body else {})


def _speaks_of_offers(text: str) -> bool:
    return len(text.split()) < 2


def _query(it: Found) -> Filled:
    intent = it.intent
    value: Sentence = it.taken["query"]
    query = names.without_article(value).strip(" ?")
    if intent == "search_all" and any(table.OCCURS[each].search(value.line) for each in ("DOC_KIND", "DOC_PLACE")):
        intent = "search_documents"
    return (intent, {"query": query}) if any(each.isalnum() for each in query) else None


def _question(it: Found) -> Filled:
    text = it.said.text[it.said.words[0].start :].strip()
    return it.intent, {"question": re.sub(r"^ti ricordi,? ", "", text, flags=re.IGNORECASE)}


def _filtered(it: Found) -> Filled:
    """Invoices and deals: state, direction, whose, when."""
    slots: Slots = {
        name: value
        for slot in table.SLOTS[it.intent]
        if (value := said_by(it.intent, slot, it.said))
        for name in [slot]
    }
    slots |= {name: value for name, value in it.taken.items() if isinstance(value, str)}
    if name := names.find(
        it.said,
        loose=bool(table.OCCURS["TO_COLLECT"].search(it.said.line) or table.OCCURS["DEBT"].search(it.said.line)),
    ):
        slots["contact"] = name
    if period := periods.find(it.said, it.now.date()):
        slots["from"], slots["to"] = (day.isoformat() for day in period)
    return it.intent, slots


def _field(it: Found) -> Filled:
    field = it.taken.get("field") or said_by(it.intent, "field", it.said)
    person = _person(it.said)
    return None if person is None else (it.intent, {**person, "field": field})


def _summary(it: Found) -> Filled:
    person = _person(it.said)
    return None if person is None else (it.intent, person)


def _person(said: Sentence) -> Slots | None:
    """Whom a question is about: a name, a place in the list before, {} for «lui»; None if nobody."""
    if name := names.find(said, loose=True):
        return {"contact": name}
    if place := next((place for word in said.words if (place := _place(word.norm))), None):
        return {"pick": place}
    return {} if table.OCCURS["PRONOUN"].search(said.line) else None


def _place(word: str) -> int | None:
    """The place that an ordinal in letters names; figures are hours and amounts here."""
    return ORDINALS.get(word) if word.endswith(("o", "a")) and word not in ("quattro", "otto") else None


def _about(it: Found) -> Filled:
    name = names.find(it.said)
    return it.intent, {"about": name} if name else {}


def _project(it: Found) -> Filled:
    place = next((place for place, word in enumerate(it.said.words) if word.norm == "progetto"), None)
    rest = it.said.part(place + 1, len(it.said.words)) if place is not None else None
    return it.intent, {"project": names.without_article(rest)} if rest and rest.words and not table.OCCURS[
        "OPEN"
    ].search(rest.line) else {}


def _tasks(it: Found) -> Filled:
    when = said_by("tasks", "when", it.said)
    name = names.find(it.said)
    if when == "oggi" and not name:
        return "today", {}
    return it.intent, {"when": when or "tutti"} | ({"contact": name} if name else {})


def _call(it: Found) -> Filled:
    count = next((int(word.norm) for word in it.said.words if word.norm.isdigit() and 0 < int(word.norm) <= 50), None)
    return it.intent, {"limit": count} if count else {}


_FILLERS: dict[str, Callable[[Found], Filled]] = {
    "complete_task": _task, "move_task": _task, "delete_task": _task, "create_task": _new_task,
    "bare_task": _bare_task, "remember": _fact, "forget": _fact, "add_note": _note, "create_contact": _new_contact,
    "move_deal": _deal, "delete_contact": _contact,
    "draft_email": _draft, "search_documents": _query, "search_all": _query, "find_contacts": _query,
    "ask_documents": _question, "recall": _question, "invoices": _filtered, "deals": _filtered, "contact_field": _field,
    "contact_summary": _summary, "list_memories": _about, "projects": _project, "tasks": _tasks, "to_call": _call,
}  # fmt: skip
