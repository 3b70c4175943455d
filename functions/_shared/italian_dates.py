"""Days and months as Italians write them in a sentence."""

from __future__ import annotations

from datetime import date, datetime

MONTHS = (
    *("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno"),
    *("luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"),
)


def long_day(day: date) -> str:
    """Write a day: «3 marzo 2026»."""
    return f"{day.day} {month_and_year(day)}"


def moment(at: datetime) -> str:
    """Write a moment of its own time zone: «3 marzo 2026 alle 14:05»."""
    return f"{long_day(at)} alle {at:%H:%M}"


def month_and_year(day: date) -> str:
    """Write the month of a day: «marzo 2026»."""
    return f"{MONTHS[day.month - 1]} {day.year}"
