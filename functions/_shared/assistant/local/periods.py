"""«questo mese», «da luglio a settembre», «negli ultimi 3 mesi», «entro venerdì»: the days meant, both included, and
whether all that is said of time was understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from functions._shared.assistant.local import names, said_days
from functions._shared.assistant.local.words import Sentence, Word, parts_of, sentence_of
from functions._shared.quick_add.tokens import fold

_LAST_YEAR = re.compile(r"(?:^| )(?:(?:dell'|dello|di|nell'|nello) )?(?:anno (?:scorso|passato)|scorso anno)(?= )")
_SLASHED = re.compile(r"(?<= )(il|dal|al|del|entro|e|tra|fra) ([0-9]{1,2})/([0-9]{1,2})(?:/(20[0-9]{2}))?(?= )")
_OF_MONTH = re.compile(rf" mese di(?= (?:{said_days.MONTH_NAMES}) )")
# Words that bound a sum; «da settimane», «mesi fa» tell a state.
_OF_TIME = re.compile(
    rf"(?:^| )(?<!da )(?:{said_days.MONTH_NAMES}|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|bimestr[ei]|trimestr[ei]"
    rf"|quadrimestr[ei]|semestr[ei]|{said_days.WEEKDAY_NAMES}|natale|pasqua|ferragosto|capodanno|estate|inverno"
    r"|autunno|primavera) (?!fa )"
)


def find(sentence: Sentence, today: date, aim: said_days.Aim = "past") -> said_days.Period | None:
    """The period that a sentence names, if any."""
    found = said_days.read(_line(sentence, today, aim))
    return found.period if found else None


def between(sentence: Sentence, today: date) -> said_days.Period | None:
    """The period that is told by its first and last day: «dal 7 all'11 dicembre», «sabato e domenica»."""
    line = said_days.Line("".join(f"{word.norm} " for word in sentence.words), today, "ahead")
    found = said_days.of_days(line) or said_days.from_to(line)
    return found.period if found else None


def before(sentence: Sentence, today: date) -> str:
    """The words before the period, as rules see them: «fatture emesse a »."""
    line = _line(sentence, today, "past")
    found = said_days.read(line)
    return f"{line.text[: found.begin]} ".lstrip() if found else ""


def of_invoices(said: Mapping[str, object], sentence: Sentence, today: date) -> dict[str, str]:
    """The days of invoices and deals: of what is unpaid a month is the nearest, since it may be late."""
    if said.get("state") == "ferme":
        # «ferme da più di un mese» tells the state.
        return {}
    return slots(find(sentence, today, "near" if said.get("state") == "da_pagare" else "past"))


def slots(period: said_days.Period | None) -> dict[str, str]:
    """As plans and tools are told."""
    named = zip(("from", "to"), period or (), strict=False)
    return {name: day.isoformat() for name, day in named if day}


def is_understood(text: str, today: date) -> bool:
    """Whether no word of time stands outside the period that is read; what was not understood is to be asked."""
    parts = parts_of(text)
    # Of several sentences the last question counts.
    said = sentence_of(([each for each in parts if each.endswith("?")] or parts)[-1])
    called = names.places(said)
    # «Vivaio Primavera»
    is_name = [{place, place + 1} <= called or {place - 1, place} <= called for place in range(len(said.words))]
    words = tuple(
        replace(word, raw="-", norm="-") if named else word for word, named in zip(said.words, is_name, strict=True)
    )
    line = _line(replace(said, words=words), today, "past")
    found = said_days.read(line)
    if found is None:
        return not (_OF_TIME.search(line.text) or said_days.YEAR.search(line.text))
    years = range(*((day or today).year + later for day, later in zip(found.period, (0, 1), strict=True)))
    rest = f"{line.text[: found.begin]} - {line.text[found.end :]}"
    return not _OF_TIME.search(rest) and all(int(year) in years for year in said_days.YEAR.findall(rest))


def _line(sentence: Sentence, today: date, aim: said_days.Aim) -> said_days.Line:
    told = [
        _month_or_word(word, after) for word, after in zip(sentence.words, (*sentence.words[1:], None), strict=False)
    ]
    text = _OF_MONTH.sub(" ", _SLASHED.sub(_spelled, "".join(f"{each} " for each in told)))
    if said_days.MONTH.search(text) or said_days.PART.search(text):
        # «novembre dell'anno scorso»
        text = _LAST_YEAR.sub(f" {today.year - 1}", text)
    return said_days.Line(text, today, aim)


def _spelled(found: re.Match[str]) -> str:
    """«il 15/10» → «il 15 ottobre»."""
    if not 1 <= int(found[3]) <= len(said_days.MONTHS):
        return found[0]
    return f"{found[1]} {found[2]} {list(said_days.MONTHS)[int(found[3]) - 1]}" + (f" {found[4]}" if found[4] else "")


def _month_or_word(word: Word, after: Word | None) -> str:
    """A name («Marzo Service») and a slip of something else («aggio») are no months."""
    is_name = word.capital and (word.start > 0 or (after is not None and after.capital))
    is_month = fold(word.raw) in said_days.MONTHS and not is_name
    return word.norm if word.norm not in said_days.MONTHS or is_month else "-"
