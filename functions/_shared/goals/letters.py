"""Letters in the assistant's words: what a model is given, and what of its answer may become a letter. Pure.

The model gets facts of one client and writes the text only. The list of what is open, the account, the closing and the
name come from the agent's own block, which goes below the text. What the model wrote is data: each figure in it must be
one of the facts, and no account, link or address is accepted, whatever the model was told by a name or a title.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from functions._shared import ethics, italian_dates
from functions._shared.assistant import figures, limits, origins, sums
from functions._shared.fatturapa import money

SUBJECT_CHARACTERS, LEAST_CHARACTERS, MOST_CHARACTERS = 150, 40, 2_500
TONES: Mapping[int, str] = {1: "cortese", 2: "deciso ma gentile", 3: "fermo e formale, senza minacce"}

INSTRUCTIONS = (
    "Scrivi una email in italiano per conto di un professionista o di una piccola impresa, al suo cliente. "
    "Usa solo i fatti che ricevi: non aggiungere importi, date, numeri, percentuali, promesse o conseguenze. "
    "Non scrivere IBAN, conti, link, indirizzi email o web, numeri di telefono. "
    "Sotto il tuo testo il programma aggiunge da solo l'elenco con gli importi, il totale, i dati per pagare, i saluti "
    "e la firma: non ripeterli. Comincia con il saluto al cliente, poi da due a quattro frasi nel tono indicato, senza "
    "elenchi e senza formattazione. "
    f"{origins.RULES} "
    "Rispondi così e basta: sulla prima riga «Oggetto: …», poi una riga vuota, poi il testo."
)

_SUBJECT = re.compile(r"\s*oggetto\s*:[ \t]*(?P<subject>[^\n]+)\n(?P<body>.*)", re.IGNORECASE | re.DOTALL)
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}|\biban\b", re.IGNORECASE)
_LINK = re.compile(r"@|://|\bwww\.|\]\(|[<>⟦⟧]|(?<![\w.])[\w-]+(?:\.[\w-]+)*\.[a-z]{2,24}\b", re.IGNORECASE)
_MONEY = re.compile(r"€|\beuro\b|\beur\b", re.IGNORECASE)
_BEFORE, _AFTER = re.compile(rf"({sums.NUMBER})\s*$"), re.compile(rf"\s*({sums.NUMBER})")
_NAME = re.compile(r"(?=[\w/-]*\d)[^\W\d][\w/-]*[\w]")
# Amounts in words hide from a check of figures.
_IN_WORDS = re.compile(r"(?:cento|mila|mille|milion[ei])\w*\b|%|\bper cento\b", re.IGNORECASE)


@dataclass(frozen=True)
class Written:
    """A letter as a model wrote it, read and checked."""

    subject: str
    body: str


class Unusable(Exception):
    """What a model wrote cannot be a letter; the message says why, for the log, without its text."""


def request(brief: Mapping[str, Any], style: str | None, tone: int, day: date) -> str:
    """Return what the model is asked: facts in a fence, then the person's own words about their style."""
    facts = json.dumps(_dated(brief["facts"], day), ensure_ascii=False, indent=1)
    asked = f"Scrivi la email. Tono: {TONES.get(tone, TONES[1])}."
    if style:
        asked += f" Chi la firma scrive di solito così: {style}"
    return f"{origins.labelled('fatti su un cliente', facts)}\n\n{asked}"


def read(answer: str, brief: Mapping[str, Any], template: str, day: date) -> Written:
    """Return the letter that a model wrote, with the block of the agent below. Raises Unusable.

    `template` is the agent's own text for the same letter: what it says of a protected kind is not the model's.
    """
    text = origins.bare(unicodedata.normalize("NFKC", limits.written(answer)))
    found = _SUBJECT.fullmatch(text)
    if found is None:
        raise Unusable("no subject")
    subject, body = found["subject"].strip(), found["body"].strip()
    if not 3 <= len(subject) <= SUBJECT_CHARACTERS or not LEAST_CHARACTERS <= len(body) <= MOST_CHARACTERS:
        raise Unusable("length")
    if reason := _refusal(f"{subject}\n{body}", brief["facts"], day):
        raise Unusable(reason)
    if ethics.special_category(f"{subject} {body}") and not ethics.special_category(template):
        raise Unusable("protected data")
    return Written(subject, f"{body}\n\n{brief['block']}")


def still_true(letter: Mapping[str, Any], brief: Mapping[str, Any], day: date) -> bool:
    """Return whether a letter of another day, with the same block, says nothing that a new one could not say."""
    text = str(letter["body"]).removesuffix(str(brief["block"]))
    return text != letter["body"] and _refusal(f"{letter['subject']}\n{text}", brief["facts"], day) is None


def shown(answer: str) -> str:
    """Return what is seen of a letter while it is written."""
    return origins.bare(limits.written(answer))[: MOST_CHARACTERS + SUBJECT_CHARACTERS]


def _refusal(text: str, facts: Mapping[str, Any], day: date) -> str | None:
    """Return why a text says more than its facts; None where it does not."""
    # Names and numbers of the client may look like anything: «Rossi.it srl» is no link here.
    rest = text
    for known in sorted(_texts(facts), key=len, reverse=True):
        if len(known) > 3:
            rest = re.sub(rf"(?<!\w){re.escape(known)}(?!\w)", " ", rest, flags=re.IGNORECASE)
    if _ACCOUNT.search(rest):
        return "an account"
    if _LINK.search(rest):
        return "a link or an address"
    if _IN_WORDS.search(rest):
        return "a figure in words"
    amounts = {Decimal(abs(cents)) / 100 for cents in _cents(facts)}
    for sign in _MONEY.finditer(text):
        found = _BEFORE.search(text[: sign.start()]) or _AFTER.match(text[sign.end() :])
        if found is None or not sums.meanings(found[1]) & amounts:
            return "an amount"
    told = _dated(facts, day)
    # A number with letters («FT26/7») is a name, which the check of figures leaves alone.
    names = {token.casefold() for known in _texts(told) for token in _NAME.findall(known)}
    if any(token.casefold() not in names for token in _NAME.findall(text)):
        return "a figure"
    return "a figure" if figures.unsupported(text, told, day) else None


def _dated(facts: Mapping[str, Any], day: date) -> dict[str, Any]:
    """Add what depends on the day: how late each item is. Amounts are written as people read them."""
    items = [_item(item, day) for item in facts["items"]]
    total = {"totale": money.euros(facts["total_cents"])} if facts.get("total_cents") is not None else {}
    told = {name: value for name, value in facts.items() if name not in ("items", "total_cents")}
    return {**told, **total, "oggi": italian_dates.long_day(day), "elenco": items}


def _item(item: Mapping[str, Any], day: date) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, value in item.items():
        if name == "cents":
            told["importo"] = money.euros(value)
        elif name == "due_on":
            due_on = date.fromisoformat(value)
            told["scadenza"] = italian_dates.long_day(due_on)
            told["giorni di ritardo" if due_on < day else "giorni alla scadenza"] = abs((day - due_on).days)
        elif name.endswith("_on"):
            told["data"] = italian_dates.long_day(date.fromisoformat(value))
        else:
            told[name] = value
    return told


def _texts(facts: Mapping[str, Any]) -> Iterator[str]:
    for value in facts.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            for each in value:
                yield from _texts(each)


def _cents(facts: Mapping[str, Any]) -> Iterator[int]:
    if facts.get("total_cents") is not None:
        yield facts["total_cents"]
    for item in facts["items"]:
        if item.get("cents") is not None:
            yield item["cents"]
