"""Contacts: their summary, one of their data, a search; what is remembered of them, or at all."""

from __future__ import annotations

from collections.abc import Callable

from functions._shared.assistant.local.italian import count, short_day, shown
from functions._shared.assistant.local.names import is_like_one
from functions._shared.assistant.local.plans.agenda import task_list
from functions._shared.assistant.local.plans.deals import deal_list
from functions._shared.assistant.local.plans.money import invoice_list, similar_invoices
from functions._shared.assistant.local.plans.picking import contact_of
from functions._shared.assistant.local.steps import (
    Answer,
    Plan,
    Result,
    Row,
    Scene,
    Suggestion,
    answer,
    listing,
    suggest,
    use,
)

# What a field is called, with its article, and where it stands in a row.
_FIELDS = {
    "telefono": ("il telefono", "phone"),
    "email": ("l’email", "email"),
    "piva": ("la partita IVA", "vat_number"),
    "pec": ("la PEC", "pec"),
    "sdi": ("il codice destinatario", "sdi_code"),
    "cf": ("il codice fiscale", "tax_code"),
    "indirizzo": ("l’indirizzo", "address"),
    "ruolo": ("il ruolo", "job"),
}


def summary(scene: Scene) -> Plan:
    """All that matters of one contact."""
    contact = yield from contact_of(scene, "Di chi vuoi il riassunto?")
    found = yield from use(scene, "contact_summary", contact=contact)
    return told(scene, found)


def told(scene: Scene, found: Result, head: str = "") -> Answer:
    """What contact_summary returned."""
    name = shown(found["name"])
    return answer(
        head,
        _identity(found),
        _section(found, "tasks", "Attività aperte", lambda rows, total: task_list(scene, rows, total)),
        _section(found, "deals", "Trattative aperte", lambda rows, total: deal_list(scene, rows, total)),
        _invoices(scene, found),
        _facts(found),
        _papers(found),
        _events(scene, found),
        _etico(scene, found),
        suggestions=suggest(f"scrivi un'email a {name}", f"ricordami di chiamare {name} domani", f"fatture di {name}"),
    )


def _identity(found: Result) -> str:
    job = " · ".join(shown(found[key]) for key in ("job", "company") if found.get(key))
    reach = " · ".join(shown(found[key]) for key in ("phone", "email") if found.get(key))
    return "  \n".join(
        filter(None, (f"**{shown(found['name'])}** [[{found['ref']}]]" + (f" · {job}" if job else ""), reach))
    )


def _section(found: Result, key: str, title: str, write: Callable[[list[Row], int], str]) -> str:
    part = found.get(key) or {}
    if not part.get("count"):
        return ""
    total = f" per {part['amount']}" if part.get("amount") else ""
    return f"**{title}** ({part['count']}{total})\n\n" + write(part["rows"], part["count"])


def _invoices(scene: Scene, found: Result) -> str:
    """What is open in either direction, which never adds up: a client may be a supplier too."""
    part = found.get("invoices") or {}
    similar = similar_invoices(part)
    if not part.get("count"):
        return similar
    sides = [
        f"{words} {part[side]['amount']}"
        for side, words in (("to_cash", "da incassare"), ("to_pay", "da pagare"))
        if part[side]["count"] or part[side].get("credit_notes")
    ]
    total = f": {', '.join(sides)}" if sides else ""
    rows = invoice_list(scene, part["rows"], part["count"], "da_pagare")
    return "\n\n".join(filter(None, (f"**Fatture aperte** ({part['count']}{total})", rows, similar)))


def _facts(found: Result) -> str:
    rows = (found.get("memories") or {}).get("rows", [])
    return "**Ricordo**\n" + "\n".join(f"- {shown(row['fact'])} [[{row['ref']}]]" for row in rows) if rows else ""


def _papers(found: Result) -> str:
    rows = (found.get("documents") or {}).get("rows", [])
    return "**Documenti**: " + ", ".join(f"{shown(row['name'])} [[{row['ref']}]]" for row in rows) + "." if rows else ""


def _events(scene: Scene, found: Result) -> str:
    rows = [row for row in (found.get("events") or {}).get("rows", []) if row.get("title")][:4]
    lines = []
    for row in rows:
        text = f": {shown(row['text'], 120)}" if row.get("text") else ""
        ref = f" [[{row['ref']}]]" if row.get("ref") else ""
        lines.append(f"- {short_day(row.get('at'), scene.today)} · {shown(row['title'])}{text}{ref}")
    return "**Ultimi fatti**\n" + "\n".join(lines) if lines else "Nessun contatto registrato finora."


