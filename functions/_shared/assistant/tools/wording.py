"""Amounts, days, hours and repetitions as an Italian reads them: «martedì 24 novembre alle 15:00», «1.220,00 €»; and
amounts as one writes or says them: «3.000», «3mila euro», «tremila».
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

from functions._shared import italian_dates
from functions._shared.assistant.turn import ROME
from functions._shared.fatturapa import money

WEEKDAYS = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")
PRIORITIES = ("nessuna", "bassa", "media", "alta")
_NEAR = {-1: "ieri", 0: "oggi", 1: "domani", 2: "dopodomani"}
_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {
    "DAILY": ("giorno", "giorni"),
    "WEEKLY": ("settimana", "settimane"),
    "MONTHLY": ("mese", "mesi"),
    "YEARLY": ("anno", "anni"),
}
_COUNTED = {
    "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8, "nove": 9, "dieci": 10,
    "undici": 11, "dodici": 12, "tredici": 13, "quattordici": 14, "quindici": 15, "sedici": 16, "diciotto": 18,
    "venti": 20, "venticinque": 25, "trenta": 30, "quaranta": 40, "cinquanta": 50, "sessanta": 60, "settanta": 70,
    "ottanta": 80, "novanta": 90, "cento": 100,
}  # fmt: skip
# Round amounts in words.
_IN_WORDS = (
    {"cento": 100, "mille": 1000}
    | {f"{word}cento": number * 100 for word, number in _COUNTED.items() if number < 10}
    | {f"{word}mila": number * 1000 for word, number in _COUNTED.items()}
)
_SCALES = {"mila": 1000, "k": 1000, "milione": 10**6, "milioni": 10**6}
# Nobody writes more, and arithmetic with as many is exact.
_MOST_DIGITS = 20
_UNIT = r"(?:€|euro?\b)"
# An amount within a sentence; `fullmatch` reads it alone.
AMOUNT = re.compile(
    rf"(?:{_UNIT}\s*)?(?:(?P<number>\d[\d.,]*(?<![.,]))(?:\s*(?P<scale>mila|milion[ei]|k)\b)?"
    rf"|\b(?P<word>{'|'.join(sorted(_IN_WORDS, key=len, reverse=True))})\b)(?:\s*{_UNIT})?",
    re.IGNORECASE,
)

euros = money.euros


def cents(text: str) -> int | None:
    """The cents of an amount: «3.000 euro», «€ 1.500,50», «3k», «tremila»; None for anything else."""
    found = AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    if found["word"]:
        return _IN_WORDS[found["word"].lower()] * 100
    number = found["number"]
    # «1.500» is a thousand and a half; «1.5», as in «1.5k», is not.
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", number):
        number = number.replace(".", "")
    number = number.replace(",", ".")
    # «1,234» is a thousand to whoever writes English.
    decimals = "+" if found["scale"] else "{1,2}"
    if not re.fullmatch(rf"\d+(?:\.\d{decimals})?", number) or len(number) > _MOST_DIGITS:
        return None
    whole = Decimal(number) * _SCALES.get((found["scale"] or "").lower(), 1) * 100
    return int(whole.quantize(Decimal(1), ROUND_HALF_UP))


def amounts(each: Iterable[tuple[int, str]]) -> str:
    """What cents and their currencies add up to, each currency by itself: «1.440,00 € e 5.000,00 USD»."""
    sums = Counter[str]()
    for cents_of_one, currency in each:
        sums[currency] += cents_of_one
    # Euros first.
    known = sorted(((code, total) for code, total in sums.items() if total), key=lambda one: (one[0] != "EUR", one[0]))
    named = [euros(total, code) for code, total in known or [("EUR", 0)]]
    return " e ".join(", ".join(named).rsplit(", ", 1))


def day(value: date, today: date) -> str:
    """«domani, domenica 22 novembre», «lunedì 30 novembre», «venerdì 1º gennaio 2027»."""
    number = "1º" if value.day == 1 else str(value.day)
    year = f" {value.year}" if value.year != today.year else ""
    plain = f"{WEEKDAYS[value.weekday()]} {number} {italian_dates.MONTHS[value.month - 1]}{year}"
    near = _NEAR.get((value - today).days)
    return f"{near}, {plain}" if near else plain


def due(value: str | None, today: date) -> str:
    """When something is due, of `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM` on the clock in Rome; «senza data» for None."""
    if value is None:
        return "senza data"
    text = day(date.fromisoformat(value[:10]), today)
    return f"{text}, alle {value[11:16]}" if len(value) > 10 else text


def wall(moment: datetime | None, *, is_allday: bool = True) -> str | None:
    """A moment of the database on the clock in Rome: `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM` when its hour counts."""
    if moment is None:
        return None
    local = moment.astimezone(ROME)
    return local.date().isoformat() if is_allday else local.strftime("%Y-%m-%dT%H:%M")


def instant(value: str) -> datetime:
    """The moment at which the clock in Rome shows `YYYY-MM-DD` (its midnight) or `YYYY-MM-DDTHH:MM`."""
    return datetime.fromisoformat(value).replace(tzinfo=ROME)


def repetition(rrule: str, repeat_from: str = "scadenza") -> str:
    """«ogni lunedì», «ogni 2 settimane»: the rules that quick-add writes; of others the unit alone."""
    fields = dict(part.split("=", 1) for part in rrule.split(";") if "=" in part)
    one, many = _UNITS.get(fields.get("FREQ", ""), ("volta", "volte"))
    interval = int(fields.get("INTERVAL", "1"))
    days = [code for code in fields.get("BYDAY", "").split(",") if code in _CODES]
    text = f"ogni {interval} {many}" if interval > 1 else f"ogni {one}"
    if days == list(_CODES[:5]) and interval == 1:
        text = "ogni giorno feriale"
    elif days:
        names = " e ".join(", ".join(WEEKDAYS[_CODES.index(code)] for code in days).rsplit(", ", 1))
        text = f"{text}: {names}" if interval > 1 else f"ogni {names}"
    elif fields.get("BYMONTHDAY") == "-1":
        text = "l’ultimo giorno del mese"
    elif "BYMONTHDAY" in fields:
        text = f"{text}, il giorno {fields['BYMONTHDAY'].replace(',', ' e ')}"
    if "UNTIL" in fields:
        last = datetime.strptime(fields["UNTIL"][:8], "%Y%m%d").replace(tzinfo=ROME).date()
        text += f", fino al {italian_dates.long_day(last)}"
    if "COUNT" in fields:
        text += f", {fields['COUNT']} volte"
    return text + (" dal completamento" if repeat_from == "completamento" else "")
