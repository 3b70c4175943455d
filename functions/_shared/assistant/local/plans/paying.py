"""How invoices were paid: when, how late they are, which have no due date, and the VAT that they bear."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from functions._shared.assistant.local.italian import count, shown
from functions._shared.assistant.local.plans import money, one_invoice, paper_facts, said_days
from functions._shared.assistant.local.plans.picking import days
from functions._shared.assistant.local.plans.unregistered import unregistered
from functions._shared.assistant.local.steps import Call, Plan, Result, Row, Scene, answer, suggest, use
from functions._shared.assistant.tools.stems import fits, stems

_ON_BILLS = {
    "telefoniche": "telefono",
    "telefonia": "telefono",
    "cellulare": "telefono",
    "connessione": "internet",
    "adsl": "internet",
    "fibra": "internet",
    "elettriche": "energia",
    "energetiche": "energia",
    "assicurative": "polizza",
    "software": "software",
    "luce": "energia",
    "corrente": "energia",
    "elettricita": "energia",
    "bolletta": "energia",
}
_SIDES = {"attiva": ("emessa", "emesse"), "passiva": ("ricevuta", "ricevute")}
# More are listed than told.
_MOST_TOLD = 3


def undated(scene: Scene) -> Plan:
    """List the open invoices that have no due date."""
    direction = scene.slots.get("direction")
    result = yield from use(scene, "list_invoices", state="da_pagare", direction=direction, without_due=True)
    rows, number = result["rows"], result["count"]
    if not rows:
        return answer("Tutte le fatture aperte hanno una scadenza.", unregistered(result))
    return answer(
        f"{count(number, 'fattura aperta non ha', 'fatture aperte non hanno')} una scadenza:",
        money.invoice_list(scene, rows, number, "da_pagare"),
        unregistered(result),
    )


def days_late(scene: Scene) -> Plan:
    """Say since how many days the invoices of somebody are late."""
    contact = scene.slots["contact"]
    result = yield from money.of_somebody(scene, contact, "scadute")
    rows = [row for row in result["rows"] if row.get("days_late")]
    whose = shown(result.get("of") or contact)
    if not rows:
        return answer(
            f"Non trovo fatture scadute con «{whose}».",
            money.similar_invoices(result),
            unregistered(result),
            suggestions=suggest("fatture scadute"),
        )
    return answer(
        *(one_invoice.told(scene, row) for row in rows[:_MOST_TOLD]),
        money.invoice_list(scene, rows, len(rows), "scadute"),
        money.similar_invoices(result),
    )


def when_paid(scene: Scene) -> Plan:
    """Say when somebody paid, all or what was sold to them; and what they have not paid."""
    contact, thing = scene.slots["contact"], scene.slots.get("thing")
    result = yield from money.of_somebody(scene, contact, "tutte")
    rows: list[Row] = [row for row in result["rows"] if row.get("kind") is None]
    whose, what = shown(result.get("of") or contact), ""
    if thing:
        found = yield from use(scene, "find_invoice_lines", query=thing)
        numbers = {(row["number"], row["issued_on"]) for row in found["rows"]}
        rows = [row for row in rows if (row["number"], row["issued_on"]) in numbers]
        what = f" con «{shown(thing, 60)}» nelle righe"
    if not rows:
        return answer(
            f"Non trovo fatture di {whose}{what}, quindi non so se ha pagato.",
            money.similar_invoices(result),
            unregistered(result),
            suggestions=suggest(f"fatture di {whose}"),
        )
    paid = sorted((row for row in rows if row.get("paid_on")), key=lambda row: row["paid_on"], reverse=True)
    unpaid = [row for row in rows if not row.get("paid_on")]
    if scene.slots.get("last"):
        newest = max(rows, key=lambda row: row["issued_on"])
        paid, unpaid = [row for row in paid if row is newest], [row for row in unpaid if row is newest]
    told = [*paid[:_MOST_TOLD], *unpaid[:_MOST_TOLD]]
    return answer(
        f"{whose} non risulta aver pagato{what}." if not paid else "",
        *(one_invoice.told(scene, row) for row in told),
        money.invoice_list(scene, [*paid, *unpaid], len(rows)),
        money.similar_invoices(result),
    )


def thing_paid(scene: Scene) -> Plan:
    """Say whether what was sold under these words was paid, and when."""
    thing = scene.slots["thing"]
    found = yield from use(scene, "find_invoice_lines", query=thing, direction="attiva")
    numbers = list(dict.fromkeys((row["number"], row["issued_on"]) for row in found["rows"]))
    if not numbers:
        return answer(
            f"Non lo so: nelle righe delle fatture emesse «{shown(thing, 80)}» non compare con queste parole. "
            "Dimmi il cliente o il numero della fattura.",
            suggestions=suggest("fatture da incassare"),
        )
    rows: list[Row] = []
    for number, issued_on in numbers[:_MOST_TOLD]:
        result = yield from use(scene, "list_invoices", number=number, direction="attiva")
        rows += [row for row in result["rows"] if row["issued_on"] == issued_on]
    return answer(*(one_invoice.told(scene, row) for row in rows), money.invoice_list(scene, rows, len(rows)))


def spent_on(scene: Scene) -> Plan:
    """Say what was spent with a supplier of that name, else on what the lines of received invoices name so."""
    slots = scene.slots
    said_days.ask(scene)
    thing, when = slots["thing"], said_days.told(scene)
    every = yield from use(scene, "list_invoices", direction="passiva", by="issued", **days(slots))
    suppliers = [row["counterparty"] for row in every["rows"] if fits(stems(thing), row.get("counterparty", ""))]
    if suppliers:
        # Of several the word says who is meant.
        name = suppliers[0] if len(set(suppliers)) == 1 else thing.title()
        wish = {**slots, "contact": name, "direction": "passiva", "state": "tutte"}
        return (yield from money.invoices(replace(scene, said=replace(scene.said, slots=wish))))
    # On bills light is called energy.
    query = _ON_BILLS.get(thing, thing)
    result = yield from use(scene, "find_invoice_lines", query=query, direction="passiva", **days(slots))
    receipts = [] if days(slots) else (yield from _receipts(scene, thing))
    if not result["rows"] and receipts:
        return answer(
            "\n".join(paper_facts.amount(scene, row) for row in receipts[:6]),
            "Non trovo altro fra le fatture ricevute.",
            suggestions=suggest("fatture ricevute"),
        )
    if not result["rows"]:
        return answer(
            f"Non trovo «{shown(thing, 60)}» fra i fornitori, nelle righe delle fatture ricevute o fra le ricevute"
            f"{when}, e senza non voglio darti un totale sbagliato.",
            unregistered(every),
            suggestions=suggest("fatture ricevute"),
            derived=(when,),
        )
    number = count(result["count"], "riga", "righe")
    return answer(
        f"Le fatture ricevute{when} hanno {number} con «{shown(query, 60)}»: **{result['net']}** netti.",
        paper_facts.line_list(scene, result["rows"], result["count"]),
        "\n".join(("Fra le ricevute c’è anche:", *(paper_facts.amount(scene, row) for row in receipts[:6])))
        if receipts
        else "",
        "Conto solo le righe delle fatture elettroniche: scansioni e PDF non ne hanno.",
        suggestions=suggest("fatture ricevute"),
        derived=(when,),
    )


def _receipts(scene: Scene, thing: str) -> Generator[Call, Result, list[Row]]:
    """Return the receipts with these words that say a total: tickets and lunches are in no register."""
    result = yield from use(scene, "find_papers", query=thing, kind="ricevuta")
    return [row for row in result["rows"] if row.get("total")]


def _vat_of_both(scene: Scene) -> Plan:
    """Say the VAT of issued and of received invoices side by side; their difference is no settlement."""
    when, parts, notes = said_days.told(scene), [], []
    for side, (_, many) in _SIDES.items():
        result = yield from use(scene, "list_invoices", direction=side, by="issued", **days(scene.slots))
        if result["count"] and "vat" not in result:
            return answer(
                f"Non posso sommare l’IVA delle fatture {many}{when}: ad alcune manca il netto.", derived=(when,)
            )
        parts.append(f"fatture {many} **{result['vat'] if result['count'] else '0,00 €'}**")
        notes.append(unregistered(result))
    return answer(
        f"IVA{when}: {' e '.join(parts)}.",
        "È l’IVA scritta sulle fatture registrate: quanto ne versi o ne detrai non lo so calcolare, lo "
        "stabilisce il tuo "
        "commercialista.",
        *dict.fromkeys(filter(None, notes)),
        derived=(when, "0,00 €"),
    )


def vat(scene: Scene) -> Plan:
    """Add up the VAT of the invoices of a period; what is to be paid to the State is another matter."""
    said_days.ask(scene)
    if "direction" not in scene.slots:
        return (yield from _vat_of_both(scene))
    direction = scene.slots["direction"]
    result = yield from use(scene, "list_invoices", direction=direction, by="issued", **days(scene.slots))
    _, many = _SIDES[direction]
    when, number = said_days.told(scene), result["count"]
    if not number:
        return answer(f"Nessuna fattura {_SIDES[direction][0]}{when}.", unregistered(result), derived=(when,))
    if "vat" not in result:
        without = result.get("without_net", 0)
        text = f"Non posso sommare l’IVA: in {count(without, 'fattura manca', 'fatture manca')} il netto."
        return answer(text, suggestions=suggest(f"fatture {many}"))
    return answer(
        f"IVA sulle fatture {many}{when}: **{result['vat']}** in {count(number, 'documento', 'documenti')} "
        f"({result['net']} netto, {result['amount']} IVA compresa).",
        "È l’IVA scritta sulle fatture registrate: quanto ne versi o ne detrai lo stabilisce il tuo commercialista.",
        unregistered(result),
        suggestions=suggest(f"fatture {many}"),
        derived=(when,),
    )
