"""«questo mese», «da luglio a settembre», «nel terzo trimestre», «sabato e domenica»: the days meant, both included."""

from __future__ import annotations

import re
from datetime import date, timedelta

from functions._shared.assistant.local import table
from functions._shared.assistant.local.words import Sentence, Word
from functions._shared.assistant.tools import wording
from functions._shared.quick_add.days import last_of
from functions._shared.quick_add.tokens import fold

Period = tuple[date, date]
_MONTHS = {name: number for number, name in enumerate(table.TABLE["classes"]["MONTH"].split(), 1)}
_MONTH_NAMES = "|".join(_MONTHS)
_ORDINALS = {"primo": 1, "secondo": 2, "terzo": 3, "quarto": 4}
_THIS = r"(?:questo|quest'|questa|in questo|corrente|del|nel|nell') "
_LAST = re.compile(
    r"(?:^| )(?:(mese|anno|settimana|trimestre) (?:scorso|scorsa|passato|passata|precedente)"
    r"|(?:scorso|scorsa) (mese|anno|settimana|trimestre)) "
)
_NOW = re.compile(
    rf"(?:^| )(?:{_THIS}(mese|anno|settimana|trimestre)(?! di)|(mese|anno|settimana|trimestre) (?:corrente|in corso)) "
)
_NEXT = re.compile(
    r"(?:^| )(?:(mese|settimana|sett) (?:prossim[oa]|prox|entrante|ventura|che viene|dopo)"
    r"|(?:prossim[oa]|prox|next) (mese|settimana|sett|week|month)) "
)
_DAYS = re.compile(r"(?:^| )ultimi ([0-9]{1,3}) giorni ")
_LAST_MONTH = re.compile(r"(?:^| )ultimo mese ")
_YEAR = re.compile(r"(?:^| )(20[0-9]{2}) ")
_PART = re.compile(r"(?:^| )(?:q([1-4])|(primo|secondo|terzo|quarto|[1-4])[°º]? (trimestre|quarter|semestre)) ")
_SO_FAR = re.compile(r"(?:^| )(?:(?:da|dall') inizio (?:dell' )?anno|year to date|ytd) (?!a )")
_FROM_TO = re.compile(
    r"(?:^| )(?:da|dal|dall'|tra|fra) (?:(?:il|inizio|di) )*(?:([0-9]{1,2}) )?"
    rf"(?:({_MONTH_NAMES}) )?(?:20[0-9]{{2}} )?(?:a|ad|al|all'|e|fino a|fino al|fino all'|fino ad) "
    rf"(?:(?:il|l'|fine|tutto) )*(?:([0-9]{{1,2}}) )?(?:di )?({_MONTH_NAMES})? ?"
)
_SINCE = re.compile(
    rf"(?:^| )(?:da|dal|dall') (?:(?:inizio|primo|il|1) )*(?:di )?({_MONTH_NAMES}) "
    r"(?:(?:fino )?(?:a|ad) (?:oggi|ora|adesso)|in qua|in poi) "
)
WEEKDAYS = {fold(name): number for number, name in enumerate(wording.WEEKDAYS)}
_WEEKDAY_NAMES = "|".join(WEEKDAYS)
_DAY_TO_DAY = re.compile(
    rf"(?:^| )(?:(?:da|dal|dalla|tra|fra) )?(oggi|domani|{_WEEKDAY_NAMES}) "
    rf"(?:fino )?(?:a|al|alla|e) (domani|dopodomani|{_WEEKDAY_NAMES}) "
)
_WEEKEND = re.compile(r"(?:^| )(?:fine settimana|weekend|week end|week-end)(?! scors[oa]) ")


def find(sentence: Sentence, today: date, *, ahead: bool = False) -> Period | None:
    """The period that a sentence names, if any; `ahead`: a month without its year is one to come."""
    told = [
        _month_or_word(word, after) for word, after in zip(sentence.words, (*sentence.words[1:], None), strict=False)
    ]
    line = "".join(f"{each} " for each in told)
    year = int(found[1]) if (found := _YEAR.search(line)) else None
    return (
        _of_days(line, today)
        or _relative(line, today)
        or _part(line, year or today.year)
        or _from_to(line, today, year, ahead=ahead)
        or _since(line, today)
        or _month(told, today, year, ahead=ahead)
        or ((date(year, 1, 1), date(year, 12, 31)) if year else None)
    )


