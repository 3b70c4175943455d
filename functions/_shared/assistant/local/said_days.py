"""The forms in which days are said: «il mese scorso», «dal 3 al 10 novembre», «entro venerdì»; each reads a line of
folded words and says which of its characters it has read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Literal

from functions._shared.assistant.local import table
from functions._shared.assistant.tools import wording
from functions._shared.quick_add.days import last_of, make
from functions._shared.quick_add.parse import parse
from functions._shared.quick_add.tokens import fold

# First and last day; None: open on that side.
Period = tuple[date | None, date | None]
# Where a month without its year lies: behind us, nearest to today (what is unpaid may be late), or before us.
Aim = Literal["past", "near", "ahead"]
MONTHS = {name: number for number, name in enumerate(table.TABLE["classes"]["MONTH"].split(), 1)}
MONTH_NAMES = "|".join(MONTHS)
_ORDINALS = {"primo": 1, "secondo": 2, "terzo": 3, "quarto": 4, "prima": 1, "seconda": 2}
_COUNTED = {
    "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8, "nove": 9, "dieci": 10,
    "dodici": 12, "quindici": 15, "venti": 20, "trenta": 30, "sessanta": 60, "novanta": 90,
}  # fmt: skip
_NUMBER = rf"([0-9]{{1,3}}|{'|'.join(_COUNTED)})"
# Days, or months.
_UNITS: Mapping[str, int | timedelta] = {
    "giorn": timedelta(days=1), "settiman": timedelta(days=7), "mes": 1, "trimestr": 3, "semestr": 6, "ann": 12,
}  # fmt: skip
_UNIT = r"(giorn[oi]|settiman[ae]|mes[ei]|trimestr[ei]|semestr[ei]|ann[oi])"
_MANY = frozenset({"giorni", "settimane", "mesi", "trimestri", "semestri", "anni"})
YEAR = re.compile(r"(?:^| )(20[0-9]{2})(?= )")
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
_LATELY = re.compile(rf"(?:^| )ultim[oaie] (?:{_NUMBER} )?{_UNIT} (?!solare )")
_COMING = re.compile(rf"(?:^| )prossim[ie] {_NUMBER} {_UNIT} ")
_LONGER = re.compile(rf"(?:^| )da (?:piu|oltre) (?:di )?(?:{_NUMBER}|un|una|un') {_UNIT} ")
_FIRST_MONTHS = re.compile(rf"(?:^| )primi {_NUMBER} mesi (?:(?:del|dell'|di) (?:(?:quest'|anno|20[0-9]{{2}}) )+)?")
_YEARS = re.compile(r"(?:^| )(20[0-9]{2}) (?:e|ed|al?|-|,) (?:(?:il|nel|del) )?(20[0-9]{2}) ")
PART = re.compile(r"(?:^| )(?:q([1-4])|(primo|secondo|terzo|quarto|[1-4])[°º]? (trimestre|quarter|semestre)) ")
_HALF_MONTH = re.compile(
    rf"(?:^| )(prima|seconda) (?:meta|quindicina) (?:di|del mese di) ({MONTH_NAMES}) (?:(?:del )?(20[0-9]{{2}}) )?"
)
_SO_FAR = re.compile(
    r"(?:^| )(?:(?:da|dall') inizio (?:(?:del|della|dell'|di) )?(anno|mese|settimana|trimestre)?"
    r"|year to date|ytd) (?!a )"
)
_BY_END = r"fine (?:(?:del|della|dell'|di) )?(?:anno|mese|settimana|trimestre|mese prossimo)"
_TO_END = re.compile(rf"(?:^| )(?:da|dal) (?:oggi|ora|adesso|qui) (?:fino )?(?:a|alla) (?:la )?({_BY_END}) ")
_BY = re.compile(r"(?:^| )(?:entro|prima di|fino alla?) (?!quest[oa'])(?!.*(?:scors|passat))")
_AT_END = re.compile(rf"(?:^| )(?:a|alla|per|per la) (?={_BY_END} )")
_FROM_TO = re.compile(
    r"(?:^| )(?:da|dal|dall'|tra|fra) (?:(?:il|inizio|di) )*(?:([0-9]{1,2})[°º]? )?"
    rf"(?:({MONTH_NAMES}) )?(?:(?:del )?(20[0-9]{{2}}) )?(?:a|ad|al|all'|e|fino a|fino al|fino all'|fino ad) "
    rf"(?:(?:il|l'|fine|tutto) )*(?:([0-9]{{1,2}}) )?(?:di )?(?:({MONTH_NAMES}) )?(?:(?:del )?(20[0-9]{{2}}) )?"
)
_SINCE = re.compile(
    rf"(?:^| )(?:a partire )?(?:da|dal|dall') (?:(?:inizio|il|di) )*(?:(primo|[0-9]{{1,2}})[°º]? )?(?:di )?"
    rf"({MONTH_NAMES}) (?:(?:del )?(20[0-9]{{2}}) )?(?:(?:fino )?(?:a|ad) (oggi|ora|adesso|ieri) |in qua |in poi )?"
)
_SINCE_YEAR = re.compile(r"(?:^| )(?:da|dal|dall') (?:anno )?(20[0-9]{2}) (?:(?:a|ad) (?:oggi|ora) |in qua |in poi )?")
_DATE = re.compile(
    rf"(?:^| )(?:(?:il|del|al|di|l') )?(?:giorno )?(primo|[0-9]{{1,2}})[°º]? (?:di )?({MONTH_NAMES}) "
    r"(?:(?:del )?(20[0-9]{2}) )?"
)
_MONTHS_IN_A_ROW = re.compile(
    rf"(?:^| )(?:{MONTH_NAMES}) (?:(?:, |e |ed )(?:(?:a|ad|di|in|nel) )?(?:{MONTH_NAMES}) )+"
    r"(?:(?:del )?(20[0-9]{2}) )?"
)
_MONTH_PAST = re.compile(rf"(?:^| )({MONTH_NAMES}) (?:scorso|passato) ")
MONTH = re.compile(rf"(?:^| )({MONTH_NAMES})(?= )")
WEEKDAYS = {fold(name): number for number, name in enumerate(wording.WEEKDAYS)}
WEEKDAY_NAMES = "|".join(WEEKDAYS)
_DAY_TO_DAY = re.compile(
    rf"(?:^| )(?:(?:da|dal|dalla|tra|fra) )?(oggi|domani|{WEEKDAY_NAMES}) "
    rf"(?:fino )?(?:a|al|alla|e) (domani|dopodomani|{WEEKDAY_NAMES}) "
)
_WEEKEND = re.compile(r"(?:^| )(?:fine settimana|weekend|week end|week-end)(?! scors[oa]) ")
_NEAR_DAYS = {"ieri": -1, "oggi": 0, "domani": 1, "dopodomani": 2}
# As of today («quanto mi devono a oggi») is no period, nor is «che ieri mi è saltata fuori una busta».
_NEAR_DAY = re.compile(
    r"(?:^|(?<! a)(?<! ad)(?<!che)(?<!deve)(?<!devono) )(ieri|oggi|domani|dopodomani) "
    r"(?=$|[?!.,] |(?:da|dai|dal|dalla|dagli|dalle|di|con|per|a|ai|al|alla|quanto|quante|che|cosa|quali) )"
)
_HALF_A_YEAR = 6


@dataclass(frozen=True)
class Found:
    """A period and which characters of the line tell it."""

    period: Period
    begin: int
    end: int


@dataclass(frozen=True)
class Line:
    """The words as forms see them, and from where they are looked at."""

    text: str
    today: date
    aim: Aim = "past"

    @property
    def year(self) -> int | None:
        return int(found[1]) if (found := YEAR.search(self.text)) else None

    def year_of(self, month: int) -> int:
        """The year of a month that stands without one."""
        this, now = self.today.year, self.today.month
        if self.aim == "ahead":
            return this + (month < now)
        if self.aim == "near":
            # A month or two ago is late, January in November is to come.
            return this + (now - month > _HALF_A_YEAR) - (month - now > _HALF_A_YEAR)
        return this - (month > now)


def _at(found: re.Match[str], first: date | None, last: date | None) -> Found:
    return Found((first, last), found.start(), found.end())


def _relative(line: Line) -> Found | None:
    """«il mese scorso», «questa settimana», «l'anno prossimo»."""
    for form, back in ((_LAST, -1), (_NOW, 0), (_NEXT, 1)):
        if found := form.search(line.text):
            return _at(found, *_span(found[1] or found[2], line.today, back))
    return None


