"""A new contact in a line: «Anna Galli, telefono 333 1234567, anna@galli.it»."""

from __future__ import annotations

import re

from functions._shared.assistant.local import names
from functions._shared.assistant.local.words import sentence_of

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"(?<![\w@])\+?[0-9][0-9 ./-]{6,}[0-9]")
_VAT = re.compile(r"(?:p\.? ?iva|partita iva|iva)\D{0,5}((?:IT)?[0-9]{11})\b", re.IGNORECASE)
_FIELD_WORDS = re.compile(
    r"[\s,;:]+(?:(?:e|con|ha|la|il|sua|suo|l['’])\s*)*"
    r"(?:e-?mail|mail|indirizzo e-?mail|tel(?:efono)?|cell(?:ulare)?|numero|p\.? ?iva|partita iva)?[.\s:,]*$",
    re.IGNORECASE,
)


def reached(text: str) -> dict[str, str]:
    """How somebody is reached, and their VAT number, wherever it stands."""
    slots: dict[str, str] = {}
    for name, form in (("vat_number", _VAT), ("email", _EMAIL), ("phone", _PHONE)):
        if found := form.search(text):
            said = found[1] if form is _VAT else found[0]
            slots[name] = " ".join(said.split())
            text = text.replace(said, " , ")
    return slots


def read(rest: str) -> dict[str, str] | None:
    """The slots of create_contact; None when no name is left."""
    slots: dict[str, str] = {}
    if found := _VAT.search(rest):
        slots["vat_number"], rest = found[1], rest[: found.start()] + rest[found.end() :]
    if found := _EMAIL.search(rest):
        slots["email"], rest = found[0], rest[: found.start()] + " , " + rest[found.end() :]
    if found := _PHONE.search(rest):
        slots["phone"], rest = " ".join(found[0].split()), rest[: found.start()] + " , " + rest[found.end() :]
    name = rest.strip(' ,;:.«»"')
    for _ in range(4):
        name = _FIELD_WORDS.sub("", name).strip(' ,;:«»"')
    name = names.without_article(sentence_of(name)) if name else ""
    if not name or any(mark in name for mark in ",?") or not name[0].isalnum() or len(name) > 120:
        return None
    return {"name": name, **slots}
