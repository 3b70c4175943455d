"""Which days an answer is about, as it says them; it asks back when those of the question were not understood."""

from __future__ import annotations

import re
from datetime import date

from functions._shared import italian_dates
from functions._shared.assistant.local import periods
from functions._shared.assistant.local.steps import Ended, Scene, answer
from functions._shared.quick_add.days import last_of

_PERIOD_BEFORE = re.compile(r"\b(?:mese|trimestre|anno|settimana) (?:prima|precedente)\b", re.IGNORECASE)
_WHICH_DAYS = (
    "Non ho capito di quali giorni parli, e non voglio darti un totale sbagliato. Dimmelo così: «a novembre», «negli "
    "ultimi tre mesi», «dal 1º al 15 ottobre»."
)


def ask(scene: Scene, question: str | None = None) -> None:
    """Ask back where days were not understood: the sum would be that of all days. Raises Ended.

    `question`: what was asked, without words that only look like days.
    """
    text = scene.question if question is None else question
    # «E il mese prima?» was read from the question before.
    text = _PERIOD_BEFORE.sub("", text) if "from" in scene.slots else text
    if not scene.choice and not periods.is_understood(text, scene.today):
        raise Ended(answer(_WHICH_DAYS, derived=(_WHICH_DAYS,)))


def told(scene: Scene) -> str:
    """« a novembre 2026», « nel 2026», « dal 01/11/2026 al …», « entro il …»; "" when none was named."""
    days = _days(scene)
    return f" con data{days}" if days and scene.slots.get("by") == "issued" else days


def _days(scene: Scene) -> str:
    first, last = (date.fromisoformat(each) if each else None for each in map(scene.slots.get, ("from", "to")))
    if not first or not last:
        return f" dal {first:%d/%m/%Y}" if first else f" entro il {last:%d/%m/%Y}" if last else ""
    if first == last:
        return f" il {first:%d/%m/%Y}"
    if (first.year, first.day, first.month, last.day, last.month) == (last.year, 1, 1, 31, 12):
        return f" nel {first.year}"
    if first.day == 1 and last == last_of(first.year, first.month):
        month = italian_dates.MONTHS[first.month - 1]
        return f" {'ad' if month[0] == 'a' else 'a'} {month} {first.year}"
    return f" dal {first:%d/%m/%Y} al {last:%d/%m/%Y}"
