"""What papers say: until when they hold, what they come to, and the lines of electronic invoices."""

from __future__ import annotations

from dataclasses import replace

from functions._shared.assistant.local.italian import count, day, short_day, shown
from functions._shared.assistant.local.plans import papers
from functions._shared.assistant.local.plans.deals import deal_list
from functions._shared.assistant.local.steps import (
    Answer,
    Plan,
    Result,
    Row,
    Scene,
    Steps,
    answer,
    listing,
    suggest,
    use,
)
from functions._shared.assistant.tools.stems import fits, stems
from functions._shared.quick_add import periods as spans

_KINDS = {
    "contratto": ("contratto", "contratti"),
    "preventivo": ("preventivo", "preventivi"),
    "ricevuta": ("ricevuta", "ricevute"),
    "f24": ("F24", "F24"),
    "durc": ("DURC", "DURC"),
    "visura": ("visura", "visure"),
    "documento_identita": ("documento d’identità", "documenti d’identità"),
}
_UNSURE = " (letto dal documento, da verificare)"


def ends(scene: Scene) -> Plan:
    """Say until when a contract, a licence, a DURC holds, and whether it is over."""
    result = yield from _of_kind(scene)
    rows = result["rows"]
    dated = [row for row in rows if row.get("ends_on")]
    if "within" in scene.slots:
        return _ending(scene, dated)
    if not rows:
        return (yield from _elsewhere(scene, result))
    if not dated:
        return (yield from _elsewhere(scene, result))
    return answer(*(_end(scene, row) for row in dated[:6]), _rest(len(dated) - 6))


def _ending(scene: Scene, dated: list[Row]) -> Answer:
    """Say which of them end in the days that are asked for; without days, from today on."""
    found = spans.read(scene.slots["within"].split(), scene.today, "ahead")
    first, last = found.period if found else (scene.today, None)
    lowest, highest = (first or scene.today).isoformat(), last.isoformat() if last else "9999"
    rows = sorted((row for row in dated if lowest <= row["ends_on"] <= highest), key=lambda row: str(row["ends_on"]))
    when = f" entro il {last:%d/%m/%Y}" if last else ""
    if not rows:
        text = f"Non trovo documenti che scadono{when}: ne ho guardati {len(dated)} con una scadenza."
        return answer(text, suggestions=suggest("quali contratti ho?"), derived=(when, str(len(dated))))
    return answer(*(_end(scene, row) for row in rows[:10]), _rest(len(rows) - 10))


def _end(scene: Scene, row: Row) -> str:
    verb = "è scaduto" if row["is_over"] else "scade"
    who = f" ({shown(row['party'], 80)})" if row.get("party") else ""
    unsure = "" if row.get("is_sure") else _UNSURE
    return f"**{_name(row)}**{who} {verb} {day(row['ends_on'], scene.today)}{unsure} [[{row['ref']}]]."


def total(scene: Scene) -> Plan:
    """Say what a quote, an F24, a receipt comes to."""
    result = yield from _of_kind(scene)
    rows = result["rows"]
    known = [row for row in rows if row.get("total")]
    if not rows:
        return (yield from _elsewhere(scene, result))
    if not known:
        return (yield from _elsewhere(scene, result))
    return answer(*(amount(scene, row) for row in known[:6]), _rest(len(known) - 6))


def amount(scene: Scene, row: Row) -> str:
    """Tell of one paper its total."""
    who = f" ({shown(row['party'], 80)})" if row.get("party") else ""
    of = f", del {short_day(row['issued_on'], scene.today)}" if row.get("issued_on") else ""
    return f"**{_name(row)}**{who}{of}: **{row['total']}** [[{row['ref']}]]."


def found(scene: Scene) -> Plan:
    """List the papers of a kind or with these words."""
    result = yield from _of_kind(scene)
    rows = result["rows"]
    if not rows:
        return (yield from _elsewhere(scene, result))
    one, many = _KINDS.get(scene.slots.get("kind", ""), ("documento", "documenti"))
    return answer(
        f"{count(result['count'], one, many)}:",
        listing(
            rows,
            _name,
            (
                ("Documento", lambda _row: ""),
                ("Di", lambda row: shown(row.get("party", ""), 80)),
                ("Importo", lambda row: str(row.get("total", ""))),
                ("Scadenza", lambda row: short_day(row["ends_on"], scene.today) if row.get("ends_on") else ""),
                ("Del", lambda row: short_day(row["issued_on"], scene.today) if row.get("issued_on") else ""),
            ),
            result["count"],
        ),
    )


def _of_kind(scene: Scene) -> Steps:
    slots = scene.slots
    return (yield from use(scene, "find_papers", query=slots.get("query", ""), kind=slots.get("kind")))


