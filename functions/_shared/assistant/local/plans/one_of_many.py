"""The largest, smallest, latest or oldest invoice or deal, with those that come next."""

from __future__ import annotations

from functions._shared.assistant.local.italian import shown
from functions._shared.assistant.local.plans import deals, money, one_invoice, said_days
from functions._shared.assistant.local.plans.picking import days
from functions._shared.assistant.local.plans.unregistered import unregistered
from functions._shared.assistant.local.steps import Plan, Scene, answer, suggest, use

_WORDS = {
          "largest": "più alta", "smallest": "più bassa", "newest": "più recente", "oldest": "più vecchia",
          "likeliest": "con la probabilità più alta", "longest": "ferma da più tempo nella sua fase"}  # fmt: skip
_STATES = {"da_pagare": " ancora da pagare", "scadute": " scaduta", "pagate": " pagata", "tutte": ""}
_SIDES = {"attiva": "emessa", "passiva": "ricevuta"}
_NEXT = 4


def invoice(scene: Scene) -> Plan:
    """Tell of the invoice that stands first in an order."""
    slots = scene.slots
    names = ("order", "direction", "state", "contact", "by")
    wish = {name: slots[name] for name in names if name in slots}
    result = yield from use(scene, "list_invoices", **wish, **days(slots))
    rows = [row for row in result["rows"] if row.get("kind") is None]
    which = f"{_SIDES[slots['direction']]}{_STATES[slots['state']]}"
    whose, when = f" di {shown(result['of'])}" if result.get("of") else "", said_days.told(scene)
    if not rows:
        return answer(
            f"Nessuna fattura {which}{whose}{when}.",
            money.similar_invoices(result),
            unregistered(result),
            suggestions=suggest("fatture emesse"),
            derived=(when,),
        )
    is_amount = slots["order"] in ("largest", "smallest")
    others = any(row.get("currency") for row in rows)
    return answer(
        f"La fattura {which}{whose} {_WORDS[slots['order']]}{when}:",
        one_invoice.told(scene, rows[0]),
        money.invoice_list(scene, rows[:_NEXT]),
        "Confronto solo le fatture in euro." if is_amount and others else "",
        money.similar_invoices(result),
        unregistered(result),
        derived=(when,),
    )


def deal(scene: Scene) -> Plan:
    """Tell of the largest or smallest deal."""
    order, state = scene.slots["order"], scene.slots["state"]
    result = yield from use(scene, "list_deals", order=order, state=state)
    rows = result["rows"]
    if not rows:
        return answer(f"Non trovo trattative {state}.", suggestions=suggest("trattative aperte"))
    state_of_one = {"aperte": "aperta", "vinte": "vinta", "perse": "persa"}[state]
    return answer(
        f"La trattativa {state_of_one} {_WORDS[order]}:",
        deals.told(scene, rows[0]),
        deals.deal_list(scene, rows[:_NEXT]),
        suggestions=suggest("trattative aperte"),
    )
