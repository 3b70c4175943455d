"""A question that names an invoice by its number: that invoice, what is open of it, and when it was paid."""

from __future__ import annotations

from functions._shared.assistant.local.italian import short_day, shown, since
from functions._shared.assistant.local.one_number import number_in
from functions._shared.assistant.local.plans import money
from functions._shared.assistant.local.plans.picking import named_invoice
from functions._shared.assistant.local.steps import Plan, Row, Scene, answer, suggest, use


def invoices(scene: Scene) -> Plan:
    """Tell of the invoice that the question names by its number, else of those that it describes."""
    number = number_in(scene.question)
    if number is None:
        return (yield from money.invoices(scene))
    wish = {"direction": scene.slots["direction"]} if "direction" in scene.slots else {}
    result = yield from use(scene, "list_invoices", number=number, **wish)
    rows = result["rows"]
    if not rows:
        return answer(f"Nel registro non c’è una fattura «{shown(number, 60)}».", suggestions=suggest("fatture emesse"))
    return answer(
        *(told(scene, row) for row in rows),
        money.invoice_list(scene, rows, result["count"]),
        suggestions=suggest("fatture da incassare"),
    )


def told(scene: Scene, row: Row) -> str:
    """Tell of one invoice what it comes to, and when it was paid or is due."""
    who = shown(row.get("counterparty") or row.get("contact") or "")
    name = f"{named_invoice(row)} {'a' if row['direction'] == 'attiva' else 'di'} {who}" if who else named_invoice(row)
    text = f"{name}, del {short_day(row['issued_on'], scene.today)}: **{row['total']}** IVA compresa."
    if row.get("kind") == "autofattura":
        return text
    if row.get("paid_on"):
        return f"{text} Pagata {short_day(row['paid_on'], scene.today)}."
    due = f", scadenza {short_day(row['due'], scene.today)}" if row.get("due") else ", senza scadenza"
    late = f", in ritardo {since(row['days_late'])}" if row.get("days_late") else ""
    return f"{text} Non è ancora saldata: restano {row['open']}{due}{late}."
