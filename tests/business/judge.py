"""Judge what the assistant answers: right, honest about what it does not know, asking back, or wrong.

An amount, count, date or name that is not true of what was asked makes an answer wrong, whatever else it says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import Enum
from typing import Any

from tests.business import agenda, papers, people
from tests.business.truth import MONTHS, Amount, Count, Days, Fact, Names, Truth, Words, month_start

ALL_SUBJECTS = ("issued", "received", "deals")


class Verdict(Enum):
    """What an answer is worth."""

    RIGHT = "right"
    HONEST = "honest"
    ASKS = "asks"
    WRONG = "wrong"


@dataclass(frozen=True)
class Question:
    """A question of the class `of` with what is right: facts of `truth`, or asking, not knowing, or an action.

    facts    each must be in the answer
    also     further facts about the question that may be in it
    about    the rows whose figures may be in it
    never    patterns that must not be in it
    only     no other contact, task, deal, project or invoice number may be in it
    tools    the actions of which one must be proposed, with all of `args` (facts, or texts) in it
    change   «different» or «shorter» than the letter before
    """

    id: str
    of: str
    ask: str
    right: str = "answer"
    before: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    about: list[str] = field(default_factory=list)
    never: list[str] = field(default_factory=list)
    only: bool = False
    tools: list[str] = field(default_factory=list)
    args: list[str] = field(default_factory=list)
    change: str | None = None


@dataclass(frozen=True)
class Answer:
    """What was said last, what was proposed with it and before, and how many actions were undone."""

    text: str
    cards: tuple[dict[str, Any], ...] = ()
    previous_cards: tuple[dict[str, Any], ...] = ()
    undone: int = 0


_AMOUNT = re.compile(
    r"(?<![\d.,])-?(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?[\s\u00a0\u202f]*(?:€|euro\b)"
    r"|€[\s\u00a0\u202f]*(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?"
)
_DAY = re.compile(rf"\b(\d{{1,2}})°?\s+({'|'.join(each[:3] for each in MONTHS)})[a-z]*\.?(?:\s+(\d{{4}}))?")
_SLASHED = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})\b")
_RELATIVE = {"oggi": 0, "domani": 1, "dopodomani": 2, "ieri": -1, "l'altro ieri": -2}
_AGO = re.compile(r"\b(\d+) giorni fa|\b(?:tra|fra) (\d+) giorni")
_THINGS = (
    "fattur", "client", "contatt", "aziend", "person", "attivita", "trattativ", "progett", "document", "fornitor",
    "contratt", "preventiv", "ricevut", "scadut", "impegn",
)  # fmt: skip
_COUNTED = re.compile(rf"(?<![\d.,/-])(\d+)\s+(?:[a-z]+\s+)?(?:{'|'.join(_THINGS)})")
_SMALL = ("zero", "un[oa]?", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci")
_HONEST = re.compile(
    r"\bnon (?:lo |ti |te lo )?so\b|non (?:ti )?(?:posso|riesco|sono in grado)|non (?:l'|lo )?ho capito|non sono sicur"
    r"|non ho (?:questo dato|dati|informazioni|modo|abbastanza|(?:un )?(?:indirizzo|numero|telefono|recapit))"
    r"|non conosco|non (?:lo )?calcolo|non (?:e|sono) (?:un )?(?:dat|fra i dati|tra i dati)|modalita locale|non faccio"
    r"|posso (?:dirti|cercare|aiutarti)"
)
# True only where there is nothing: of what exists it is a false statement.
_NOTHING = re.compile(
    r"\bnessun|\bniente\b|\bnulla\b|\bzero\b|non (?:ho )?trov"
    r"|non (?:ho|hai|c'e|ci sono|risulta|ne ho|vedo|esiste|compare)"
)
_ASKS = re.compile(
    r"\b(?:qual[ei]|chi|che cosa|cosa|a chi|di chi|quando|su chi|con chi|intendi|intendevi|vuoi dire|vuoi|scegli|dimmi)"
    r"\b[^.!]*(?:\?|:)"
)


def plain(text: str) -> str:
    """Fold case, accents, apostrophes and marks, so that only words count."""
    folded = unicodedata.normalize("NFD", text.casefold().replace("’", "'").replace("ʼ", "'"))
    folded = "".join(each for each in folded if not unicodedata.combining(each))
    return re.sub(r"[*_`«»“”\"]", "", folded).replace("\u00a0", " ").replace("\u202f", " ")


def judged(question: Question, answer: Answer, truth: Truth) -> tuple[Verdict, str]:
    """Return what an answer is worth, and why."""
    text = plain(answer.text)
    if not text.strip() and not answer.cards:
        return Verdict.WRONG, "no answer"
    for pattern in question.never:
        if re.search(plain(truth.filled(pattern)), text):
            return Verdict.WRONG, f"says «{pattern}»"
    if question.right == "action":
        return _action(question, answer, text, truth)
    if answer.cards and not question.tools:
        return Verdict.WRONG, f"proposes {answer.cards[0]['tool']}"
    if question.right == "asks":
        return _asking(question, text, truth)
    if question.right == "unknown":
        return _unknown(question, text, truth)
    return _facts(question, answer, text, truth)


def _action(question: Question, answer: Answer, text: str, truth: Truth) -> tuple[Verdict, str]:
    if question.facts and answer.undone and not _missing(question, text, truth):
        return Verdict.RIGHT, ""
    tools = re.compile("|".join(question.tools))
    for card in answer.cards:
        said = _card(card)
        fits = tools.search(card["tool"]) and all(_has(said, truth.fact(each), truth) for each in question.args)
        if fits and _is_changed(question.change, _body(answer.previous_cards), _body((card,))):
            return Verdict.RIGHT, ""
    if answer.cards:
        return Verdict.WRONG, f"proposes {answer.cards[0]['tool']} with other values"
    return _otherwise(text, truth, "no action")


def _card(card: dict[str, Any]) -> str:
    """Return everything that a proposal says, to its reader and in its arguments."""
    said = [*card.get("args", {}).values(), *_texts(card.get("preview", {}))]
    return plain("\n".join(str(each) for each in said))


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [each for inner in value.values() for each in _texts(inner)]
    if isinstance(value, list):
        return [each for inner in value for each in _texts(inner)]
    return [str(value)]


def _body(cards: Iterable[dict[str, Any]]) -> str:
    return "\n".join(str(card.get("args", {}).get("body", "")) for card in cards)


def _is_changed(change: str | None, before: str, after: str) -> bool:
    if change is None:
        return True
    return after != before and (change != "shorter" or len(after) < len(before))


def _asking(question: Question, text: str, truth: Truth) -> tuple[Verdict, str]:
    if _ASKS.search(text):
        missing = _missing(question, text, truth)
        return (Verdict.ASKS, f"does not offer {missing}") if missing else (Verdict.RIGHT, "")
    if _HONEST.search(text) and not _amounts(text):
        return Verdict.HONEST, "does not ask which"
    return Verdict.WRONG, "does not ask which"


def _unknown(question: Question, text: str, truth: Truth) -> tuple[Verdict, str]:
    if foreign := _foreign(question, text, truth):
        return Verdict.WRONG, foreign
    if _HONEST.search(text) or _NOTHING.search(text):
        return Verdict.RIGHT, ""
    if _ASKS.search(text):
        return Verdict.ASKS, "asks about what is not in the data"
    return Verdict.WRONG, "does not say that it does not know"


def _facts(question: Question, answer: Answer, text: str, truth: Truth) -> tuple[Verdict, str]:
    if missing := _missing(question, text, truth):
        return _otherwise(text, truth, f"misses {missing}")
    if foreign := _foreign(question, text, truth):
        return Verdict.WRONG, foreign
    return Verdict.RIGHT, ""


def _otherwise(text: str, truth: Truth, why: str) -> tuple[Verdict, str]:
    """Tell honest and asking answers from wrong ones; true figures about something else may be offered."""
    amounts, _, _ = truth.figures(ALL_SUBJECTS)
    if false := _amounts(text) - amounts:
        return Verdict.WRONG, f"{why}; says {sorted(false)}"
    if _HONEST.search(text):
        return Verdict.HONEST, why
    return (Verdict.ASKS, why) if _ASKS.search(text) else (Verdict.WRONG, why)


# --- what must be there ---------------------------------------------------------------------------------------------


def _missing(question: Question, text: str, truth: Truth) -> str:
    return "; ".join(each for each in question.facts if not _has(text, truth.fact(each), truth))


def _has(text: str, fact: Fact, truth: Truth) -> bool:
    if isinstance(fact, Amount):
        said = _amounts(text)
        return abs(fact.cents) in said or (fact.cents == 0 and bool(_NOTHING.search(text)))
    if isinstance(fact, Count):
        return any(_has_count(text, value) for value in fact.values)
    if isinstance(fact, Days):
        return fact.day in _days(text, truth.today)
    if isinstance(fact, Words):
        return any(plain(each) in text for each in fact.alternatives)
    if fact.is_first:
        return _first_name(text) in {plain(each) for names in fact.each for each in names}
    if not fact.each:
        return bool(_NOTHING.search(text))
    return all(any(_place(text, name) >= 0 for name in names) for names in fact.each)


def _has_count(text: str, value: float) -> bool:
    bare = re.sub(r"(?m)^\s*\d+[.)]\s", " ", _AMOUNT.sub(" ", _SLASHED.sub(" ", _DAY.sub(" ", text))))
    if value == 0:
        return bool(_NOTHING.search(text)) or bool(re.search(r"(?<![\d.,/])0(?![\d.,/])", bare))
    number = f"{value:.1f}".replace(".", ",") if isinstance(value, float) and value % 1 else str(int(value))
    word = _SMALL[int(value)] if value in range(11) else number
    return bool(re.search(rf"(?<![\d.,/])(?:{number}|\b{word}\b)(?![\d/]|[.,]\d)", bare))


def _place(text: str, name: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(plain(name))}(?!\w)", text)
    return found.start() if found else -1


def _first_name(text: str) -> str | None:
    """Return the contact's name that comes first, the longest one at its place."""
    places = [
        (place, -len(name), plain(name))
        for each in people.CONTACTS.values()
        for name in each.names
        if (place := _place(text, name)) >= 0
    ]
    return min(places)[2] if places else None


