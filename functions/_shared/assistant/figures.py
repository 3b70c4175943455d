"""Find figures of an answer that no tool result, earlier answer, question or count of rows supports (CHAT-08).

They are marked in the answer, not removed, so that the person sees what to check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from functions._shared.assistant import origins, sums
from functions._shared.assistant.turn import ROME, Turn

_MONTH = "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre"
_MONTHS = _MONTH.split("|")
_SHORT = "|".join(month[:3] for month in _MONTHS)
_MONTH_NUMBERS = {month: place for place, month in enumerate(_MONTHS, 1)} | {
    month[:3]: place for place, month in enumerate(_MONTHS, 1)
}
# In this order: what is longer is not read as its parts.
_FIGURE = re.compile(
    rf"""
    (?P<iso>(?<!\d)\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:Z|[+-]\d{{2}}:?\d{{2}})?)?)
    |(?P<word>(?<![\d/])\d{{1,2}}(?:°|º)?\s+(?:{_MONTH}|(?:{_SHORT})\b\.?)(?:\s+\d{{4}})?)
    |(?P<month>(?:{_MONTH})\s+\d{{4}})
    |(?P<slash>(?<![\d/])\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}(?![\d/]))
    |(?P<clock>(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?!\d))
    |(?P<long>\+?\d(?:[ ./-]?\d){{6,18}}(?!\d|,\d))
    |(?P<name>\d+(?:[/-]\d+)+)
    |(?P<number>{sums.NUMBER})(?:\s*(?P<scale>mila|milion[ei]|k\b|M\b))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SCALES = {"mila": 1000, "k": 1000, "milione": 10**6, "milioni": 10**6, "m": 10**6}
