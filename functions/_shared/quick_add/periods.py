"""The days that a question means («questo mese», «dal 3 al 10 maggio», «entro venerdì»), read by periods.json.

The first rule of the table that holds anywhere in a line counts, at its first place.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Literal

from functions._shared.quick_add import days, rules
from functions._shared.quick_add.days import last_of, make, number
from functions._shared.quick_add.match import Line, Match
from functions._shared.quick_add.parse import parse
from functions._shared.quick_add.rules import Values
from functions._shared.quick_add.tokens import Token

# First and last day; None: open on that side.
Period = tuple[date | None, date | None]
# Where a month without its year is: in the past, nearest to today (an unpaid invoice may be late), or in the future.
Aim = Literal["past", "near", "ahead"]
_MONTHS_OF = {"month": 1, "quarter": 3, "half": 6}
_HALF_A_YEAR = 6
# Rules that tell a period by its first and last day.
RANGES = frozenset({"weekend", "days", "from_to"})

# Rules are tried only where their first word is.
_RULES = [(rule, rules.first_words(rule.items)) for rule in rules.PERIODS]


@dataclass(frozen=True)
class Found:
    """A period, the place of its first word, and the words of the line that are not part of it."""

    period: Period
    begin: int
    rest: tuple[str, ...]


@dataclass(frozen=True)
class _Scope:
    """What the words of a period are read against; `year` is named elsewhere in the line."""

    today: date
    aim: Aim
    year: int | None

    def year_of(self, month: int, named: int | None = None) -> int:
        """Return the named year of a month, else the year that `aim` gives it."""
        if year := named or self.year:
            return year
        this, now = self.today.year, self.today.month
        if self.aim == "ahead":
            return this + (month < now)
        if self.aim == "near":
            # October is late in November, January is to come.
            return this + (now - month > _HALF_A_YEAR) - (month - now > _HALF_A_YEAR)
        return this - (month > now)

    def named(self, values: Values, prefix: str = "") -> int | None:
        """Return the year among the values: «2025», «dell'anno scorso»."""
        if f"{prefix}years" in values:
            return self.today.year + number(values, f"{prefix}years")
        return number(values, f"{prefix}year") or None

    def span(self, unit: str, later: int) -> tuple[date, date]:
        """Return the week, month, quarter, half or year that is `later` from the current one."""
        if unit == "week":
            monday = self.today + timedelta(days=7 * later - self.today.weekday())
            return monday, monday + timedelta(days=6)
        if unit == "year":
            return date(self.today.year + later, 1, 1), date(self.today.year + later, 12, 31)
        months = _MONTHS_OF[unit]
        month = (self.today.month - 1) // months * months + months * later + 1
        last = last_of(self.today.year, month + months - 1)
        return last_of(self.today.year, month).replace(day=1), last

    def shifted(self, values: Values, direction: int) -> date:
        """Return the day so long ago or from now; a month ago is 30 days ago."""
        count, unit = number(values, "n", 1) * direction, str(values["length"])
        if (unit, count) == ("month", -1):
            return self.today - timedelta(days=30)
        if unit in ("quarter", "half"):
            count, unit = count * _MONTHS_OF[unit], "month"
        return days.add(self.today, count, unit) or self.today


def read(words: Sequence[str], today: date, aim: Aim = "past", only: Collection[str] = ()) -> Found | None:
    """Read the period that folded words name; if `only` is given, no other rules are tried."""
    line = _line_of(words)
    for rule, first in _RULES:
        if only and rule.op not in only:
            continue
        places = [place for place, word in enumerate(words) if first is None or word in first]
        match = next((each for place in places if (each := line.match(rule, place))), None)
        found = _found(line, match, today, aim) if match else None
        if found:
            return found
    return None


def _line_of(words: Sequence[str]) -> Line:
    tokens, start = list[Token](), 0
    for word in words:
        tokens.append(Token(word, word, start, start + len(word)))
        start += len(word) + 1
    return Line(" ".join(words), tokens)


def _found(line: Line, match: Match, today: date, aim: Aim) -> Found | None:
    if match.rule.op == "until":
        return _until(line, match, today)
    outside = [place for place in range(len(line.tokens)) if not match.first <= place < match.end]
    # The year of a month may be elsewhere in the line, unless the month has one of its own.
    seeks = match.rule.op in _YEARLESS and not {"year", "years"} & match.values.keys()
    year, said = _elsewhere(line, outside, today) if seeks else (None, range(0))
    period = _READERS[match.rule.op](match.values, _Scope(today, aim, year))
    rest = tuple(line.tokens[place].norm for place in outside if place not in said)
    return Found(period, match.first, rest) if period else None


def _until(line: Line, match: Match, today: date) -> Found | None:
    """Read the day behind «entro» as a task reads it."""
    words = [each.norm for each in line.tokens]
    task = parse(" ".join(["entro", *words[match.end :]]), datetime.combine(today, time()))
    part = next((each for each in task["parts"] if each["start"] == 0), None)
    if not task["due"] or not part:
        return None
    end = match.end + len(part["text"].split()) - 1
    return Found((None, date.fromisoformat(task["due"][:10])), match.first, tuple(words[: match.first] + words[end:]))


def _elsewhere(line: Line, outside: Iterable[int], today: date) -> tuple[int | None, range]:
    """Find the year that is named outside of a match, and its words."""
    for place in outside:
        for items in rules.PHRASES["Year"]:
            if reached := line.reach(items, place):
                return _Scope(today, "past", None).named(reached[1]), range(place, reached[0])
    return None, range(0)


def _weekend(_: Values, scope: _Scope) -> Period:
    today = scope.today
    saturday = today + timedelta(days=-1 if today.weekday() == 6 else 5 - today.weekday())
    return saturday, saturday + timedelta(days=1)


