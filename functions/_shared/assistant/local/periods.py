"""Which days a sentence of the chat means, both included, and whether all that is said of time was understood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from functions._shared.assistant.local import names
from functions._shared.assistant.local.words import Sentence, Word, parts_of, sentence_of
from functions._shared.names import fold
from functions._shared.quick_add import periods, rules
from functions._shared.quick_add.periods import Aim, Period

_MONTHS = rules.WORDS["month"]
_OF_TIME = frozenset(
    word for name in ("month", "wd", "unit", "length", "months", "feast", "season") for word in rules.WORDS[name]
)
_YEARS = frozenset(str(year) for year in range(2000, 2100))
_DATE = rules.SHAPES["dm"][0]
_BEFORE_DATES = frozenset({"il", "dal", "al", "del", "entro", "e", "tra", "fra"})


def find(sentence: Sentence, today: date, aim: Aim = "past") -> Period | None:
    """Return the period that a sentence names, if any."""
    found = periods.read(_words(sentence), today, aim)
    return found.period if found else None


def between(sentence: Sentence, today: date) -> Period | None:
    """Return the period that is told by its first and last day: «dal 7 all'11 dicembre», «sabato e domenica»."""
    found = periods.read([word.norm for word in sentence.words], today, "ahead", periods.RANGES)
    return found.period if found else None


def before(sentence: Sentence, today: date) -> str:
    """Return the words before the period, as rules see them: «fatture emesse a »."""
    words = _words(sentence)
    found = periods.read(words, today)
    return "".join(f"{word} " for word in words[: found.begin]) if found else ""


def of_invoices(said: Mapping[str, object], sentence: Sentence, today: date) -> dict[str, str]:
    """Return the days of invoices and deals: of what is unpaid a month is the nearest, since it may be late."""
    if said.get("state") == "ferme":
        # «ferme da più di un mese» tells the state.
        return {}
    return slots(find(sentence, today, "near" if said.get("state") == "da_pagare" else "past"))


def slots(period: Period | None) -> dict[str, str]:
    """Return the days as plans and tools take them."""
    named = zip(("from", "to"), period or (), strict=False)
    return {name: day.isoformat() for name, day in named if day}


def is_understood(text: str, today: date) -> bool:
    """Tell whether the period that is read holds every word of time; what was not understood is to be asked."""
    parts = parts_of(text)
    # Of several sentences the last question counts.
    said = sentence_of(([each for each in parts if each.endswith("?")] or parts)[-1])
    called = names.places(said)
    # «Vivaio Primavera»
    is_name = [{place, place + 1} <= called or {place - 1, place} <= called for place in range(len(said.words))]
    words = tuple(
        replace(word, raw="-", norm="-") if named else word for word, named in zip(said.words, is_name, strict=True)
    )
    line = _words(replace(said, words=words))
    found = periods.read(line, today)
    if found is None:
        return not any(_tells_time(*each) for each in _with_neighbours(line))
    years = {str((day or today).year) for day in found.period}
    return not any(_tells_time(*each) and each[1] not in years for each in _with_neighbours(found.rest))


def _with_neighbours(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    return zip(("", *words), words, (*words[1:], ""), strict=False)


def _tells_time(before: str, word: str, after: str) -> bool:
    """Tell whether a word bounds a sum; «da settimane», «mesi fa» tell a state."""
    if word in _OF_TIME:
        return before != "da" and after != "fa"
    return word in _YEARS or (before in _BEFORE_DATES and bool(_DATE.fullmatch(word)))


def _words(sentence: Sentence) -> list[str]:
    """Return the words as rules see them, without what only looks like a month."""
    told = zip(sentence.words, (*sentence.words[1:], None), strict=False)
    return [_month_or_word(word, after) for word, after in told]


def _month_or_word(word: Word, after: Word | None) -> str:
    """Return «-» for a name («Marzo Service») and a slip of something else («aggio»): they are no months."""
    is_name = word.capital and (word.start > 0 or (after is not None and after.capital))
    is_month = fold(word.raw) in _MONTHS and not is_name
    return word.norm if word.norm not in _MONTHS or is_month else "-"
