"""When something was, as it is said: «ieri alle 15», «stamattina», «lunedì sera», «tre giorni fa»."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from functions._shared.assistant.turn import ROME
from functions._shared.names import fold
from functions._shared.quick_add import past_days

# A day without an hour; what is logged of an earlier day has to have one.
NOON = time(12)
_HOUR = re.compile(r"\b(?:verso )?(?:alle(?: ore)?|all'|ore|le) ?(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?(?!\d)")
_PARTS = {"mattin": time(9), "pranzo": time(13), "pomeriggio": time(15), "sera": time(19)}
_PART = re.compile(
    r"\b(?P<today>sta|questa |questo )?(?:(?:di|nel|nella|in|a|al) )?"
    r"(?P<part>mattin(?:a|o|ata)|pranzo|pomeriggio|sera(?:ta)?)\b"
)
_COUNTS = {
    "un": 1, "uno": 1, "una": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8,
    "nove": 9, "dieci": 10, "quindici": 15,
}  # fmt: skip
_AGO = re.compile(rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)}) (?P<unit>giorn[oi]|settiman[ae]) fa")


def read(said: str, now: datetime) -> datetime | None:
    """Return the moment that was meant, never after `now`; None for words that name no day."""
    text, now = fold(said).strip(" ,."), now.astimezone(ROME)
    hour = _HOUR.search(text)
    if hour:
        text = f"{text[: hour.start()]} {text[hour.end() :]}"
    part = _PART.search(text)
    if part:
        text = f"{text[: part.start()]} {text[part.end() :]}"
    day = _day(" ".join(text.split()), now.date())
    at = _clock(hour, part)
    if day is None or (hour and at is None):
        return None
    if at is None and day == now.date():
        return now
    moment = datetime.combine(day, at or NOON, ROME)
    # An hour that was said and has not been yet is not guessed at.
    return None if hour and moment > now else min(moment, now)


def _clock(hour: re.Match[str] | None, part: re.Match[str] | None) -> time | None:
    if hour is None:
        return next((at for word, at in _PARTS.items() if part and part["part"].startswith(word)), None)
    number, minute = int(hour["hour"]), int(hour["minute"] or 0)
    if part and part["part"].startswith(("pomeriggio", "sera")) and number < NOON.hour:
        number += NOON.hour
    return time(number, minute) if number < 24 and minute < 60 else None


def _day(text: str, today: date) -> date | None:
    if text in ("", "poco fa", "appena", "ora"):
        return today
    if found := _AGO.fullmatch(text):
        count = _COUNTS.get(found["count"]) or int(found["count"])
        return today - timedelta(days=count * (7 if found["unit"].startswith("settiman") else 1))
    read_day = past_days.read(text, today)
    return read_day[1] if read_day and read_day[0] == 0 else None
