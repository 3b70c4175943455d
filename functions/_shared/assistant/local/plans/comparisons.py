"""Answers that compare two periods."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

from functions._shared import italian_dates
from functions._shared.assistant.local import vat
from functions._shared.assistant.local.italian import shown
from functions._shared.assistant.local.plans import said_days
from functions._shared.assistant.local.plans.rankings import left_out, unread
from functions._shared.assistant.local.steps import Plan, Result, Row, Scene, answer, suggest, use

_MOST_MONTHS = 12
_MONTH = re.compile(r"\bmes[ei]\b|\bmensil[ei]\b", re.IGNORECASE)
_VERBS = {
    ("attiva", "tutte"): "hai fatturato",
    ("passiva", "tutte"): "hai ricevuto fatture per",
    ("attiva", "pagate"): "hai incassato",
    ("passiva", "pagate"): "hai pagato",
}


def compare(scene: Scene) -> Plan:
    """Say both figures, and the difference with its sign and percentage."""
    unread(scene)
    slots = scene.slots
    names = ("direction", "state", "contact", "from", "to", "other_from", "other_to")
    result = yield from use(scene, "compare_periods", **{name: slots[name] for name in names if name in slots})
    first, other, whole = result["period"], result["other"], result.get("other_whole")
    verb = _VERBS[slots.get("direction", "attiva"), slots.get("state", "tutte")]
    whose = f" ({shown(result['of'])})" if result.get("of") else ""
    now, then = _days(scene, first), _days(scene, other)
    if not first["count"] and not other["count"] and not (whole and whole["count"]):
        return answer(f"Non risultano fatture{now} né{then}{whose}.", derived=(now, then))
    is_gross = vat.is_net(scene.question) is False
    text = f"{now.strip().capitalize()} {verb} {_figure(first, is_gross)}{whose}, {_change(result, is_gross)}"
    text += f" rispetto a {_figure(other, is_gross)}{then}."
    end = _days(scene, whole) if whole else ""
    return answer(
        text,
        f"In totale{end}: {_figure(whole, is_gross)}." if whole else "",
        left_out(first),
        suggestions=suggest("chi è il mio miglior cliente?"),
        derived=(now, then, end),
    )


def months(scene: Scene) -> Plan:
    """List what was invoiced or spent by month, and say which month was the best or the worst."""
    # «Il mese migliore», «mese per mese» name no days.
    said_days.ask(scene, _MONTH.sub(" ", scene.question))
    slots = scene.slots
    names = ("direction", "contact", "from", "to")
    result = yield from use(scene, "invoices_by_month", **{name: slots[name] for name in names if name in slots})
    rows, when = result["rows"], said_days.told(scene)
    whose = f" ({shown(result['of'])})" if result.get("of") else ""
    if not rows:
        return answer(f"Non risultano fatture{when}{whose}.", left_out(result), derived=(when,))
    name = "net_cents" if all("net_cents" in row for row in rows) else "total_cents"
    chosen = (min if slots.get("order") == "smallest" else max)(rows, key=lambda row: row[name])
    which = "di meno" if slots.get("order") == "smallest" else "di più"
    verb = "hai fatturato" if slots.get("direction", "attiva") == "attiva" else "hai speso"
    months_told = [_month(row["month"]) for row in rows]
    head = f"Il mese in cui {verb} {which}{when}{whose} è **{_month(chosen['month'])}**: {_figure(chosen, False)}."
    return answer(
        head if "order" in slots else f"Mese per mese{when}{whose}:",
        _table(rows[-_MOST_MONTHS:]),
        f"Gli ultimi {_MOST_MONTHS} mesi di {len(rows)}." if len(rows) > _MOST_MONTHS else "",
        left_out(result),
        suggestions=suggest("ho fatturato più o meno dell'anno scorso?"),
        derived=(when, *months_told),
    )


def _table(rows: list[Row]) -> str:
    lines = ["| Mese | Netto | IVA compresa | Fatture |", "| --- | --- | --- | --- |"]
    lines += [f"| {_month(row['month'])} | {row.get('net', '')} | {row['amount']} | {row['count']} |" for row in rows]
    return "\n".join(lines)


def _month(month: str) -> str:
    return italian_dates.month_and_year(date.fromisoformat(f"{month}-01"))


def _days(scene: Scene, period: Result) -> str:
    slots: dict[str, Any] = {"from": period["from"], "to": period["to"]}
    return said_days.told(replace(scene, said=replace(scene.said, slots=slots)))


def _figure(period: Result, is_gross: bool) -> str:
    if "net" not in period:
        return f"**{period['amount']}**"
    if is_gross:
        return f"**{period['amount']}** IVA compresa"
    return f"**{period['net']}** netto"


def _change(result: Result, is_gross: bool) -> str:
    cents, percent = result["difference_cents"], result.get("percent")
    if cents == 0:
        return "come prima, senza differenza,"
    amount = str(result["gross_difference" if is_gross else "difference"]).lstrip("-")
    share = "" if percent is None or is_gross else f" ({'+' if cents > 0 else '−'}{abs(percent)} %)"
    return f"**{amount} in {'più' if cents > 0 else 'meno'}**{share}"