def _lately(line: Line) -> Found | None:
    """«negli ultimi 3 mesi», «nell'ultimo anno», «dall'inizio dell'anno»: up to today."""
    if found := _LATELY.search(line.text):
        # «negli ultimi mesi» are nobody knows how many.
        is_told = found[1] or found[2] not in _MANY
        return _at(found, _shifted(found, line), line.today) if is_told else None
    if found := _SO_FAR.search(line.text):
        return _at(found, _span(found[1] or "anno", line.today, 0)[0], line.today)
    return None


def _coming(line: Line) -> Found | None:
    """«nei prossimi 30 giorni»."""
    found = _COMING.search(line.text)
    return _at(found, line.today, _shifted(found, line, 1)) if found else None


def _shifted(found: re.Match[str], line: Line, ahead: int = -1) -> date:
    """The day so long ago, or so long from now: «ultimi tre mesi», «un mese»."""
    number = _number(found[1]) * ahead
    unit = next(unit for stem, unit in _UNITS.items() if found[2].startswith(stem))
    if (unit, number) == (1, -1):
        return line.today - timedelta(days=30)
    if isinstance(unit, timedelta):
        return line.today + number * unit
    year, month = line.today.year, line.today.month + number * unit
    return make(year, month, line.today.day) or last_of(year, month)


