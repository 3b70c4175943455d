"""What was read, put right by rules where likeness errs: who pays whom, which days are meant, the stage of a deal, and
what of a double order was left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from functions._shared.assistant.local import orders, periods, table, taking
from functions._shared.assistant.local.match import Said, holds
from functions._shared.assistant.local.words import Sentence, sentence_of
from functions._shared.names import fold

_DEBT = r"(?:iva|tasse|imposte|irpef|ires|irap|inps|contributi|f24|ritenute)"
# Invoices do not say what the state is owed.
_TAX = re.compile(
    rf"(?:^| )(?:quant[aoie] (?:\S+ )?{_DEBT}|quanto (?:\S+ )?dev\w+ (?:\S+ )?(?:di|d'|per l'|per|in) "
    f"?{_DEBT}|{_DEBT} (?:che )?(?:devo|dobbiamo|da) (?:ancora )?(?:pagare|versare)"
    rf"|(?:pagato|versato|speso) (?:di|per|in) {_DEBT}) "
)
_SPENT = re.compile(
    r"(?:^| )(?:(?:ho|abbiamo|avevo) (?:gia |ancora |mai )?(?:pagato|saldato|speso|versato|bonificato)|speso|spendo"
    r"|spesa|spese|uscite|usciti|costi) "
)
_EARNED = re.compile(r"(?:^| )(?:incassi|entrate|incassato) ")
# What was spent is no longer to be paid.
_HOW_MUCH_SPENT = re.compile(r"(?:^| )quanto (?:ho|abbiamo) (?:gia )?(speso|pagato|saldato|versato|bonificato) ")
# «Quanto mi ha pagato Bianchi finora?»
_HOW_MUCH_CASHED = re.compile(
    r"(?:^| )quanto (?:\S+ )?(?:mi|ci|m') ?(?:ha|hanno) (?:gia |finora |mai )?"
    r"(?:pagato|versato|saldato|bonificato|dato) "
)
_EXPECTED = re.compile(r"(?:^| )(?:incassi|entrate|pagamenti|bonifici) (?:previst[ie]|attes[ie]|in arrivo) ")
_AFTER_DAY = re.compile(r"(?:^| )dopo (?:il |l' |l'|lo )?\d")
_FALLS_DUE = re.compile(r"(?:^| )scad(?:e|ono|ranno|ra) ")
# «fatture emesse a ottobre», «fatture di ottobre»
_ISSUED = re.compile(
    r" (?:(?:emess|ricevut|inviat|mandat|fatturat)[aeo] (?:(?:a|ad|di|del|in|nel|nell'|il|da|dal|dall'|tra) )?"
    r"|fattur[ae] (?:di|del|dello|della|dell') )$"
)
_IS_PAID = re.compile(
    r"(?:^| )(?<!se )(?:(?:e|e stata|risulta|sono|sono state) (?:gia )?(?:pagat[ae]|saldat[ae]|incassat[ae])"
    r"|(?<!non )(?:ha|hanno) (?:gia )?(?:pagato|saldato)) "
)
_INTO = frozenset({*table.CLASSES["IN"], *table.CLASSES["A"], *table.CLASSES["SU"], "come"})
_OF_STAGE = frozenset({*table.CLASSES["DI"], *table.CLASSES["ART"], "fase", "stato", "stadio"})
_NUMBERED = re.compile(
    r"((?:fattur[ae]|parcella|notula|preventivo|offerta|ordine|bolletta|ricevuta|contratto|pratica))"
    r"\s+((?:n\.?\s*|nr\.?\s*|numero\s+)?\d+(?:[/-]\w+)*)(?![\w:,.]\w|\s*(?:€|euro|"
    f"{'|'.join(table.CLASSES['MONTH'])}))",
    re.IGNORECASE,
)
_AND = re.compile(r",?\s(?:e|ed)\s+(?:poi\s+|anche\s+)?(?=(.+)$)")
_FEW = 3
_ASIDES = frozenset({"grazie", "buona", "buon", "ciao", "basta"})
_GRAMMAR = table.words("stop") | frozenset(table.CLASSES["PREP"]) | frozenset(table.CLASSES["ART"])
# What was asked of days that are told was paid on them: «Conti ha pagato ieri?»
_WAS_PAID = ("PAID", "PAID_ME")


def mended(said: Said, sentence: Sentence, today: date) -> Said:
    """The reading as these rules have it."""
    if said.intent == "invoices":
        return _invoices(said, sentence, today)
    if said.intent in ("tasks", "today"):
        return _tasks(said, sentence, today)
    if said.intent in _MENDED:
        said = _MENDED[said.intent](said, sentence)
    return _whole(said, sentence) if said.intent in _SINGLE else said


def _invoices(said: Said, sentence: Sentence, today: date) -> Said:
    line = sentence.line
    if _TAX.search(line):
        return Said("cannot", {"what": "iva"})
    slots = dict(said.slots)
    state = slots.get("state")
    if _SPENT.search(line) and not holds("TO_COLLECT", sentence):
        slots["direction"] = "passiva"
        if _EARNED.search(line):
            # «spese e incassi»
            del slots["direction"]
        if state == "da_pagare" and (how_much := _HOW_MUCH_SPENT.search(line)) and not holds("NOT", sentence):
            slots["state"] = "tutte" if how_much[1] == "speso" else "pagate"
    if _HOW_MUCH_CASHED.search(line) and not holds("NOT", sentence):
        slots |= {"state": "pagate", "direction": "attiva"}
    if _EXPECTED.search(line):
        slots |= {"state": "da_pagare", "direction": "attiva"}
    elif _FALLS_DUE.search(line) and taking.said_by("invoices", "direction", sentence) is None:
        slots.pop("direction", None)
    elif state == "da_pagare" and "to" in slots and (_was_paid(sentence) or _came_in(slots, sentence, today)):
        slots["state"] = "pagate"
    if slots.get("state") != state and "to" in slots:
        dated = periods.of_invoices(slots, sentence, today)
        slots = {name: value for name, value in slots.items() if name not in ("from", "to")} | dated
    is_past = str(slots.get("from", "")) <= today.isoformat()
    if slots.get("state", "tutte") != "tutte" and is_past and _ISSUED.search(f" {periods.before(sentence, today)}"):
        slots["by"] = "issued"
    return said if slots == said.slots else replace(said, slots=slots)


def _tasks(said: Said, sentence: Sentence, today: date) -> Said:
    """Take the days that are named: «nel weekend», «entro venerdì», «a dicembre», «dopo il 10 dicembre»."""
    found = periods.find(sentence, today, "ahead")
    if found is None or (said.intent == "tasks" and "from" in said.slots):
        return said
    first, last = found
    if last and last < today and said.slots.get("when") in ("settimana", "domani"):
        # What was to be done then is late, or done.
        return Said("tasks", {**said.slots, "when": "scaduti"})
    if first and _AFTER_DAY.search(sentence.line):
        first, last = first + timedelta(days=1), None
    elif first == last or last is None or last <= today or (first and first == _monday(today)):
        # One day and this week are read already; what is past is late.
        return said
    kept = {name: value for name, value in said.slots.items() if name not in ("when", "on")}
    return Said("tasks", {"when": "tutti", **kept, **periods.slots((first, last))})


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _was_paid(sentence: Sentence) -> bool:
    is_to_come = any(holds(each, sentence) for each in ("NOT", "TO_PAY", "TO_COLLECT"))
    return not is_to_come and any(holds(each, sentence) for each in _WAS_PAID)


def _came_in(slots: Mapping[str, Any], sentence: Sentence, today: date) -> bool:
    """Tell «le entrate di dicembre» of days that have begun, which came in, from what was due."""
    is_to_come = any(holds(each, sentence) for each in ("NOT", "TO_COLLECT"))
    has_begun = str(slots.get("from", today)) <= today.isoformat()
    return has_begun and not is_to_come and bool(_EARNED.search(sentence.line))


def _draft(said: Said, sentence: Sentence) -> Said:
    """Of what was paid nobody is reminded: what was dictated is written, or asked for."""
    if said.slots.get("purpose") != "sollecito" or not _IS_PAID.search(sentence.line):
        return said
    found = orders.BODY.search(sentence.text)
    body = {"body": found[1].strip(' «»"“”')} if found else {}
    return replace(said, slots={**said.slots, "purpose": "libera"} | body)


def _move_deal(said: Said, sentence: Sentence) -> Said:
    """The stage is what stands behind the last «in»: «sposta la trattativa Sito in Vinta»."""
    words = sentence.words
    place = next((at for at in range(len(words) - 1, 1, -1) if words[at].norm in _INTO), None)
    if place is None or not said.is_learned or holds("DEAL", sentence.part(place + 1, len(words) - 1)):
        return said
    told = [word for word in words[place + 1 :] if word.norm not in _OF_STAGE]
    stage = " ".join(word.norm for word in told)
    is_named = stage in table.CLASSES["STAGE"] or bool(told and all(word.capital for word in told))
    return replace(said, slots={**said.slots, "stage": orders.STAGES.get(stage, stage)}) if is_named else said


def _create_task(said: Said, sentence: Sentence) -> Said:
    """«pagare la fattura 12»: the number goes with its paper."""
    text = str(said.slots.get("text", ""))
    found = _NUMBERED.search(sentence.text)
    is_lost = found and fold(text).endswith(fold(found[1])) and not fold(text).endswith(fold(found[0]))
    return replace(said, slots={"text": f"{text} {found[2]}"}) if found and is_lost else said


def _whole(said: Said, sentence: Sentence) -> Said:
    """What of a double order is not read is told: «segna pagata la fattura 12 e la 13»."""
    told = {word.strip(".,:;!?") for value in said.slots.values() for word in fold(str(value)).split()}
    for found in _AND.finditer(sentence.text):
        left = found[1].strip(" .,:;!?")
        words = [word for word in re.findall(r"[\w/-]+", fold(left)) if word not in _GRAMMAR]
        # «… e segnala conclusa» says the same once more.
        is_aside = not words or words[0] in _ASIDES or (len(words) < _FEW and holds("DONE", sentence_of(left)))
        if not is_aside and not told & set(words):
            return replace(said, slots={**said.slots, "left": left})
    return said


_MENDED = {
    "draft_email": _draft,
    "draft_whatsapp": _draft,
    "move_deal": _move_deal,
    "create_task": _create_task,
}
# Of these one at a time is done.
_SINGLE = frozenset({
    "create_task", "complete_task", "move_task", "delete_task", "delete_contact", "move_deal", "mark_invoice_paid",
})  # fmt: skip
