"""A mail that begins with one of the person's templates, by its name.

«Scrivi a Rossi con il modello Sollecito gentile», «manda a Rossi la mail “Auguri”».
"""

from __future__ import annotations

import re

from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_WRITE = r"(?:scriv\w*|mand\w*|invi\w*|prepar\w*|fa\w*|cre\w*|inizi\w*|buttami giu)"
_MAIL = r"(?:e-?mail|mail|lettera|bozza(?: di (?:e-?mail|mail))?|messaggio(?: di posta)?)"
_A_MAIL = rf"(?:un'|una |un |la |l'|il )?{_MAIL}"
_TO = r"(?:all'|agli |alle |alla |allo |ai |al |ad |a |per )"
_BY = r"(?:con|col|usando|utilizzando|dal|da|secondo|seguendo|partendo da|partendo dal|in base a|in base al|sul)"
_TEMPLATE = (
    r"(?:il |un |lo )?(?:mio )?modello(?: di (?:e-?mail|mail|lettera))?(?: (?:chiamato|che si chiama|dal titolo))?"
)
# «Con il modello F24» is about a form of the tax office.
_NAME = r":? (?!f ?24\b|unico\b|iva\b|\d)(?P<template>.+?)"
_QUOTED = r"[«“\"](?P<template>[^«»“”\"]+)[»”\"]"
_WITH_PRONOUN = r"(?:scriv|mand|invi|prepar)\w*?(?P<pronoun>gli|le|loro)"
_CONTACT = rf"{_TO}(?P<contact>.+?)"
_FORMS = tuple(
    re.compile(f"^{form}$")
    for form in (
        rf"{_WITH_PRONOUN}(?: {_A_MAIL})? {_BY} {_TEMPLATE}{_NAME}",
        rf"{_WRITE}(?: {_A_MAIL})?(?: {_CONTACT})?(?: {_A_MAIL})? {_BY} {_TEMPLATE}{_NAME}",
        rf"(?:usa\w*|prendi|applica) {_TEMPLATE}{_NAME} (?:per (?:scrivere |una {_MAIL} |la {_MAIL} )?)?{_CONTACT}",
        rf"{_WITH_PRONOUN} (?:{_A_MAIL}|{_TEMPLATE}) {_QUOTED}",
        rf"{_WRITE} {_CONTACT} (?:{_A_MAIL}|{_TEMPLATE}) {_QUOTED}",
        rf"{_WRITE} (?:{_A_MAIL}|{_TEMPLATE}) {_QUOTED} {_CONTACT}",
    )
)
_WHATSAPP = re.compile(r"\bwhats ?app\b")


def read(sentence: Sentence, before: Said | None) -> Said | None:
    """Return the mail with the template that it names; None for any other sentence."""
    text = asked_in(sentence)
    found = next((found for form in _FORMS if (found := form.match(text))), None)
    if found is None or _WHATSAPP.search(text):
        return None
    said = found.groupdict()
    slots = {"template": said["template"].strip(" «»“”\"'")}
    if contact := said.get("contact"):
        return Said("draft_email", {**slots, "contact": contact})
    person = before.slots if said.get("pronoun") and before else {}
    return Said("draft_email", {**slots, **{key: person[key] for key in ("contact", "pick") if key in person}})
