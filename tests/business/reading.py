"""Read from an answer what it states: amounts, counts, dates and names."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta

from tests.business import agenda, papers, people
from tests.business.facts import Amount, Count, Days, Either, Fact, Names, Words
from tests.business.truth import Truth

AMOUNT = re.compile(
    r"(?<![\d.,])-?(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?[\s\u00a0\u202f]*(?:€|euro\b)"
    r"|€[\s\u00a0\u202f]*(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?"
)
DAY = re.compile(rf"\b(\d{{1,2}})[°º]?\s+({'|'.join(each[:3] for each in papers.MONTHS)})[a-z]*\.?(?:\s+(\d{{4}}))?")
SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?(?![\d/])")
_RELATIVE = {"oggi": 0, "domani": 1, "dopodomani": 2, "ieri": -1, "l'altro ieri": -2}
_AGO = re.compile(r"\b(\d+) giorni fa|\b(?:tra|fra) (\d+) giorni")
_THINGS = (
    "fattur", "client", "contatt", "aziend", "person", "attivita", "trattativ", "progett", "document", "fornitor",
    "contratt", "preventiv", "ricevut", "scadut", "impegn",
)  # fmt: skip
# A year before «fatture» is no count of them, nor are «19 giorni».
COUNTED = re.compile(rf"(?<![\d.,/-])(?!20\d\d\b)(\d+)\s+(?:(?!giorn)[a-z]+\s+)?(?:{'|'.join(_THINGS)})")
_SMALL = ("zero", "un[oa]?", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci")
# How many papers were searched is true of any question.
SEARCHED = re.compile(r"\bho guardato \d+ \w+(?: \w+)?")
HONEST = re.compile(
    r"\bnon (?:lo |ti |te lo )?so\b|non (?:ti )?(?:posso|riesco|sono in grado)|non (?:l'|lo )?ho capito|non sono sicur"
    r"|non ho (?:questo dato|dati|informazioni|modo|abbastanza|(?:un )?(?:indirizzo|numero|telefono|recapit))"
    r"|non (?:lo )?ricordo|non conosco|non (?:lo )?calcolo|non (?:e|sono) (?:un )?(?:dat|fra i dati|tra i dati)"
    r"|modalita locale|non faccio"
    r"|posso (?:dirti|cercare|aiutarti)"
)
# True only where there is nothing: of what exists it is a false statement.
NOTHING = re.compile(
    r"\bnessun|\bmancan?o?\b|\bniente\b|\bnulla\b|\bzero\b|non (?:ho )?trov"
    r"|non (?:ho|hai|c'e|ci sono|risulta|ne ho|vedo|esiste|compare)"
)
ASKS = re.compile(
    r"\b(?:qual[ei]|chi|che cosa|cosa|quando|intendi|intendevi|vuoi)\b[^.!:?]*\?|\b(?:scegli|dimmi) (?:qual|chi|di chi)"
)


_PASSAGE = re.compile(r"\n\s*[\w.-]+\.(?:pdf|jpg|png|xml), pagina \d+")


def first_passage(text: str) -> str:
    """Cut an answer that quotes several documents after the first one, which its reader takes for the answer."""
    starts = [found.start() for found in _PASSAGE.finditer(text)]
    return text[: starts[1]] if len(starts) > 1 else text


def plain(text: str) -> str:
    """Fold case, accents, apostrophes and marks, so that only words count."""
    folded = unicodedata.normalize("NFD", text.casefold().replace("’", "'").replace("ʼ", "'"))
    folded = "".join(each for each in folded if not unicodedata.combining(each))
    folded = re.sub(r"\[\^\d+\]", "", folded)
    return re.sub(r"[*_`«»“”\"]", "", folded).replace("\u00a0", " ").replace("\u202f", " ")


def states(text: str, fact: Fact, truth: Truth) -> bool:
    if isinstance(fact, Either):
        return any(states(text, each, truth) for each in fact.facts)
    if isinstance(fact, Amount):
        said = amounts(text)
        return abs(fact.cents) in said or (fact.cents == 0 and bool(NOTHING.search(text)))
    if isinstance(fact, Count):
        return any(_has_count(text, value, fact.unit) for value in fact.values)
    if isinstance(fact, Days):
        return fact.day in _days(text, truth.today)
    if isinstance(fact, Words):
        return any(plain(each) in text for each in fact.alternatives)
    if fact.is_first:
        return _first_name(text, fact, truth) in {plain(each) for names in fact.each for each in names}
    if not fact.each:
        return bool(NOTHING.search(text))
    return all(any(place_of(text, name) >= 0 for name in names) for names in fact.each)


def _has_count(text: str, value: float, unit: str) -> bool:
    bare = re.sub(r"(?m)^\s*\d+[.)]\s", " ", AMOUNT.sub(" ", SLASHED.sub(" ", DAY.sub(" ", text))))
    if not unit:
        bare = re.sub(r"\d+ giorn[oi]", " ", bare)
    if value == 0:
        return bool(NOTHING.search(text)) or bool(re.search(r"(?<![\d.,/])0(?![\d.,/])", bare))
    number = f"{value:g}".replace(".", ",")
    word = _SMALL[int(value)] if value in range(11) else number
    return bool(re.search(rf"(?<![\d.,/])(?:{number}|\b{word}\b)(?![\d/]|[.,]\d)\s*{unit}", bare))


def place_of(text: str, name: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(plain(name))}(?!\w)", text)
    return found.start() if found else -1


def _first_name(text: str, fact: Names, truth: Truth) -> str | None:
    """Return the name of this kind that comes first, the longest one at its place."""
    pools = names_by_kind(truth)
    pool = next((pool for pool in pools if fact.each[0][0] in pool), pools[0])
    places = [(place, -len(name), plain(name)) for name in pool if (place := place_of(text, name)) >= 0]
    return min(places)[2] if places else None


def names_by_kind(truth: Truth) -> list[set[str]]:
    """Return the names that there are: of contacts, tasks, deals, projects, and the numbers of invoices."""
    return [
        {name for each in people.CONTACTS.values() for name in each.names},
        {each.title for each in agenda.TASKS},
        {each.title for each in agenda.DEALS},
        {each.name for each in agenda.PROJECTS},
        set(papers.numbers(truth.today).values()),
    ]


def amounts(text: str) -> set[int]:
    found = set()
    for whole, part, whole_after, part_after in AMOUNT.findall(text):
        euros, cents = (whole, part) if whole else (whole_after, part_after)
        found.add(int(euros.replace(".", "")) * 100 + int((cents or "0").ljust(2, "0")))
    return found


def _days(text: str, today: date) -> set[date]:
    """Return the dates of a text; without a year the nearest one is meant."""
    found = {today + timedelta(days=days) for word, days in _RELATIVE.items() if re.search(rf"\b{word}\b", text)}
    for ago, ahead in _AGO.findall(text):
        found.add(today + (timedelta(days=int(ahead)) if ahead else -timedelta(days=int(ago))))
    return found | written_days(text, today)


def written_days(text: str, today: date) -> set[date]:
    months = [each[:3] for each in papers.MONTHS]
    told = [(day, months.index(month) + 1, year) for day, month, year in DAY.findall(text)]
    told += [(day, int(month), f"20{year}" if len(year) == 2 else year) for day, month, year in SLASHED.findall(text)]
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
