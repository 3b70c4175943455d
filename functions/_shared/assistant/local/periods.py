"""«questo mese», «a ottobre», «l'anno scorso»: the days meant, both included."""

from __future__ import annotations

import re
from datetime import date, timedelta

from functions._shared.assistant.local import table
from functions._shared.assistant.local.words import Sentence
from functions._shared.quick_add.days import last_of

Period = tuple[date, date]
_MONTHS = {name: number for number, name in enumerate(table.TABLE["classes"]["MONTH"].split(), 1)}
_THIS = r"(?:questo|quest'|questa|in questo|corrente|del|nel|nell') "
_LAST = re.compile(
    r"(?:^| )(?:(mese|anno|settimana|trimestre) (?:scorso|scorsa|passato|passata|precedente)"
    r"|(?:scorso|scorsa) (mese|anno|settimana|trimestre)) "
)
_NOW = re.compile(
    rf"(?:^| )(?:{_THIS}(mese|anno|settimana|trimestre)(?! di)|(mese|anno|settimana|trimestre) (?:corrente|in corso)) "
)
_DAYS = re.compile(r"(?:^| )ultimi ([0-9]{1,3}) giorni ")
_MONTH = re.compile(r"(?:^| )ultimo mese ")
_YEAR = re.compile(r"(?:^| )(20[0-9]{2}) ")


def find(sentence: Sentence, today: date) -> Period | None:
    """The period that a sentence names, if any."""
    line = sentence.line
    if found := _LAST.search(line):
        return _span(found[1] or found[2], today, -1)
    if found := _NOW.search(line):
        return _span(found[1] or found[2], today, 0)
    if found := _DAYS.search(line):
        return today - timedelta(days=int(found[1])), today
    if _MONTH.search(line):
        return today - timedelta(days=30), today
    year = int(found[1]) if (found := _YEAR.search(line)) else None
    month = next((_MONTHS[word.norm] for word in sentence.words if word.norm in _MONTHS and not word.capital), None)
    if month:
        chosen = year or (today.year if month <= today.month else today.year - 1)
        return date(chosen, month, 1), last_of(chosen, month)
    return (date(year, 1, 1), date(year, 12, 31)) if year else None


def _span(unit: str, today: date, back: int) -> Period:
    if unit == "settimana":
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * back)
        return monday, monday + timedelta(days=6)
    if unit == "anno":
        return date(today.year + back, 1, 1), date(today.year + back, 12, 31)
    months = 3 if unit == "trimestre" else 1
    begin = (today.month - 1) // months * months + months * back
    first = date(today.year + begin // 12, begin % 12 + 1, 1)
    return first, last_of(first.year, first.month + months - 1)