def _amounts(text: str) -> set[int]:
    found = set()
    for whole, part, whole_after, part_after in _AMOUNT.findall(text):
        euros, cents = (whole, part) if whole else (whole_after, part_after)
        found.add(int(euros.replace(".", "")) * 100 + int((cents or "0").ljust(2, "0")))
    return found


def _days(text: str, today: date) -> set[date]:
    """Return the dates of a text; without a year the nearest one is meant."""
    found = {today + timedelta(days=days) for word, days in _RELATIVE.items() if re.search(rf"\b{word}\b", text)}
    for ago, ahead in _AGO.findall(text):
        found.add(today + (timedelta(days=int(ahead)) if ahead else -timedelta(days=int(ago))))
    return found | _written_days(text, today)


def _written_days(text: str, today: date) -> set[date]:
    months = [each[:3] for each in MONTHS]
    told = [(day, months.index(month) + 1, year) for day, month, year in _DAY.findall(text)]
    told += [(day, int(month), year if len(year) == 4 else f"20{year}") for day, month, year in _SLASHED.findall(text)]
    found = set()
    for day, month, year in told:
        years = [int(year)] if year else [today.year - 1, today.year, today.year + 1]
        possible = []
        for each in years:
            try:
                possible.append(date(each, month, int(day)))
            except ValueError:
                continue
        if possible:
            found.add(min(possible, key=lambda each: abs(each - today)))
    return found


