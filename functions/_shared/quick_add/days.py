"""From what a rule read to a day, an hour or a repetition; None for what does not exist."""

import calendar
from datetime import date, timedelta

from functions._shared.quick_add.rules import Value, Values

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
# The day, and the one that is meant instead if the day is today and its hour has gone.
Day = tuple[date, date | None]
SEARCH_DAYS = 366 * 9


def number(values: Values, name: str, default: int = 0) -> int:
    """A whole number among the values."""
    value = values.get(name)
    return value if isinstance(value, int) else default


def weekdays(value: Value | None) -> list[int]:
    """Monday is 0."""
    return value if isinstance(value, list) else [value] if isinstance(value, int) else []


def make(year: int, month: int, day: int) -> date | None:
    """The date; months beyond December count on; None if there is no such day."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    try:
        return date(year, month, day)
    except ValueError:
        return None


def last_of(year: int, month: int) -> date:
    """The last day of a month; months beyond December count on."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, calendar.monthrange(year, month)[1])


def add(today: date, count: int, unit: str) -> date | None:
    """So many days, working days (Monday to Friday), weeks, months or years later; a month's end stays its end."""
    if unit == "workday":
        for _ in range(count):
            today += timedelta(days=7 - today.weekday() if today.weekday() > 3 else 1)
        return today
    if unit in ("day", "week"):
        return today + timedelta(days=count * (7 if unit == "week" else 1))
    month = today.month + count * (12 if unit == "year" else 1)
    return make(today.year, month, today.day) or last_of(today.year, month)


def day_of(op: str, values: Values, today: date) -> Day | None:
    """The day of a date rule."""
    if op == "in":
        day = add(today, number(values, "n"), str(values["unit"]))
        return (day, None) if day else None
    return {"weekday": _weekday, "monthday": _monthday, "date": _date, "nth": _nth, "edge": _edge}[op](values, today)


def _weekday(values: Values, today: date) -> Day:
    ahead = (number(values, "wd") - today.weekday()) % 7
    if "weeks" in values:
        return today + timedelta(days=7 - today.weekday() + number(values, "wd")), None
    if "ahead" in values:
        return today + timedelta(days=ahead or 7), None
    day = today + timedelta(days=ahead)
    return day, None if ahead else day + timedelta(days=7)


def _monthday(values: Values, today: date) -> Day | None:
    if "months" in values:
        day = make(today.year, today.month + 1, number(values, "day"))
        return (day, None) if day else None
    days = (make(today.year, today.month + later, number(values, "day")) for later in range(4))
    coming = [each for each in days if each and each >= today]
    if "wd" in values and coming[0].weekday() != values["wd"]:
        return None
    return coming[0], coming[1] if coming[0] == today else None


def _date(values: Values, today: date) -> Day | None:
    month, day = divmod(number(values, "md"), 100)
    month, day = month or number(values, "month"), day or number(values, "day")
    if "year" in values:
        years = [number(values, "year")]
        # What lies further back is the date of something else.
        found = make(years[0], month, day) if years[0] >= today.year - 1 else None
    else:
        coming = (make(today.year + later, month, day) for later in range(9))
        found = next((each for each in coming if each and each >= today), None)
    return None if found is None or ("wd" in values and found.weekday() != values["wd"]) else (found, None)


def nth(year: int, month: int, place: int, wd: int) -> date | None:
    """The first, second … or (-1) last such weekday of a month."""
    days = [each for each in range(1, last_of(year, month).day + 1) if date(year, month, each).weekday() == wd]
    place = place - 1 if place > 0 else place
    return date(year, month, days[place]) if -len(days) <= place < len(days) else None


def _nth(values: Values, today: date) -> Day | None:
    month, place, wd = number(values, "month"), number(values, "nth"), number(values, "wd")
    coming = (nth(today.year + later, month, place, wd) for later in range(2))
    found = next((each for each in coming if each and each >= today), None)
    return (found, None) if found else None


def _edge(values: Values, today: date) -> Day | None:
    """The beginning, middle or end of a week, month or year; one that has gone is the next one's."""
    later = (number(values, "ahead"), number(values, "ahead") + 1)
    if "month" in values:
        year = number(values, "year", today.year)
        later = (0, 0) if "year" in values else (0, 12)
        days = [_edge_of_month(year, number(values, "month") + each, str(values["edge"])) for each in later]
    elif values["span"] == "month":
        days = [_edge_of_month(today.year, today.month + each, str(values["edge"])) for each in later]
    elif values["span"] == "week":
        monday = today - timedelta(days=today.weekday())
        place = {"start": 0, "mid": 2, "end": 6}[str(values["edge"])]
        days = [monday + timedelta(days=7 * each + place) for each in later]
    else:
        if values["edge"] == "mid":
            return None
        month, day = (1, 1) if values["edge"] == "start" else (12, 31)
        days = [date(today.year + each, month, day) for each in later]
    found = next((each for each in days if each >= today), None)
    return (found, None) if found else None


def _edge_of_month(year: int, month: int, edge: str) -> date:
    last = last_of(year, month)
    return last if edge == "end" else last.replace(day=1 if edge == "start" else 15)


def clock(values: Values, part: str | None) -> tuple[int, int] | None:
    """Hour and minute: «alle 3» is the afternoon, «alle 8 di sera» 20:00, midnight the last minute of its day."""
    hour, minute = number(values, "hour"), number(values, "minute")
    # «le 6.42» is how timetables write, «le 6.40» may be said of an evening.
    exact = "exact" in values or minute % 5 > 0
    if hour == 24:
        return None if minute else (23, 59)
    if part in ("afternoon", "evening", "night") and 0 < hour < 12:
        hour += 0 if part == "night" and hour < 7 else 12
    elif part is None and 0 < hour < 7 and not exact:
        hour += 12
    hour, minute = divmod(hour * 60 + minute - number(values, "less"), 60)
    return None if hour < 0 else (hour, minute)


def falls_on(rule: Values, day: date) -> bool:
    """Whether a repetition may begin on this day."""
    days = weekdays(rule.get("wd"))
    if "nth" in rule:
        return nth(day.year, day.month, number(rule, "nth"), days[0]) == day
    if "day" in rule:
        wanted = number(rule, "day")
        return day.month == number(rule, "month", day.month) and (
            day.day == wanted if wanted > 0 else day == last_of(day.year, day.month)
        )
    return not days or day.weekday() in days


def first(rule: Values, start: date) -> date:
    """The first day of a repetition, not before `start`."""
    days = (start + timedelta(days=each) for each in range(SEARCH_DAYS))
    return next((each for each in days if falls_on(rule, each)), start)


def rrule(rule: Values) -> str:
    """The repetition as RFC 5545 writes it."""
    freq = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}[str(rule["unit"])]
    days = ",".join(f"{rule.get('nth', '')}{WEEKDAYS[each]}" for each in weekdays(rule.get("wd")))
    monthday = number(rule, "day") if freq == "MONTHLY" else 0
    fields = {
        "FREQ": freq,
        "INTERVAL": number(rule, "n") if number(rule, "n") > 1 else "",
        "BYDAY": days,
        "BYMONTHDAY": monthday or "",
        "UNTIL": rule.get("until", ""),
        "COUNT": rule.get("count", ""),
    }
    return ";".join(f"{name}={value}" for name, value in fields.items() if value)