def _longer(line: Line) -> Found | None:
    """«da più di 30 giorni»."""
    found = _LONGER.search(line.text)
    return _at(found, None, _shifted(found, line) - timedelta(days=1)) if found else None


def _to_end(line: Line) -> Found | None:
    """«da oggi a fine mese»."""
    found = _TO_END.search(line.text)
    due = _due(f"entro {found[1]}", line) if found else None
    return _at(found, line.today, due[0]) if found and due else None


def _until(line: Line, form: re.Pattern[str] = _BY) -> Found | None:
    """«entro fine mese», «entro venerdì»: as the quick-add grammar knows days."""
    found = form.search(line.text)
    due = _due(f"entro {line.text[found.end() :]}", line) if found else None
    return Found((None, due[0]), found.start(), found.end() + due[1] - len("entro ")) if found and due else None


def _at_end(line: Line) -> Found | None:
    """«a fine anno»."""
    return _until(line, _AT_END)


def _due(text: str, line: Line) -> tuple[date, int] | None:
    """The day that a text begins with, and where it ends."""
    read = parse(text, datetime.combine(line.today, time()))
    part = next((each for each in read["parts"] if each["start"] == 0), None)
    return (date.fromisoformat(read["due"][:10]), part["end"]) if read["due"] and part else None


def _part(line: Line) -> Found | None:
    """A quarter or a half of a year, its first months."""
    year = line.year or line.today.year
    if found := _FIRST_MONTHS.search(line.text):
        number = _number(found[1])
        return _at(found, date(year, 1, 1), last_of(year, number)) if number <= len(MONTHS) else None
    found = PART.search(line.text)
    if not found:
        return None
    months = 6 if found[3] == "semestre" else 3
    number = _ORDINALS.get(found[2]) or int(found[1] or found[2])
    if number * months > len(MONTHS):
        return None
    return _at(found, date(year, months * (number - 1) + 1, 1), last_of(year, months * number))


def of_days(line: Line) -> Found | None:
    """«da oggi a venerdì», «sabato e domenica», «nel weekend»; days are those to come."""
    today = line.today
    if found := _WEEKEND.search(line.text):
        is_sunday = today.weekday() == WEEKDAYS["domenica"]
        saturday = today - timedelta(days=1) if is_sunday else _day("sabato", today)
        return _at(found, saturday, saturday + timedelta(days=1))
    found = _DAY_TO_DAY.search(line.text)
    if not found:
        return None
    first = _day(found[1], today)
    return _at(found, first, _day(found[2], today if found[2] in ("domani", "dopodomani") else first))


def _near_day(line: Line) -> Found | None:
    """«ieri», «fatture di oggi»."""
    found = _NEAR_DAY.search(line.text)
    day = line.today + timedelta(days=_NEAR_DAYS[found[1]]) if found else None
    return _at(found, day, day) if found else None


def _day(name: str, since: date) -> date:
    ahead = {"oggi": 0, "domani": 1, "dopodomani": 2}.get(name)
    return since + timedelta(days=(WEEKDAYS[name] - since.weekday()) % 7 if ahead is None else ahead)


