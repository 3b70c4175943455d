"""Contacts by place, by when they were heard, and how many there are; the town of one, the last contact with one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from functions._shared.assistant.local.italian import count, day, short_day, shown
from functions._shared.assistant.local.people_asked import first_day
from functions._shared.assistant.local.plans.picking import contact_of
from functions._shared.assistant.local.steps import Answer, Plan, Result, Row, Scene, answer, listing, suggest, use

_WHO = {
    "azienda": ("azienda", "aziende"),
    "persona": ("persona", "persone"),
    "Cliente": ("cliente", "clienti"),
    "Fornitore": ("fornitore", "fornitori"),
}


def contacts_of(scene: Scene) -> Plan:
    """List who is in a place, or was heard in some days, or not for long; or say how many there are."""
    slots = scene.slots
    tag, type_ = slots.get("tag"), slots.get("type")
    wish: dict[str, Any] = {"place": slots.get("place"), "type": type_, **_days(scene)}
    result = yield from use(scene, "list_contacts", tag=tag, **wish)
    if tag and not result["count"]:
        # Who keeps no tags has clients all the same.
        result, tag = (yield from use(scene, "list_contacts", **wish)), None
    one, many = _WHO.get(tag or type_ or "", ("contatto", "contatti"))
    rows, number = result["rows"], result["count"]
    if slots.get("counts"):
        return answer(f"Hai **{count(number, one, many)}**.", suggestions=suggest("chi è il mio miglior cliente?"))
    if not rows:
        return _nobody(scene, result, many)
    return answer(
        f"{count(number, one, many)}{_which(scene)}:",
        listing(
            rows,
            lambda row: str(row["name"]),
            (
                ("Contatto", lambda _row: ""),
                ("Azienda", lambda row: shown(row.get("company") or "")),
                ("Città", lambda row: shown(row.get("city") or "") if slots.get("place") else ""),
                ("Telefono", lambda row: shown(row.get("phone") or "")),
                ("Sentito", lambda row: _heard(scene, row)),
            ),
            number,
        ),
        _left_out(scene, result),
    )


def _heard(scene: Scene, row: Row) -> str:
    return short_day(row["last_heard"][:10], scene.today) if row.get("last_heard") else ""


def _days(scene: Scene) -> dict[str, str]:
    slots = scene.slots
    if "not_for" in slots:
        return {"heard_until": (scene.today - timedelta(days=slots["not_for"] + 1)).isoformat()}
    if "heard_for" in slots:
        return {"heard_from": (scene.today - timedelta(days=slots["heard_for"])).isoformat()}
    return {"heard_from": first_day(slots["heard_in"], scene.today).isoformat()} if "heard_in" in slots else {}


def _which(scene: Scene) -> str:
    slots = scene.slots
    if "place" in slots:
        return f" a {shown(slots['place'].title(), 60)}"
    if "not_for" in slots:
        return f" che non senti da più di {count(slots['not_for'], 'giorno', 'giorni')}"
    return " che hai sentito in questi giorni" if "heard_for" in slots or "heard_in" in slots else ""


def _left_out(scene: Scene, result: Result) -> str:
    if "place" in scene.slots and (number := result.get("without_place")):
        return f"{count(number, 'contatto non ha', 'contatti non hanno')} una città in scheda."
    if "not_for" in scene.slots and (number := result["never_heard"]):
        return f"Altri {number} non risultano mai sentiti." if number > 1 else "Un altro non risulta mai sentito."
    return ""


def _nobody(scene: Scene, result: Result, many: str) -> Answer:
    return answer(
        f"Nessuno dei tuoi {result['contacts']} contatti{_which(scene)}."
        if "place" not in scene.slots
        else f"Fra i tuoi {many} nessuno ha {shown(scene.slots['place'].title(), 60)} in scheda.",
        _left_out(scene, result),
        suggestions=suggest("chi devo richiamare?"),
    )


def place(scene: Scene) -> Plan:
    """Say in which town a contact is."""
    contact = yield from contact_of(scene, "Di chi?")
    found = yield from use(scene, "contact_summary", contact=contact)
    name, ref = shown(found["name"]), found["ref"]
    if not found.get("address"):
        return answer(f"Nella scheda di {name} manca l’indirizzo [[{ref}]].", suggestions=suggest(f"riassumi {name}"))
    return answer(f"{name}: **{shown(found['address'])}** [[{ref}]]", suggestions=suggest(f"riassumi {name}"))


def last_heard(scene: Scene) -> Plan:
    """Say when a contact was last heard."""
    contact = yield from contact_of(scene, "Chi?")
    found = yield from use(scene, "contact_summary", contact=contact)
    name, ref = shown(found["name"]), found["ref"]
    if not found.get("last_heard"):
        return answer(f"Non risulta nessun contatto con {name} [[{ref}]].", suggestions=suggest(f"riassumi {name}"))
    return answer(
        f"L’ultimo contatto con {name} è di {day(found['last_heard'], scene.today)} [[{ref}]].",
        suggestions=suggest(f"riassumi {name}"),
    )