# Targets of links, citations, the numbers of a list, and a name with a figure in it («F24», «B2B», «h24»).
_EXEMPT = re.compile(
    r"\]\([^)\s]*\)|\[\^\d+\]|^[ \t>#*_-]*\d{1,3}[.)](?=[ \t*_])|\b[^\W\d_]+\d{1,3}\b(?!,)|\b\d[A-JLN-Z]\b",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*\|(?![ \t:|-]*$)", re.MULTILINE)


@dataclass
class _Evidence:
    """What this turn knows for sure; `today` on the wall in Rome."""

    today: date
    numbers: set[Decimal] = field(default_factory=set)
    dates: set[date] = field(default_factory=set)
    clocks: set[tuple[int, int]] = field(default_factory=set)
    # Texts as they came, and only their digits, for numbers that are names.
    texts: list[str] = field(default_factory=list)
    digits: set[str] = field(default_factory=set)

    def take(self, value: Any, key: str = "") -> None:
        """Adds all that stands in a result; amounts in cents also count as euros, and rows as their number."""
        if isinstance(value, bool) or value is None:
            return
        if isinstance(value, int | float | Decimal):
            number = Decimal(str(value))
            self.numbers.add(abs(number / 100 if key.endswith("cents") else number))
            self.digits.add(_national(str(value)))
        elif isinstance(value, str):
            self._read(origins.plain(value))
        elif isinstance(value, datetime):
            self._read(value.isoformat())
        elif isinstance(value, date):
            self.dates.add(value)
        elif isinstance(value, Mapping):
            for name, each in value.items():
                self.take(each, str(name))
        elif isinstance(value, list | tuple | set | frozenset):
            self.numbers.add(Decimal(len(value)))
            for each in value:
                self.take(each, key)

    def _read(self, text: str) -> None:
        self.texts.append(text.casefold())
        for found in _FIGURE.finditer(text):
            self._known(found)

    def _known(self, found: re.Match[str]) -> None:
        moment = _moment(found)
        if moment:
            self.dates.add(moment.date())
            if found["iso"] and len(found["iso"]) > 10:
                self.clocks.add((moment.hour, moment.minute))
        elif found["clock"]:
            hour, minute = found["clock"].split(":")
            self.clocks.add((int(hour), int(minute)))
        elif found["number"]:
            self.numbers |= _scaled(found)
        elif found["long"] and re.fullmatch(sums.NUMBER, found["long"]):
            self.numbers |= sums.meanings(found["long"])
        if found["long"] or found["name"] or found["number"]:
            self.digits.add(_national(found[0]))


def unverified(content: str, turn: Turn) -> list[tuple[int, int]]:
    """The places of figures that nothing in this turn bears out: [start, end) in UTF-16 units of the content."""
    known = _evidence(content, turn)
    doubtful = [found for found in _figures(content) if not _stands(found, content, known)]
    starts = {found.start() for found in doubtful}
    # A sum is as good as its addends.
    added = {each.result for each in sums.sums(content) if not any(start in starts for start, _ in each.addends)}
    places = [found.span() for found in doubtful if not (found["number"] and _scaled(found) & added)]
    return [(_units(content[:start]), _units(content[:end])) for start, end in places]


def borne_out(content: str, marked: Sequence[Sequence[int]], question: str) -> tuple[str, ...]:
    """The figures of an earlier answer that its tools returned or that it computed: those that were not marked, and
    that its question did not say first. `marked` are places as `unverified` answers them."""
    said = _Evidence(date.min)
    said.take(question)
    return tuple(
        found[0]
        for found in _figures(content)
        if not any(start <= _units(content[: found.start()]) < end for start, end in marked)
        and not _stands(found, content, said)
    )


def unsupported(content: str, facts: Mapping[str, Any], today: date) -> tuple[str, ...]:
    """Return the figures of a text that its facts do not support; amounts of facts are written or in `…cents`."""
    known = _Evidence(today)
    known.take(facts)
    return tuple(found[0] for found in _figures(content) if not _stands(found, content, known))


def _figures(content: str) -> list[re.Match[str]]:
    exempt = [found.span() for found in _EXEMPT.finditer(content)]
    return [
        found for found in _FIGURE.finditer(content) if not any(start <= found.start() < end for start, end in exempt)
    ]


def _evidence(content: str, turn: Turn) -> _Evidence:
    today = turn.local_now
    known = _Evidence(today.date())
    known.take(turn.question)
    known.take(turn.results)
    for figure in turn.earlier:
        known.take(figure)
    known.take([ref.label for ref in turn.refs.all()])
    days = [today.date() + timedelta(days=step) for step in (-1, 0, 1)]
    known.dates.update(days)
    known.numbers |= {Decimal(today.year), *(Decimal(day.day) for day in days)}
    known.clocks.add((today.hour, today.minute))
    # How many things the answer itself lists, at all or one after the other.
    known.numbers |= set(_counts(content))
    return known


def _counts(content: str) -> Iterator[Decimal]:
    for lines in (_ITEM, _TABLE_ROW):
        yield Decimal(len(lines.findall(content)))
        for block in re.split(r"\n\s*\n", content):
            count = len(lines.findall(block))
            # The head of a table is no row.
            yield Decimal(count - 1 if lines is _TABLE_ROW and count else count)


def _stands(found: re.Match[str], content: str, known: _Evidence) -> bool:
    """Whether a figure of the answer is borne out."""
    moment = _moment(found)
    if found["month"]:
        month, year = found["month"].lower().split()
        return any((day.month, day.year) == (_MONTH_NUMBERS[month], int(year)) for day in known.dates)
    if moment:
        with_year = found["word"] is None or found["word"][-4:].isdigit()
        return any(
            (day.day, day.month) == (moment.day, moment.month) and (not with_year or day.year == moment.year)
            for day in known.dates
        ) and (not found["iso"] or len(found["iso"]) == 10 or (moment.hour, moment.minute) in known.clocks)
    if found["clock"]:
        hour, minute = found["clock"].split(":")
        return (int(hour), int(minute)) in known.clocks
    if found["number"]:
        return bool(_scaled(found) & known.numbers) or _elsewhere(found, content, known)
    return _named(found[0], known)


def _elsewhere(found: re.Match[str], content: str, known: _Evidence) -> bool:
    """An hour of a known time, the year of a known day, a number of days from today to a known day."""
    values, before, after = _scaled(found), content[: found.start()][-12:].lower(), content[found.end() :][:10].lower()
    if re.search(r"\b(?:ore|alle|dalle|fino alle)\s$", before):
        return any(Decimal(hour) in values and minute == 0 for hour, minute in known.clocks)
    if re.match(r"\s+(?:giorn|gg)", after):
        return any(Decimal(abs((day - known.today).days)) in values for day in known.dates)
    if re.fullmatch(r"(?:19|20)\d\d", found["number"]):
        return any(Decimal(day.year) in values for day in known.dates)
    if re.match(r"\s*%", after):
        return bool({value / 100 for value in values} & known.numbers)
    return False


def _named(figure: str, known: _Evidence) -> bool:
    """A number that is a name («2026/12», a telephone, a VAT number), a long amount, or a day like «12/11»."""
    day, _, month = figure.partition("/")
    if month.isdigit() and any((each.day, each.month) == (int(day), int(month)) for each in known.dates):
        return True
    if re.fullmatch(sums.NUMBER, figure) and sums.meanings(figure) & known.numbers:
        return True
    digits = _national(figure)
    if len(digits) > 6 and digits in known.digits:
        return True
    whole = re.compile(rf"(?<!\d){re.escape(figure.casefold())}(?!\d)")
    return any(whole.search(text) for text in known.texts)


def _national(number: str) -> str:
    """The digits of a number, without the prefix of Italy."""
    return re.sub("^(?:0039|39)(?=\\d{9})", "", re.sub(r"\D", "", number))


def _moment(found: re.Match[str]) -> datetime | None:
    """The day that a figure names; without a year the year 2000, a moment with a zone in Rome."""
    try:
        if found["iso"]:
            moment = datetime.fromisoformat(found["iso"])
            return moment.astimezone(ROME) if moment.tzinfo else moment
        if found["word"]:
            day, month, *year = re.split(r"[°º]?\s+", found["word"].lower())
            return _day(year[0] if year else "2000", str(_MONTH_NUMBERS[month.rstrip(".")]), day)
        if found["slash"]:
            day, month, year_of = re.split("[/.]", found["slash"])
            return _day(year_of, month, day)
    except (ValueError, KeyError):
        return None
    return None


def _day(year: str, month: str, day: str) -> datetime:
    return datetime(int(year), int(month), int(day.rstrip("°º")), tzinfo=ROME)


def _scaled(found: re.Match[str]) -> set[Decimal]:
    values = sums.meanings(found["number"])
    scale = _SCALES.get((found["scale"] or "").lower())
    return {value * scale for value in values} if scale else values


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
