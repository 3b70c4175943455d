"""Days and months as Italians write them in a sentence."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

ROME = ZoneInfo("Europe/Rome")
MONTHS = (
    *("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno"),
    *("luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"),
)


def long_day(day: date) -> str:
    """Write a day: «3 marzo 2026»."""
    return f"{day.day} {month_and_year(day)}"


def moment(at: datetime) -> str:
    """Write a moment by the clocks of Italy: «3 marzo 2026 alle 14:05»."""
    here = at.astimezone(ROME)
    return f"{long_day(here)} alle {here:%H:%M}"


def month_and_year(day: date) -> str:
    """Write the month of a day: «marzo 2026»."""
    return f"{MONTHS[day.month - 1]} {day.year}"
