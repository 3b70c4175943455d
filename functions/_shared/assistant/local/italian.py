"""Italian as answers need it: counted things, days, text that is shown inside Markdown."""

from __future__ import annotations

from datetime import date

from functions._shared.assistant import origins
from functions._shared.assistant.tools import wording
from functions._shared.names import fold

_MARKDOWN = str.maketrans({"[": "(", "]": ")", "|": "/", "*": "", "`": "'", "<": "‹", ">": "›", "\n": " ", "\r": " "})
_STATES = {"da_fare": "da fare", "in_corso": "in corso", "in_attesa": "in attesa", "fatto": "fatta"}


def count(number: int, one: str, many: str) -> str:
    """«1 fattura», «2 fatture»."""
    return f"{number:,} {one if number == 1 else many}".replace(",", ".")


def shown(text: object, most: int = 200) -> str:
    """Anybody's text as it may stand in an answer: one line, without marks of Markdown."""
    plain = " ".join(origins.plain(str(text)).translate(_MARKDOWN).split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"


def day(value: str | None, today: date) -> str:
    """«domani, martedì 24 novembre», «oggi, lunedì 23 novembre, alle 15:00»."""
    return wording.due(value, today)


def short_day(value: str | None, today: date) -> str:
    """«domani», «mar 24/11», «24/11/2027»; with «alle 15:00» when the hour counts."""
    if not value:
        return "senza data"
    on = date.fromisoformat(value[:10])
    near = {-1: "ieri", 0: "oggi", 1: "domani"}.get((on - today).days)
    text = near or (f"{on:%d/%m/%Y}" if on.year != today.year else f"{wording.WEEKDAYS[on.weekday()][:3]} {on:%d/%m}")
    return f"{text} alle {value[11:16]}" if len(value) > 10 else text


def since(days: int) -> str:
    """«da ieri», «da 3 giorni»."""
    return "da oggi" if days <= 0 else "da ieri" if days == 1 else f"da {days} giorni"


def and_list(items: list[str]) -> str:
    """«a, b e c»; «ed» before the same vowel."""
    if len(items) < 2:
        return "".join(items)
    link = "ed" if fold(items[-1])[:1] == "e" else "e"
    return f"{', '.join(items[:-1])} {link} {items[-1]}"


def state(value: str) -> str:
    """Of a task."""
    return _STATES.get(value, value)
