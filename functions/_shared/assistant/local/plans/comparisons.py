"""Answers that compare two periods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from functions._shared.assistant.local import vat
from functions._shared.assistant.local.italian import shown
from functions._shared.assistant.local.plans import said_days
from functions._shared.assistant.local.plans.rankings import left_out, unread
from functions._shared.assistant.local.steps import Plan, Result, Scene, answer, suggest, use

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