def _etico(scene: Scene, found: Result) -> str:
    if scene.agent != "etico":
        return ""
    consent = "sì" if found.get("consents_to_marketing") else "no"
    return f"**Riservatezza**: consenso al marketing {consent}. Usa questi dati solo per il lavoro con questa persona."


def field(scene: Scene) -> Plan:
    """One of a contact's data."""
    contact = yield from contact_of(scene, "Di chi?")
    found = yield from use(scene, "contact_summary", contact=contact)
    name, ref = shown(found["name"]), found["ref"]
    what, key = _FIELDS[scene.slots.get("field", "telefono")]
    value = found.get(key)
    if value:
        where = f", {shown(found['company'])}" if key == "job" and found.get("company") else ""
        return answer(
            f"{what[:1].upper()}{what[1:]} di {name}: **{shown(value)}**{where} [[{ref}]]",
            suggestions=suggest(f"riassumi {name}"),
        )
    others = [
        f"{_FIELDS[other][0]} {shown(found[_FIELDS[other][1]])}"
        for other in ("telefono", "email")
        if found.get(_FIELDS[other][1])
    ]
    there = f" C’è però {others[0]}." if others else ""
    return answer(f"Nella scheda di {name} manca {what} [[{ref}]].{there}", suggestions=suggest(f"riassumi {name}"))


def find(scene: Scene) -> Plan:
    """Contacts that fit words."""
    query = scene.slots["query"]
    result = yield from use(scene, "find_contacts", query=query)
    rows, number = result.get("rows", []), result.get("count", 0)
    if not rows:
        return answer(
            f"Nessun contatto per «{shown(query)}».",
            suggestions=(
                *((Suggestion(f"Crea {shown(query, 60)}", f"nuovo contatto {query}"),) if is_like_one(query) else ()),
                *suggest(f"cerca ovunque «{query}»"),
            ),
        )
    return answer(
        f"{count(number, 'contatto trovato', 'contatti trovati')} per «{shown(query)}».",
        contact_list(rows, number),
        suggestions=suggest(f"riassumi {shown(rows[0]['name'])}"),
    )


def contact_list(rows: list[Row], total: int = 0) -> str:
    """Contacts with how to reach them."""
    return listing(
        rows,
        lambda row: str(row["name"]),
        (
            ("Contatto", lambda _row: ""),
            ("Azienda", lambda row: shown(row.get("company") or "")),
            ("Telefono", lambda row: shown(row.get("phone") or "")),
            ("Email", lambda row: shown(row.get("email") or "")),
        ),
        total,
    )


def memories(scene: Scene) -> Plan:
    """What is remembered: all, or about somebody."""
    about = scene.slots.get("about")
    result = yield from use(scene, "list_memories", about=about)
    rows, number = result.get("rows", []), result.get("count", 0)
    if not rows:
        text = f"Non ricordo niente su {shown(about)}." if about else "Non ricordo ancora niente di te."
        return answer(
            text + " Puoi dirmi per esempio: «ricorda che il venerdì pomeriggio non lavoro».",
            suggestions=suggest(f"riassumi {shown(about)}") if about else (),
        )
    head = f"Di {shown(about)} ricordo:" if about else f"Ricordo {count(number, 'cosa', 'cose')}:"
    return answer(head, fact_list(rows, number), "Per farmi dimenticare: «dimentica che …».")


def fact_list(rows: list[Row], total: int = 0) -> str:
    """Facts, each with its receipt."""
    lines = [f"{place}. **{shown(row['fact'])}** [[{row['ref']}]]" for place, row in enumerate(rows[:12], 1)]
    return "\n".join(lines) + (f"\n\n…e altre {total - 12}." if total > 12 else "")


def recall(scene: Scene) -> Plan:
    """A question to what is remembered."""
    result = yield from use(scene, "recall", question=scene.slots["question"])
    rows = result.get("rows", [])[:3]
    if not rows:
        return answer(
            "Non lo ricordo. Se me lo dici lo tengo a mente: «ricorda che …».",
            suggestions=suggest("cosa ricordi di me?", "cosa sai fare?"),
        )
    if len(rows) == 1:
        return Answer(f"Mi hai detto: {shown(rows[0]['fact'])} [[{rows[0]['ref']}]]")
    return answer("Quello che ricordo al riguardo:", fact_list(rows))