def _days(values: Values, scope: _Scope) -> Period | None:
    """Read «da oggi a venerdì»: a weekday is the next one, the second counted from the first."""
    first = _near_day(values, "near", "wd", scope.today)
    last = _near_day(values, "to", "to_wd", scope.today if "to" in values else first)
    return (first, last) if first <= last else None


def _near_day(values: Values, near: str, weekday: str, since: date) -> date:
    if near in values:
        return since + timedelta(days=number(values, near))
    return since + timedelta(days=(number(values, weekday) - since.weekday()) % 7)


def _first_months(values: Values, scope: _Scope) -> Period | None:
    year = scope.named(values) or scope.year or scope.today.year
    count = number(values, "n")
    return (date(year, 1, 1), last_of(year, count)) if count <= 12 else None


def _quarter(values: Values, scope: _Scope) -> Period | None:
    """Read a quarter or a half of a year."""
    year = scope.named(values) or scope.year or scope.today.year
    months, place = number(values, "months"), number(values, "place")
    if not 0 < place * months <= 12:
        return None
    return date(year, months * (place - 1) + 1, 1), last_of(year, months * place)


def _from_to(values: Values, scope: _Scope) -> Period | None:
    """Read «da luglio a settembre», «dal 3 al 10 novembre»; a month or a year said once counts for both."""
    last = number(values, "to_month") or number(values, "from_month")
    first = number(values, "from_month") or last
    if not last:
        return None
    begins, ends = scope.named(values, "from_"), scope.named(values, "to_")
    if begins and not ends:
        ends = begins + (first > last)
    of_last = ends or scope.year_of(last)
    begin = make(begins or of_last - (first > last), first, number(values, "from_day", 1))
    end = make(of_last, last, number(values, "to_day")) if "to_day" in values else last_of(of_last, last)
    return (begin, end) if begin and end and begin <= end else None


def _since(values: Values, scope: _Scope) -> Period | None:
    """Read «da settembre a oggi», «dal 1º novembre»: up to today; what is to come has no end."""
    day = _date(values, scope)
    if day is None:
        return None
    is_open = "now" not in values and (scope.aim != "past" or day > scope.today)
    return day, None if is_open else _until_now(values, scope)


def _until_now(values: Values, scope: _Scope) -> date:
    return scope.today + timedelta(days=number(values, "now"))


def _date(values: Values, scope: _Scope) -> date | None:
    month = number(values, "month")
    return make(scope.year_of(month, scope.named(values)), month, number(values, "day", 1))


def _on(values: Values, scope: _Scope) -> Period | None:
    day = _date(values, scope)
    return (day, day) if day else None


def _half_month(values: Values, scope: _Scope) -> Period | None:
    month, half = number(values, "month"), number(values, "half")
    first = date(scope.year_of(month, scope.named(values)), month, 1)
    if half not in (1, 2):
        return None
    return (first, first.replace(day=15)) if half == 1 else (first.replace(day=16), last_of(first.year, month))


def _month_past(values: Values, scope: _Scope) -> Period:
    month = number(values, "month")
    first = date(scope.today.year - (month >= scope.today.month), month, 1)
    return first, last_of(first.year, month)


def _row(values: Values, scope: _Scope) -> Period | None:
    """Read «ottobre e novembre»: months that follow each other."""
    row = [number(values, name) for name in ("month", "mid", "to") if name in values]
    if any((later - month) % 12 != 1 for month, later in pairwise(row)):
        return None
    year = scope.year_of(row[-1], scope.named(values))
    return date(year - (row[0] > row[-1]), row[0], 1), last_of(year, row[-1])


def _month(values: Values, scope: _Scope) -> Period:
    month = number(values, "month")
    year = scope.year_of(month, scope.named(values))
    return date(year, month, 1), last_of(year, month)


def _years(values: Values, _: _Scope) -> Period | None:
    first, last = number(values, "year"), number(values, "to") or number(values, "year")
    return (date(first, 1, 1), date(last, 12, 31)) if first <= last else None


def _near(values: Values, scope: _Scope) -> Period:
    day = scope.today + timedelta(days=number(values, "near"))
    return day, day


def _span(values: Values, scope: _Scope) -> tuple[date, date]:
    return scope.span(str(values.get("of", "year")), number(values, "back"))


def _end(values: Values, scope: _Scope) -> date:
    return scope.span(str(values["of"]), number(values, "ahead"))[1]


_READERS: dict[str, Callable[[Values, _Scope], Period | None]] = {
    "weekend": _weekend,
    "days": _days,
    "longer": lambda values, scope: (None, scope.shifted(values, -1) - timedelta(days=1)),
    "to_end": lambda values, scope: (scope.today, _end(values, scope)),
    "lately": lambda values, scope: (scope.shifted(values, -1), scope.today),
    "so_far": lambda values, scope: (_span(values, scope)[0], scope.today),
    "coming": lambda values, scope: (scope.today, scope.shifted(values, 1)),
    "first_months": _first_months,
    "quarter": _quarter,
    "from_to": _from_to,
    "by_this": _span,
    "past": _span,
    "next": _span,
    "this": _span,
    "since_year": lambda values, scope: (date(number(values, "year"), 1, 1), _until_now(values, scope)),
    "since": _since,
    "half_month": _half_month,
    "month_past": _month_past,
    "on": _on,
    "row": _row,
    "month": _month,
    "years": _years,
    "year": _years,
    "at_end": lambda values, scope: (None, _end(values, scope)),
    "near": _near,
}
# Rules whose months may have their year elsewhere in the line.
_YEARLESS = frozenset({"first_months", "quarter", "from_to", "since", "half_month", "on", "row", "month"})
