"""Judge what the assistant answers: right, honest about what it does not know, asking back, or wrong.

An amount, count, date or name that is not true of what was asked makes an answer wrong, whatever else it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import Enum
from typing import Any

from tests.business import agenda, people, reading
from tests.business.books import month_start
from tests.business.facts import Amount, Count, Days, Either, Fact, Names
from tests.business.people import Contact
from tests.business.truth import Truth

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
    or_honest  the data alone does not tell, so saying this is right too
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
    or_honest: bool = False


@dataclass(frozen=True)
class Answer:
    """What was said last, what was proposed with it and before, and how many actions were undone."""

    text: str
    cards: tuple[dict[str, Any], ...] = ()
    previous_cards: tuple[dict[str, Any], ...] = ()
    undone: int = 0


def judged(question: Question, answer: Answer, truth: Truth) -> tuple[Verdict, str]:
    """Return what an answer is worth, and why."""
    text = reading.plain(answer.text)
    if not text.strip() and not answer.cards:
        return Verdict.WRONG, "no answer"
    for pattern in question.never:
        if re.search(reading.plain(truth.filled(pattern)), text):
            return Verdict.WRONG, f"says «{pattern}»"
    if question.right == "action":
        return _action(question, answer, text, truth)
    if answer.cards and not question.tools:
        return Verdict.WRONG, f"proposes {answer.cards[0]['tool']}"
    if question.right == "asks":
        return _asking(question, text, truth)
    if question.right == "unknown":
        return _unknown(question, text, truth)
    return _facts(question, reading.first_passage(text), truth)


def _action(question: Question, answer: Answer, text: str, truth: Truth) -> tuple[Verdict, str]:
    if question.facts and answer.undone and not _missing(question, text, truth):
        return Verdict.RIGHT, ""
    tools = re.compile("|".join(question.tools))
    for card in answer.cards:
        said = _card(card)
        fits = tools.search(card["tool"]) and all(
            reading.states(said, truth.fact(each), truth) for each in question.args
        )
        if fits and _is_changed(question.change, _body(answer.previous_cards), _body((card,))):
            return Verdict.RIGHT, ""
    if answer.cards:
        return Verdict.WRONG, f"proposes {answer.cards[0]['tool']} with other values"
    return _otherwise(text, truth, "no action")


def _card(card: dict[str, Any]) -> str:
    """Return everything that a proposal says, to its reader and in its arguments."""
    said = [*card.get("args", {}).values(), *_texts(card.get("preview", {}))]
    return reading.plain("\n".join(str(each) for each in said))


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
    if reading.ASKS.search(text):
        missing = _missing(question, text, truth)
        return (Verdict.ASKS, f"does not offer {missing}") if missing else (Verdict.RIGHT, "")
    if reading.HONEST.search(text) and not reading.amounts(text):
        return Verdict.HONEST, "does not ask which"
    return Verdict.WRONG, "does not ask which"


def _unknown(question: Question, text: str, truth: Truth) -> tuple[Verdict, str]:
    if foreign := _foreign(question, text, truth):
        return Verdict.WRONG, foreign
    if reading.HONEST.search(text) or reading.NOTHING.search(text):
        return Verdict.RIGHT, ""
    if reading.ASKS.search(text):
        return Verdict.ASKS, "asks about what is not in the data"
    return Verdict.WRONG, "does not say that it does not know"


def _facts(question: Question, text: str, truth: Truth) -> tuple[Verdict, str]:
    if missing := _missing(question, text, truth):
        if question.or_honest and reading.HONEST.search(text) and not reading.amounts(text):
            return Verdict.RIGHT, ""
        return _otherwise(text, truth, f"misses {missing}", question.about)
    if foreign := _foreign(question, text, truth):
        return Verdict.WRONG, foreign
    return Verdict.RIGHT, ""


def _otherwise(text: str, truth: Truth, why: str, about: Iterable[str] = ()) -> tuple[Verdict, str]:
    """Tell honest and asking answers from wrong ones; true figures about something else may be offered."""
    amounts, _, _ = truth.books.figures((*ALL_SUBJECTS, *about))
    if false := reading.amounts(text) - amounts:
        return Verdict.WRONG, f"{why}; says {sorted(false)}"
    if reading.HONEST.search(text):
        return Verdict.HONEST, why
    return (Verdict.ASKS, why) if reading.ASKS.search(text) else (Verdict.WRONG, why)


# --- what must be there ---------------------------------------------------------------------------------------------


def _missing(question: Question, text: str, truth: Truth) -> str:
    return "; ".join(each for each in question.facts if not reading.states(text, truth.fact(each), truth))


# --- what must not be there -----------------------------------------------------------------------------------------


def _foreign(question: Question, text: str, truth: Truth) -> str:
    """Name what the answer says that is not true of its question."""
    told = [truth.fact(each) for each in (*question.facts, *question.also) if each != "talks"]
    facts = [inner for each in told for inner in (each.facts if isinstance(each, Either) else (each,))]
    asked = reading.plain(truth.filled(" ".join((*question.before, question.ask))))
    subjects = [f"client:{each.company or each.key}" for each in _named(asked)]
    # An average rests on the invoices of its side.
    sides = [each.split()[1] for each in question.facts if each.startswith("days ")]
    amounts, counts, days = truth.books.figures([*question.about, *subjects, *sides])
    told_cents = {abs(each.cents) for each in facts if isinstance(each, Amount)}
    # The difference of what was asked for is as true as both.
    amounts |= told_cents | {abs(one - other) for one in told_cents for other in told_cents}
    if false := reading.amounts(text) - amounts:
        return f"says the amount {', '.join(f'{each / 100:.2f}' for each in sorted(false))}"
    if any(isinstance(each, Count) for each in facts) or question.about:
        counts |= {int(value) for each in facts if isinstance(each, Count) for value in each.values}
        counts |= {len(each.each) for each in facts if isinstance(each, Names)} | {0, 1}
        bare = reading.AMOUNT.sub(" ", reading.SLASHED.sub(" ", reading.DAY.sub(" ", reading.SEARCHED.sub(" ", text))))
        if false := {int(each) for each in reading.COUNTED.findall(bare)} - counts:
            return f"counts {sorted(false)}"
    if any(isinstance(each, Days) for each in facts):
        days |= {each.day for each in facts if isinstance(each, Days)} | _usual_days(truth.today)
        if "talks" in question.also:
            days |= {truth.today - timedelta(days=each.age) for each in agenda.TALKS}
        if false_days := reading.written_days(text, truth.today) - days:
            return f"says the day {', '.join(map(str, sorted(false_days)))}"
    return _foreign_names(question, facts, text, truth) if question.only else ""


def _usual_days(today: date) -> set[date]:
    """Return today and the ends of periods that answers name."""
    firsts = [month_start(today, offset) for offset in range(-24, 14)]
    return {today, *firsts, *(each - timedelta(days=1) for each in firsts)}


def _named(asked: str) -> list[Contact]:
    """Return the contacts whom a question names."""
    return [each for each in people.CONTACTS.values() if any(reading.place_of(asked, name) >= 0 for name in each.names)]


def _foreign_names(question: Question, facts: Iterable[Fact], text: str, truth: Truth) -> str:
    """Name what is of the same kind as the expected names and not among them."""
    expected = {name for fact in facts if isinstance(fact, Names) for names in fact.each for name in names}
    pools = [pool for pool in reading.names_by_kind(truth) if pool & expected] or reading.names_by_kind(truth)[:1]
    asked = reading.plain(truth.filled(" ".join((*question.before, question.ask))))
    known = [each for each in people.CONTACTS.values() if expected & set(each.names)]
    known += [
        each for each in people.CONTACTS.values() if any(reading.place_of(asked, name) >= 0 for name in each.names)
    ]
    # The company of somebody who is named may be named too.
    known += [people.CONTACTS[each.company] for each in known if each.company]
    allowed = expected | {name for each in known for name in each.names}
    # «10/2026» is an invoice, «28/10/2026» a day.
    said = reading.SLASHED.sub(" ", text)
    for name in sorted(allowed, key=len, reverse=True):
        said = re.sub(rf"(?<!\w){re.escape(reading.plain(name))}(?!\w)", " ", said)
    for name in sorted(name for pool in pools for name in pool - allowed if len(name) > 4):
        if reading.place_of(said, name) >= 0:
            return f"names «{name}»"
    return ""