def between(sentence: Sentence, today: date) -> Period | None:
    """The period that is told by its first and last day: «dal 7 all'11 dicembre», «sabato e domenica»."""
    line = "".join(f"{word.norm} " for word in sentence.words)
    return _of_days(line, today) or _from_to(line, today, None, ahead=True)


def _month_or_word(word: Word, after: Word | None) -> str:
    """A name («Marzo Service») and a slip of something else («aggio») are no months."""
    is_name = word.capital and (word.start > 0 or (after is not None and after.capital))
    is_month = fold(word.raw) in _MONTHS and not is_name
    return word.norm if word.norm not in _MONTHS or is_month else "-"


def _relative(line: str, today: date) -> Period | None:
    for form, back in ((_LAST, -1), (_NOW, 0), (_NEXT, 1)):
        if found := form.search(line):
            return _span(found[1] or found[2], today, back)
    if found := _DAYS.search(line):
        return today - timedelta(days=int(found[1])), today
    if _LAST_MONTH.search(line):
        return today - timedelta(days=30), today
    return (date(today.year, 1, 1), today) if _SO_FAR.search(line) else None


def _part(line: str, year: int) -> Period | None:
    """A quarter or a half of a year."""
    found = _PART.search(line)
    if not found:
        return None
    months = 6 if found[3] == "semestre" else 3
    number = _ORDINALS.get(found[2]) or int(found[1] or found[2])
    return (date(year, months * (number - 1) + 1, 1), last_of(year, months * number)) if number * months <= 12 else None


def _of_days(line: str, today: date) -> Period | None:
    """«da oggi a venerdì», «sabato e domenica», «nel weekend»; days are those to come."""
    if _WEEKEND.search(line):
        is_sunday = today.weekday() == WEEKDAYS["domenica"]
        saturday = today - timedelta(days=1) if is_sunday else _day("sabato", today)
        return saturday, saturday + timedelta(days=1)
    found = _DAY_TO_DAY.search(line)
    if not found:
        return None
    first = _day(found[1], today)
    return first, _day(found[2], today if found[2] in ("domani", "dopodomani") else first)


def _day(name: str, since: date) -> date:
    ahead = {"oggi": 0, "domani": 1, "dopodomani": 2}.get(name)
    return since + timedelta(days=(WEEKDAYS[name] - since.weekday()) % 7 if ahead is None else ahead)


def _since(line: str, today: date) -> Period | None:
    """«da settembre a oggi»."""
    found = _SINCE.search(line)
    if not found:
        return None
    month = _MONTHS[found[1]]
    return date(_year_of(month, today, ahead=False), month, 1), today


def _from_to(line: str, today: date, year: int | None, *, ahead: bool) -> Period | None:
    """«da luglio a settembre», «dal 3 al 10 novembre», «dall'inizio di novembre al 23»."""
    found = _FROM_TO.search(line)
    if not found or not (found[2] or found[4]) or not (found[4] or found[3]):
        return None
    last = _MONTHS[found[4] or found[2]]
    first = _MONTHS[found[2] or found[4]]
    of_last = year or _year_of(last, today, ahead=ahead)
    try:
        begin = date(of_last - (first > last), first, int(found[1] or 1))
        return begin, date(of_last, last, int(found[3])) if found[3] else last_of(of_last, last)
    except ValueError:
        return None


def _month(told: list[str], today: date, year: int | None, *, ahead: bool) -> Period | None:
    month = next((_MONTHS[each] for each in told if each in _MONTHS), None)
    if not month:
        return None
    chosen = year or _year_of(month, today, ahead=ahead)
    return date(chosen, month, 1), last_of(chosen, month)


def _year_of(month: int, today: date, *, ahead: bool) -> int:
    if ahead:
        return today.year + (month < today.month)
    return today.year - (month > today.month)


def _span(unit: str, today: date, back: int) -> Period:
    if unit in ("settimana", "sett", "week"):
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * back)
        return monday, monday + timedelta(days=6)
    if unit == "anno":
        return date(today.year + back, 1, 1), date(today.year + back, 12, 31)
    months = 3 if unit == "trimestre" else 1
    begin = (today.month - 1) // months * months + months * back
    first = date(today.year + begin // 12, begin % 12 + 1, 1)
    return first, last_of(first.year, first.month + months - 1)
