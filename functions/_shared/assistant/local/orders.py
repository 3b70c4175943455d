"""Slots of orders: what is to be written, moved, noted, drafted; nothing is filled in that was not said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from functions._shared.assistant.local import names, new_contact, table, taking
from functions._shared.assistant.local import new_deal as of_deal
from functions._shared.assistant.local.taking import Filled, Found, Slots
from functions._shared.assistant.local.words import Sentence, sentence_of
from functions._shared.names import fold
from functions._shared.quick_add.parse import parse

_HIM = re.compile(r"\b(\w+[aei]r)(lo|la|gli|le)\b")
_COUNTED = re.compile(
    r"\b(?:il |la |l['’])(prim[oa]|second[oa]|terz[oa]|quart[oa]|quint[oa]|ultim[oa])\b"
    rf"(?! (?:{'|'.join(table.CLASSES['MONTH'])}))"
)
# «nota veloce su Rossi: …»: more than a name.
_NO_CONTACT = re.compile(r"(?:^| )(?::|su|sul|sulla|per|che) ")
_DUTIES = table.words("duties")
# «vorrei conoscere gli impegni di domani» asks.
_TO_KNOW = "conoscere|sapere|capire|consultare|visionare|avere|riavere"
_ORDER = re.compile(
    rf"(?<![^ ])(?:(?!(?:{_TO_KNOW}) )[a-z]+(?:are|ere|ire|arsi|irsi)|{'|'.join(table.words('imperatives'))}) "
)
_VISIT = re.compile(r"(?:^| )alle [0-9:.]+ (?:da|dal|dalla) ")
_QUESTIONS = frozenset(table.CLASSES["QUEST"]) - {"che"}
STAGES = {
    "accettata": "vinta",
    "accettato": "vinta",
    "approvata": "vinta",
    "rifiutata": "persa",
    "rifiutato": "persa",
    "qualificata": "qualificato",
    "qualificazione": "qualificato",
    "vinto": "vinta",
    "perso": "persa",
    "negoziazione": "trattativa",
    "won": "vinta",
    "lost": "persa",
}
# «…, mi aiuti?» belongs to the request and not to what is to be written.
_HELP_ME = re.compile(r",?\s*mi (?:aiuti|aiuteresti|dai una mano)\W*$", re.IGNORECASE)
BODY = re.compile(r"(?:^|\s)(?::|dicendo(?:gli|le)? che|per dire(?:gli|le)? che|che)\s+(.+)$", re.DOTALL)


def task(it: Found) -> Filled:
    slots: Slots = {}
    if isinstance(it.taken.get("task"), Sentence):
        thing = taking.thing("task", it.taken["task"])
        if thing is None or _is_no_task(it.taken["task"]):
            return None
        slots |= thing
    if "later" in it.taken:
        it.taken["when"] = sentence_of(f"tra {taking.said_of(it.taken['later'])}")
    if "when" in it.taken:
        when = taking.said_of(it.taken["when"])
        read = parse(when, it.now)
        if not read["due"] or any(
            each.isalnum() for each in re.sub(r"\b(il|la|l|alle|al|di)\b", "", fold(read["title"]))
        ):
            return None
        slots["when"] = when
    return it.intent, slots


def _is_no_task(task: Sentence) -> bool:
    """«scrivi a Rossi che la consegna slitta a lunedì» is a message, and no task that moves."""
    if all(word.norm in table.CLASSES["PREP"] for word in task.words):
        # «rimandala a domani»
        return True
    return bool(table.OCCURS["DRAFT"].match(task.line)) and any(word.norm == "che" for word in task.words)


def new_task(it: Found) -> Filled:
    value: Sentence = it.taken["text"]
    if value.words[0].norm in _QUESTIONS:
        # «ricordami quanto mi deve Rossi» is a question.
        return None
    text = taking.said_of(value).strip(' ,:«»"“”')
    if "day" in it.taken:
        text = f"{taking.said_of(it.taken['day'])} {text}"
    title = parse(text, it.now)["title"]
    link, _, rest = title.partition(" ")
    if link in ("di", "che", "per") and rest and not text.startswith(f"{link} "):
        # «ricordami domani di chiamare»: what stands between day and verb belongs to neither.
        text = text.replace(f" {link} {rest.split()[0]}", f" {rest.split()[0]}", 1)
    return (it.intent, {"text": _without_article(text)}) if any(each.isalnum() for each in text) else None


def impossible(it: Found) -> Filled:
    """What the assistant does not do; with a day it is a task for the person."""
    text = taking.said_of(it.said)
    if parse(text, it.now)["due"]:
        return "create_task", {"text": text}
    return it.intent, {"what": it.taken["what"]}


def naming(text: str, name: str) -> str:
    """«chiamarlo domani» → «chiamare Rossi domani», «scrivergli» → «scrivere a Rossi»."""
    return _HIM.sub(lambda found: f"{found[1]}e {'a ' if found[2] in ('gli', 'le') else ''}{name}", text, count=1)


def counting(text: str, listed: Sequence[str]) -> str:
    """«chiamare il secondo» → «chiamare Neri», of the list that was shown."""
    found = _COUNTED.search(text)
    place = taking.ORDINALS.get(fold(found[1])) if found else None
    if not found or not place or abs(place) > len(listed):
        return text
    return text[: found.start()] + listed[place - 1 if place > 0 else place] + text[found.end() :]


def dated_task(it: Found) -> Filled:
    """«segna riunione con Rossi martedì alle 9»: an order to note what has a day."""
    text = taking.said_of(it.taken["text"])
    read = parse(text, it.now)
    title = sentence_of(read["title"])
    is_thing = bool(title.words) and bool(_ORDER.match(f"{names.without_article(title).lower()} "))
    wanted = is_thing or it.said.words[0].norm in table.CLASSES["REMIND"] or table.OCCURS["FIX"].match(it.said.line)
    return new_task(replace(it, intent="create_task")) if read["due"] and wanted else None


def _without_article(text: str) -> str:
    """«la riunione con Rossi» → «riunione con Rossi»; titles of tasks have none."""
    words = sentence_of(text).words
    begins = len(words) > 1 and words[0].norm in table.CLASSES["ART"] and words[1].norm in table.CLASSES["MEETING"]
    return text[words[1].start :] if begins else text


def bare_task(it: Found) -> Filled:
    """A line of quick-add: «domani alle 15 chiama Rossi», «devo sentire Rossi giovedì»."""
    if it.said.asks or not (_ORDER.search(it.said.line) or _VISIT.search(it.said.line)):
        return None
    task = it.said.part(1, len(it.said.words)) if it.said.words[0].norm in _DUTIES else it.said
    read = parse(taking.said_of(task), it.now)
    text, title = taking.said_of(task), sentence_of(read["title"])
    if len(title.words) > 1 and title.words[0].norm in _DUTIES:
        # «lunedì devo andare dal notaio»
        text = text.replace(f"{title.words[0].raw} ", "", 1)
        title = title.part(1, len(title.words))
    # «domani alle 8 da Neri»
    is_visit = "T" in (read["due"] or "") and title.line.startswith(("da ", "dal ", "dalla ")) and len(title.words) > 1
    is_order = is_visit or (bool(read["due"]) and bool(_ORDER.match(title.line)))
    return ("create_task", {"text": text}) if is_order else None


def fact(it: Found) -> Filled:
    value: Sentence = it.taken["what" if it.intent == "forget" else "fact"]
    text = taking.said_of(value).strip(' ,:«»"“”')
    if value.words[0].norm in _QUESTIONS and it.said.asks:
        return None
    if it.intent == "forget":
        return it.intent, {"what": names.without_article(value)}
    return it.intent, {"fact": text}


def note(it: Found) -> Filled:
    body: Sentence = it.taken["body"]
    slots: Slots = {"body": taking.dictated(body) if ":" in it.said.line else taking.said_of(body).strip(' «»"“”')}
    if "contact" in it.taken:
        thing = taking.thing("contact", it.taken["contact"])
        if thing is None or _NO_CONTACT.search(it.taken["contact"].line):
            return None
        slots |= thing
    return it.intent, slots


def person(it: Found) -> Filled:
    parts = [taking.said_of(it.taken[each]) for each in ("rest", "more") if each in it.taken]
    slots = new_contact.read(", ".join(parts))
    return (it.intent, slots) if slots else None


def new_deal(it: Found) -> Filled:
    slots = of_deal.read(taking.said_of(it.taken["rest"]))
    if it.said.words[0].norm in _QUESTIONS:
        return None
    return ("incomplete", {"what": "trattativa"}) if slots is None else (it.intent, slots)


def steps(it: Found) -> Filled:
    """«aggiungi a Trasloco i passi: imballare, chiamare il corriere e pulire»."""
    thing = taking.thing("task", it.taken["task"])
    value: Sentence = it.taken["steps"]
    # The end of a list that stands behind its colon is the end of the message.
    text = taking.dictated(value) if value.words[-1] is it.said.words[-1] else taking.said_of(value)
    parts = re.split(r"\s*[;\n]\s*", text) if re.search(r"[;\n]", text) else re.split(r",\s*", text)
    if len(parts) > 1 and (last := parts.pop()):
        parts += re.split(r"\s+e\s+", last, maxsplit=1)
    lines = [line for each in parts if (line := re.sub(r"^e\s+", "", each).strip(' ,.«»"“”'))]
    return None if thing is None or not lines else (it.intent, {**thing, "steps": "\n".join(lines)})


def deal(it: Found) -> Filled:
    stage = it.taken["stage"] if isinstance(it.taken["stage"], str) else fold(taking.said_of(it.taken["stage"]))
    thing = taking.thing("deal", it.taken["deal"])
    return None if thing is None else (it.intent, {**thing, "stage": STAGES.get(stage, stage)})


def contact(it: Found) -> Filled:
    thing = taking.thing("contact", it.taken["contact"])
    return None if thing is None else (it.intent, thing)


def draft(it: Found) -> Filled:
    intent = it.intent
    if table.OCCURS["WHATSAPP"].search(it.said.line):
        intent = "draft_whatsapp"
    colon = next((place for place, word in enumerate(it.said.words) if word.raw == ":"), len(it.said.words))
    head = it.said.part(0, colon)
    slots: Slots = {}
    body = taking.dictated(it.said.part(colon + 1, len(it.said.words)))
    text = _HELP_ME.sub("", taking.said_of(it.said))
    if not body and (found := BODY.search(text)) and len(found[1].split()) > 1:
        body = found[1]
        head = it.said.part(0, len(sentence_of(text[: found.start()]).words))
    if name := names.find(head.part(1, len(head.words)), loose=True):
        slots["contact"] = name
    elif place := next((place for word in head.words[1:] if (place := taking.place_of(word.norm))), None):
        slots["pick"] = place
    slots["purpose"] = "libera" if body else taking.said_by("draft_email", "purpose", head) or "libera"
    return intent, slots | ({"body": body.strip(' «»"“”')} if body else {})