def _since(line: Line) -> Found | None:
    """«da settembre a oggi», «dal 1º novembre», «dal 2024»: up to today, what is to come without an end."""
    if found := _SINCE_YEAR.search(line.text):
        return _at(found, date(int(found[1]), 1, 1), line.today)
    found = _SINCE.search(line.text)
    if not found:
        return None
    month = MONTHS[found[2]]
    day = make(int(found[3] or line.year_of(month)), month, _number(found[1]))
    if day is None:
        return None
    is_open = not found[4] and (line.aim != "past" or day > line.today)
    return _at(found, day, None if is_open else line.today - timedelta(days=found[4] == "ieri"))


def _number(word: str | None) -> int:
    """«3», «tre»; «primo», and what is not said, is one."""
    return int(word) if word and word.isdecimal() else _COUNTED.get(word or "", 1)


def from_to(line: Line) -> Found | None:
    """«da luglio a settembre», «dal 3 al 10 novembre», «dal 15 dicembre 2025 al 10 gennaio 2026»."""
    found = _FROM_TO.search(line.text)
    if not found or not (found[2] or found[5]) or not (found[5] or found[4]):
        return None
    last = MONTHS[found[5] or found[2]]
    first = MONTHS[found[2] or found[5]]
    begins, ends = (int(each) if each else None for each in (found[3], found[6]))
    if begins and not ends:
        ends = begins + (first > last)
    of_last = ends or line.year or line.year_of(last)
    of_first = begins or of_last - (first > last)
    begin = make(of_first, first, int(found[1] or 1))
    end = make(of_last, last, int(found[4])) if found[4] else last_of(of_last, last)
    return _at(found, begin, end) if begin and end and begin <= end else None


def _months(line: Line) -> Found | None:
    """«novembre», «a ottobre e novembre», «novembre scorso», «la prima metà di novembre», «il 15 novembre»."""
    if found := _HALF_MONTH.search(line.text):
        month = MONTHS[found[2]]
        year = int(found[3] or line.year or line.year_of(month))
        middle = date(year, month, 15)
        is_first = found[1] == "prima"
        return _at(
            found,
            middle.replace(day=1) if is_first else middle + timedelta(days=1),
            middle if is_first else last_of(year, month),
        )
    if found := _MONTH_PAST.search(line.text):
        month = MONTHS[found[1]]
        year = line.today.year - (month >= line.today.month)
        return _at(found, date(year, month, 1), last_of(year, month))
    if found := _DATE.search(line.text):
        month = MONTHS[found[2]]
        day = make(int(found[3] or line.year or line.year_of(month)), month, _number(found[1]))
        return _at(found, day, day) if day else None
    if found := _MONTHS_IN_A_ROW.search(line.text):
        row = [MONTHS[each] for each in found[0].split() if each in MONTHS]
        if all((later - month) % 12 == 1 for month, later in pairwise(row)):
            year = int(found[1] or line.year or line.year_of(row[-1]))
            return _at(found, date(year - (row[0] > row[-1]), row[0], 1), last_of(year, row[-1]))
    found = MONTH.search(line.text)
    if not found:
        return None
    month = MONTHS[found[1]]
    chosen = line.year or line.year_of(month)
    return _at(found, date(chosen, month, 1), last_of(chosen, month))


def _year(line: Line) -> Found | None:
    if (found := _YEARS.search(line.text)) and int(found[1]) <= int(found[2]):
        return _at(found, date(int(found[1]), 1, 1), date(int(found[2]), 12, 31))
    found = YEAR.search(line.text)
    return _at(found, date(int(found[1]), 1, 1), date(int(found[1]), 12, 31)) if found else None


def _span(unit: str, today: date, back: int) -> tuple[date, date]:
    if unit in ("settimana", "sett", "week"):
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * back)
        return monday, monday + timedelta(days=6)
    if unit == "anno":
        return date(today.year + back, 1, 1), date(today.year + back, 12, 31)
    months = 3 if unit == "trimestre" else 1
    begin = (today.month - 1) // months * months + months * back
    first = date(today.year + begin // 12, begin % 12 + 1, 1)
    return first, last_of(first.year, first.month + months - 1)


# What says more stands first.
_FORMS: tuple[Callable[[Line], Found | None], ...] = (
    of_days, _longer, _to_end, _lately, _coming, _part, from_to, _until, _relative, _since, _months, _year, _at_end,
    _near_day,
)  # fmt: skip


def read(line: Line) -> Found | None:
    """The period that a line names, if any."""
    return next((found for form in _FORMS if (found := form(line))), None)
