"""Contacts by place, by when they were heard, and how many there are; the town of one, the last contact with one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from functions._shared.assistant.local.italian import count, day, short_day, shown
from functions._shared.assistant.local.people_asked import first_day
from functions._shared.assistant.local.plans.picking import contact_of
from functions._shared.assistant.local.steps import Answer, Plan, Result, Row, Scene, answer, listing, suggest, use

# What events of the timeline in which somebody was heard are called.
_TALKS = frozenset({"Chiamata", "Email", "WhatsApp", "Incontro", "Contatto"})
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
    wish: dict[str, Any] = {"place": slots.get("place"), "type": type_, "company": slots.get("company"), **_days(scene)}
    wish |= {"never_heard": True} if slots.get("never") else {}
    wish |= {"heard_until": scene.today.isoformat()} if slots.get("latest") else {}
    result = yield from use(scene, "list_contacts", tag=tag, **wish)
    if (company := slots.get("company")) and not result["count"]:
        return (yield from _at_company(scene, company))
    if tag and not result["count"]:
        # Who keeps no tags has clients all the same.
        result, tag = (yield from use(scene, "list_contacts", **wish)), None
    one, many = _WHO.get(tag or type_ or "", ("contatto", "contatti"))
    rows, number = result["rows"], result["count"]
    if slots.get("latest") and rows:
        return _latest(scene, rows)
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
                ("Ruolo", lambda row: shown(row.get("job") or "") if slots.get("company") else ""),
                ("Città", lambda row: shown(row.get("city") or "") if slots.get("place") else ""),
                ("Telefono", lambda row: shown(row.get("phone") or "")),
                ("Sentito", lambda row: _heard(scene, row)),
            ),
            number,
        ),
        _left_out(scene, result),
    )


def _at_company(scene: Scene, company: str) -> Plan:
    """Say that nobody on file works there: a company by that name, or contacts of a town of that name."""
    placed = yield from use(scene, "list_contacts", place=company)
    if placed["count"]:
        return (yield from contacts_of(replace(scene, said=replace(scene.said, slots={"place": company}))))
    found = yield from use(scene, "contact_summary", contact=company)
    name, ref = shown(found["name"]), found["ref"]
    return answer(
        f"Fra i tuoi contatti nessuno risulta lavorare per {name} [[{ref}]].", suggestions=suggest(f"riassumi {name}")
    )


def _latest(scene: Scene, rows: list[Row]) -> Answer:
    """Say who was heard last, and who before."""
    first, others = rows[0], rows[1:4]
    when = day(first["last_heard"], scene.today)
    before = ", ".join(f"{shown(row['name'])} ({_heard(scene, row)})" for row in others)
    return answer(
        f"Per ultimo hai sentito **{shown(first['name'])}** [[{first['ref']}]], {when}.",
        f"Prima: {before}." if before else "",
        suggestions=suggest(f"riassumi {shown(first['name'])}"),
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
    if "company" in slots:
        return f" di {shown(slots['company'].title(), 60)}"
    if slots.get("never"):
        return " che non risultano mai sentiti"
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
        _said(found),
        suggestions=suggest(f"riassumi {name}"),
    )


def _said(found: Result) -> str:
    """Tell what was noted of the last contact: «Chiamata: vuole anticipare la consegna»."""
    rows = (found.get("events") or {}).get("rows", [])
    last = next((row for row in rows if row.get("title") in _TALKS and row.get("text")), None)
    if last is None or str(last.get("at", ""))[:10] != str(found["last_heard"])[:10]:
        return ""
    return f"{shown(last['title'])}: {shown(last['text'], 400)}"
