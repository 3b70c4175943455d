"""Which invoice was paid, and when: «la fattura 12 di Rossi», «quella di ottobre», «ieri», «il 15 novembre»."""

from __future__ import annotations

import re
from datetime import date

from functions._shared.assistant.local import names, periods, table, taking
from functions._shared.assistant.local.taking import Filled, Found, Slots
from functions._shared.assistant.local.words import Sentence, sentence_of
from functions._shared.names import fold
from functions._shared.quick_add import past_days

_NUMBER = re.compile(
    r"(?:\b(?:n\.?|nr\.?|numero)\s*)?(?<![\w€])((?:[A-Za-z]{1,4}[ /-]?)?\d+(?:[/-][\w]+)*)(?![\w%€]| ?(?:€|euro))"
)
_FIRST = re.compile(r"\s*(?:n\.?|nr\.?|numero)?\s*(\d+(?:[/-]\w+)*) ")
# «la prima rata della fattura 12»
_PART = re.compile(
    r"\b(?:(?:la )?(?P<word>prima|seconda|terza|quarta|quinta|sesta) rata|rata (?:numero )?(?P<number>\d{1,2}))\b"
    r"(?: (?:della|di|dell['’]))?"
)
# Other parts of an invoice are paid on its own page.
_IN_PART = re.compile(r"\b(?:rat[ae]|acconto|parte|parziale|parzialmente|meta|anticipo|caparra)\b|€|\beuro\b")
_NO_WORDS = frozenset({"non", "no", "mai", "se", "quando", "chi"})


def paid(it: Found) -> Filled:
    """The slots of mark_invoice_paid; a part that is no instalment is none, and «Rossi ha pagato?» asks."""
    slots: Slots = {key: value for key, value in it.taken.items() if isinstance(value, str)}
    is_told = bool(slots.pop("told", None)) or "who" in it.taken
    text = " ".join(taking.said_of(it.taken[each]) for each in ("what", "day") if each in it.taken)
    if is_told and (it.said.asks or _NO_WORDS & set(fold(text).split())):
        return None
    if "who" in it.taken:
        who = _who(it.taken["who"])
        if not who:
            return None
        slots |= {"contact": who, "direction": "attiva"}
    if part := _PART.search(fold(text)):
        slots["part"] = int(part["number"] or taking.ORDINALS[part["word"]])
        text = text[: part.start()] + text[part.end() :]
    if _IN_PART.search(fold(text)):
        return "cannot", {"what": "pagata"}
    return it.intent, slots | which(text, it.now.date())


def _who(value: Sentence) -> str:
    """The name of who paid, if it is nothing else."""
    if any(word.norm in _NO_WORDS for word in value.words):
        return ""
    name = names.find(value, loose=True)
    return name if name and names.without_article(value).endswith(name) else ""


def which(text: str, today: date) -> Slots:
    """Return the invoice and the day that a text names: «la fattura 12 di Rossi ieri»."""
    slots: Slots = {}
    if found := past_days.read(text, today):
        begin, day = found
        slots = {"paid_on": day.isoformat()} if day else {"no_day": text[begin:].strip(" ,")}
        text = text[:begin]
    said = sentence_of(text)
    place = taking.ordinal(said)
    if place and not re.search(r"\d", text):
        return slots | {"pick": place}
    first = _FIRST.match(text)
    rest = sentence_of(text[first.end() :]) if first else said
    period = periods.slots(periods.find(rest, today))
    if period and first:
        slots["number"], said, before = first[1], rest, periods.before(rest, today)
        # «12 di ottobre» is that of October, «12 il mese scorso» was paid then.
        if not set(before.split()[-1:]) & set(table.CLASSES["DI"]):
            slots["no_day"] = rest.line.removeprefix(before).strip(" ,")
    elif period:
        slots |= period
    elif number := _NUMBER.search(text):
        slots["number"] = number[1]
        said = sentence_of(text[: number.start()] + text[number.end() :])
    if name := names.find(said, loose=True):
        slots["contact"] = name
    return slots
