"""«La prima», «l'ultima»: the row of the list before that is meant, looked up anew, so that it is still that one."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from functions._shared.assistant.local.italian import shown
from functions._shared.assistant.local.steps import Answer, Call, Ended, Result, Row, Scene, use

# Where the list of an intent comes from.
_TOOLS = {
    "tasks": "list_tasks", "today": "today", "to_call": "contacts_to_call", "deals": "list_deals",
    "deals_total": "deals_total", "invoices": "list_invoices", "find_contacts": "find_contacts",
    "list_memories": "list_memories", "projects": "list_projects", "list_subtasks": "list_subtasks",
}  # fmt: skip
_SLOTS = ("when", "contact", "project", "task", "limit", "state", "direction", "by", "query", "about")
Picked = Generator[Call, Result, str]


def days(slots: dict[str, Any]) -> dict[str, str]:
    """The days of a question, as tools are told them: those of a period, or one."""
    if on := slots.get("on"):
        return {"from": on, "to": on}
    return {name: slots[name] for name in ("from", "to") if name in slots}


def named_invoice(row: Row) -> str:
    """«Fattura 12/2026», «Nota di credito 3/2026»."""
    return f"{str(row.get('kind', 'fattura')).capitalize()} {row['number']}"


def label(row: Row) -> str:
    """What a row was shown as."""
    name = row.get("title") or row.get("name") or row.get("fact") or (named_invoice(row) if "number" in row else "")
    return shown(name, 120)


def row_of(scene: Scene, place: int) -> Generator[Call, Result, Row]:
    """The row of the list before. Raises Ended when there is none, or the list is not what it was."""
    if within := scene.slots.get("within"):
        listed = yield from use(scene, "list_tasks", when=within)
        found: list[Row] = listed.get("rows", [])
        if len(found) < abs(place):
            raise Ended(Answer("Quell’elenco non ha così tante attività."))
        return found[place - 1 if place > 0 else place]
    before = scene.before
    if before is None or before.intent not in _TOOLS or not scene.listed:
        raise Ended(
            Answer("Non so di quale elenco parli: chiedimi prima l’elenco, poi dimmi «la prima», «la seconda»…")
        )
    if place > len(scene.listed):
        number = len(scene.listed)
        raise Ended(Answer(f"L’elenco ha {number} {'riga' if number == 1 else 'righe'}: dimmi quale intendi."))
    args: dict[str, Any] = {name: before.slots[name] for name in _SLOTS if name in before.slots} | days(before.slots)
    result = yield from use(scene, _TOOLS[before.intent], **args)
    at = place - 1 if place > 0 else len(scene.listed) + place
    rows: list[Row] = [*result.get("rows", []), *result.get("overdue", {}).get("rows", [])]
    fitting = [row for row in rows if label(row) == scene.listed[at]]
    # Rows of the same name keep their order among themselves.
    before_it = scene.listed[:at].count(scene.listed[at])
    if before_it >= len(fitting):
        gone = f"«{scene.listed[at]}» non è più in quell’elenco: chiedimelo di nuovo e ti mostro com’è adesso."
        raise Ended(Answer(gone))
    return fitting[before_it]


def contact_of(scene: Scene, ask: str) -> Picked:
    """Name or handle of the contact that is meant. Raises Ended with `ask` when nobody was named."""
    if "pick" in scene.slots:
        row = yield from row_of(scene, scene.slots["pick"])
        return str(row["ref"] if "name" in row and "fact" not in row else row.get("contact_ref") or row["ref"])
    return _named(scene, "contact", ask)


def contact_if_any(scene: Scene) -> Generator[Call, Result, str | None]:
    """The same, of a question that may be about nobody in particular."""
    if "pick" not in scene.slots:
        return scene.slots.get("contact")
    return (yield from contact_of(scene, ""))


def task_of(scene: Scene, ask: str) -> Picked:
    """Title or handle of a task."""
    if "pick" in scene.slots:
        row = yield from row_of(scene, scene.slots["pick"])
        return str(row["ref"])
    return _named(scene, "task", ask)


def deal_of(scene: Scene, ask: str) -> Picked:
    """Title or handle of a deal."""
    if "pick" in scene.slots:
        row = yield from row_of(scene, scene.slots["pick"])
        return str(row["ref"])
    return _named(scene, "deal", ask)


def _named(scene: Scene, slot: str, ask: str) -> str:
    if slot in scene.slots:
        return str(scene.slots[slot])
    raise Ended(Answer(ask))