# --- what must not be there -----------------------------------------------------------------------------------------


def _foreign(question: Question, text: str, truth: Truth) -> str:
    """Name what the answer says that is not true of its question."""
    facts = [truth.fact(each) for each in (*question.facts, *question.also) if each != "talks"]
    amounts, counts, days = truth.figures(question.about)
    amounts |= {abs(each.cents) for each in facts if isinstance(each, Amount)}
    if false := _amounts(text) - amounts:
        return f"says the amount {', '.join(f'{each / 100:.2f}' for each in sorted(false))}"
    if any(isinstance(each, Count) for each in facts) or question.about:
        counts |= {int(value) for each in facts if isinstance(each, Count) for value in each.values}
        counts |= {len(each.each) for each in facts if isinstance(each, Names)} | {0, 1}
        bare = _AMOUNT.sub(" ", _SLASHED.sub(" ", _DAY.sub(" ", text)))
        if false := {int(each) for each in _COUNTED.findall(bare)} - counts:
            return f"counts {sorted(false)}"
    if any(isinstance(each, Days) for each in facts):
        days |= {each.day for each in facts if isinstance(each, Days)} | _usual_days(truth.today)
        if "talks" in question.also:
            days |= {truth.today - timedelta(days=each.age) for each in agenda.TALKS}
        if false_days := _written_days(text, truth.today) - days:
            return f"says the day {', '.join(map(str, sorted(false_days)))}"
    return _foreign_names(question, facts, text, truth) if question.only else ""


def _usual_days(today: date) -> set[date]:
    """Return today and the ends of periods that answers name."""
    firsts = [month_start(today, offset) for offset in range(-24, 14)]
    return {today, *firsts, *(each - timedelta(days=1) for each in firsts)}


def _foreign_names(question: Question, facts: Iterable[Fact], text: str, truth: Truth) -> str:
    allowed = {plain(name) for fact in facts if isinstance(fact, Names) for names in fact.each for name in names}
    allowed |= {plain(each) for fact in facts if isinstance(fact, Words) for each in fact.alternatives}
    asked = plain(truth.filled(" ".join((*question.before, question.ask))))
    said = text
    for each in sorted(allowed, key=len, reverse=True):
        said = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)", " ", said)
    # The company of somebody who is named may be named too.
    companies = {each.company for each in people.CONTACTS.values() if each.company and plain(each.name) in allowed}
    known = [(name, each.key) for each in people.CONTACTS.values() for name in each.names if each.key not in companies]
    names = [name for name, _ in known if len(name) > 4]
    names += [each.title for each in (*agenda.TASKS, *agenda.DEALS)] + [each.name for each in agenda.PROJECTS]
    if any(re.search(r"^\d+/\d{4}$", each) for each in allowed):
        names += papers.numbers(truth.today).values()
    for name in names:
        if _place(said, name) >= 0 and _place(asked, name) < 0:
            return f"names «{name}»"
    return ""