def _elsewhere(scene: Scene, result: Result) -> Plan:
    """Look in the deals for a quote that no file holds; else quote the passages that may answer."""
    slots = scene.slots
    one, many = _KINDS.get(slots.get("kind", ""), ("documento", "documenti"))
    if slots.get("kind") == "preventivo" and slots.get("query"):
        found = yield from use(scene, "list_deals", query=slots["query"])
        if found["rows"]:
            where = "nella trattativa" if found["count"] == 1 else "nelle trattative"
            return answer(
                f"Tra i documenti non trovo un preventivo con «{shown(slots['query'], 80)}». L’importo è {where}:",
                deal_list(scene, found["rows"], found["count"]),
            )
    words = f" con «{shown(slots['query'], 80)}»" if slots.get("query") else ""
    asked = yield from use(scene, "ask_documents", question=scene.question[:400])
    if words and not result["rows"]:
        # The words of somebody else's contract answer nothing.
        wanted = stems(slots["query"])
        asked = {
            **asked,
            "rows": [row for row in asked["rows"] if fits(wanted, f"{row.get('quote')} {row.get('name')}")],
        }
    if asked["rows"]:
        told = papers.told(asked["rows"])
        none = f"Non trovo {_none(one)}{words} nel nome o nella controparte."
        return told if result["rows"] or not words else replace(told, text=f"{none}\n\n{told.text}")
    what = "nessuno lo dice" if result["rows"] else "nome e controparte compresi"
    return answer(
        f"Non trovo {_none(one)}{words}: ho guardato {count(result['searched'], one, many)}, {what}.",
        suggestions=suggest(f"cerca nei documenti {shown(slots.get('query') or one, 60)}"),
    )


def _none(one: str) -> str:
    return f"nessuna {one}" if one in ("ricevuta", "visura") else f"nessun {one}"


def lines(scene: Scene) -> Plan:
    """Say in which invoices something was sold or bought, or what stands in one of them."""
    result = yield from _lines(scene)
    slots, rows = scene.slots, result["rows"]
    if not rows:
        return _no_lines(scene, result)
    if "query" in slots:
        head = f"«{shown(slots['query'], 80)}» compare in {count(result['invoices'], 'fattura', 'fatture')}:"
    elif result["invoices"] == 1:
        whose = shown(rows[0].get("counterparty", ""), 80)
        head = f"Nella fattura {shown(rows[0]['number'], 40)}{f' ({whose})' if whose else ''} ci sono:"
    else:
        head = f"{count(result['count'], 'riga', 'righe')} in {count(result['invoices'], 'fattura', 'fatture')}:"
    return answer(head, line_list(scene, rows, result["count"]), suggestions=suggest("fatture emesse"))


def sold_to(scene: Scene) -> Plan:
    """Say who was invoiced for something, or who invoiced it."""
    result = yield from _lines(scene)
    slots, rows = scene.slots, result["rows"]
    if not rows:
        return _no_lines(scene, result)
    names = list(dict.fromkeys(shown(row.get("counterparty", ""), 80) for row in rows if row.get("counterparty")))
    who = ", ".join(f"**{name}**" for name in names[:10])
    verb = "L’hai fatturato a" if slots.get("direction") == "attiva" else "Te l’ha fatturato"
    return answer(f"{verb} {who} («{shown(slots['query'], 80)}» nelle righe).", line_list(scene, rows, result["count"]))


def _lines(scene: Scene) -> Steps:
    slots = scene.slots
    names = ("query", "party", "number", "direction", "from", "to")
    return (yield from use(scene, "find_invoice_lines", **{name: slots[name] for name in names if name in slots}))


def _no_lines(scene: Scene, result: Result) -> Answer:
    slots = scene.slots
    searched = count(result["searched"], "fattura elettronica", "fatture elettroniche")
    if "number" in slots:
        text = f"Non trovo righe di una fattura «{shown(slots['number'], 40)}»"
    else:
        what = slots.get("query") or slots.get("party") or ""
        text = f"Non lo so: nelle righe delle fatture elettroniche «{shown(what, 80)}» non compare con queste parole"
    return answer(
        f"{text}: ho guardato {searched}. Scansioni e PDF non hanno righe.", suggestions=suggest("fatture emesse")
    )


def line_list(scene: Scene, rows: list[Row], total: int) -> str:
    """List lines of invoices with their invoice, its party, net amount and day."""
    both = len({row["direction"] for row in rows}) > 1
    return listing(
        rows,
        lambda row: shown(row.get("text", ""), 120) or "Riga senza descrizione",
        (
            ("Riga", lambda _row: ""),
            ("Fattura", lambda row: shown(row["number"], 40)),
            ("Di", lambda row: shown(row.get("counterparty", ""), 80)),
            ("Verso", lambda row: {"attiva": "emessa", "passiva": "ricevuta"}[row["direction"]] if both else ""),
            ("Importo", lambda row: f"{row['net']} netti" if row.get("net") else ""),
            ("Del", lambda row: short_day(row["issued_on"], scene.today)),
        ),
        total,
    )


def _name(row: Row) -> str:
    return shown(row.get("name") or "Documento", 120)


def _rest(number: int) -> str:
    return f"E altri {number}." if number > 1 else "E un altro." if number == 1 else ""
