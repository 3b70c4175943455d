"""A new deal in a line: «con Rossi da 3.000 euro per il sito», «Neri, restyling, 2.500 €»."""

from __future__ import annotations

import re

from functions._shared.assistant.local import names, table, taking
from functions._shared.assistant.local.taking import Slots
from functions._shared.assistant.local.words import sentence_of
from functions._shared.assistant.tools import wording
from functions._shared.names import fold

# What leads up to an amount, and belongs to it.
_WORTH = re.compile(
    r"(?:[\s,;:(]+(?:da|di|del|dal|per|a|circa|valore|importo|vale|pari|un|x|intorno|sui|su))*[\s,;:(]*$", re.IGNORECASE
)
_LEADS = re.compile(r"\b(?:da|di|per|valore|importo|vale|a)\s+(?:circa\s+)?$", re.IGNORECASE)
# A bare number this large is no count of pages.
_LEAST_BARE = 100
_STAGE = re.compile(r"[\s,]+in\s+(?:fase\s+(?:di\s+)?)?(contatto|qualificato|preventivo|trattativa)\s*$", re.IGNORECASE)
_WITH = re.compile(r"(?:^|[\s,])con\s+(.+?)(?=\s+(?:per|riguardo|su|sul|sulla|sullo|sui|sulle)\s|\s*[,;:–]|\s+-\s|$)")
_ABOUT = re.compile(
    r"^(?:per|su|sul|sulla|sullo|sui|sulle|riguardo (?:al?|alla)|chiamata|intitolata)\s+", re.IGNORECASE
)
_OF = re.compile(r"\s*\b(?:per|di|del|della|dello|dell['’]|a|al|alla|da|dal|dalla)\s*$", re.IGNORECASE)
_EDGES = ' ,;:.()–-«»"“”'


def read(rest: str) -> Slots | None:
    """The slots of create_deal; None when neither a name nor a subject is left, nor «lui», whoever that is."""
    slots: Slots = {}
    rest = f" {rest}"
    if stage := _STAGE.search(rest):
        slots["stage"], rest = stage[1].capitalize(), rest[: stage.start()]
    if amount := _amount(rest):
        before = _WORTH.sub("", rest[: amount.start()])
        slots["amount"], rest = amount[0].strip(), f"{before} {rest[amount.end() :].lstrip(_EDGES)}".strip()
    if found := _WITH.search(rest):
        if person := _name(found[1]):
            slots["contact"] = person
        rest = f"{rest[: found.start()].strip(_EDGES)} {rest[found.end() :].strip(_EDGES)}"
    title = rest.strip(_EDGES)
    if "contact" not in slots and not found and (name := _named(title)):
        slots["contact"] = name
        head, _, tail = title.partition(name)
        title = f"{_OF.sub('', head.strip(_EDGES))} {tail.strip(_EDGES)}".strip(_EDGES)
    title = names.without_article(sentence_of(_ABOUT.sub("", title))) if title else ""
    if any(each.isalnum() for each in title):
        slots["title"] = title[:1].upper() + title[1:]
    return slots if found or {"title", "contact"} & slots.keys() else None


def _amount(text: str) -> re.Match[str] | None:
    """What is worth something: with euro or thousands, or a large number where an amount would stand."""
    for found in wording.AMOUNT.finditer(text):
        is_said = bool(found["scale"] or found["word"] or re.search("€|eur", found[0], re.IGNORECASE))
        is_bare = bool(_LEADS.search(text[: found.start()])) or found.end() == len(text)
        cents = wording.cents(found[0])
        if cents is not None and (is_said or (is_bare and cents >= _LEAST_BARE * 100)):
            return found
    return None


def _name(text: str) -> str:
    said = sentence_of(text)
    is_pronoun = all(fold(word.raw) in taking.PRONOUNS for word in said.words)
    return "" if not said.words or is_pronoun else names.without_article(said)


def _named(title: str) -> str:
    """A name that is written as one, or a word alone that no rule knows."""
    said = sentence_of(title)
    if name := names.capital(said):
        return name
    alone = [word for word in said.words if word.norm not in table.CLASSES["PREP"]]
    name = names.find(said, loose=True) if len(alone) == 1 and not _ABOUT.match(title) else ""
    return name if name and name == said.words[-1].raw else ""
