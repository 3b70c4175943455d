"""Invoices that were paid: which one is found, never guessed; the card asks."""

from __future__ import annotations

from collections.abc import Generator

from functions._shared.assistant.local.italian import shown
from functions._shared.assistant.local.plans.picking import named_invoice, row_of
from functions._shared.assistant.local.plans.writing import proposed
from functions._shared.assistant.local.steps import (
    Answer,
    Call,
    Ended,
    Plan,
    Result,
    Row,
    Scene,
    answer,
    choose,
    question,
    suggest,
    use,
)  # fmt: skip
from functions._shared.names import fold


def mark_paid(scene: Scene) -> Plan:
    """An invoice that was paid or cashed."""
    if "no_day" in scene.slots:
        text = (
            f"Non so quale giorno sia «{shown(scene.slots['no_day'], 40)}». Quando è stata pagata, di preciso? "
            "Per esempio «segna pagata la fattura 12 il 28 ottobre»."
        )
        return answer(text, derived=(text,))
    words = " ".join(str(scene.slots[each]) for each in ("number", "contact") if each in scene.slots)
    if "pick" in scene.slots:
        row = yield from row_of(scene, scene.slots["pick"])
        invoice = str(row["ref"])
    elif "from" in scene.slots:
        invoice = yield from _of_period(scene)
    elif words:
        invoice = words
    else:
        return answer(
            "Quale fattura è stata pagata? Scrivimi il numero, o di chi è.", suggestions=suggest("fatture non pagate")
        )
    try:
        said = {name: scene.slots.get(name) for name in ("direction", "part", "paid_on")}
        result = yield from use(scene, "mark_invoice_paid", invoice=invoice, **said)
    except Ended as end:
        if end.missing:
            raise Ended(_none(words)) from end
        raise
    return proposed(result, "Ho trovato la fattura da segnare come pagata.")


def _none(words: str) -> Answer:
    return answer(
        f"Fra le fatture ancora aperte non ne trovo una per «{shown(words, 80)}».",
        suggestions=suggest("fatture non pagate", "fatture pagate"),
    )


def _of_period(scene: Scene) -> Generator[Call, Result, str]:
    """The handle of the one open invoice of some days, and of somebody. Raises Ended with the question."""
    slots = scene.slots
    wish = {key: slots[key] for key in ("direction", "from", "to") if key in slots}
    # «La fattura di ottobre» was issued in October.
    result = yield from use(scene, "list_invoices", state="da_pagare", by="issued", **wish)
    wanted = fold(str(slots.get("contact", ""))).split()
    rows = [row for row in result["rows"] if all(word in fold(_whose(row)) for word in wanted)]
    if not rows:
        raise Ended(_none(str(slots.get("contact", "quel periodo"))))
    options: list[Row] = [
        {"ref": row["ref"], "label": named_invoice(row), "detail": f"{_whose(row)}, {row.get('open', '')}"}
        for row in rows
    ]
    handles = [str(each["ref"]) for each in options]
    if scene.picked in handles:
        return str(scene.picked)
    fitting = handles if len(handles) == 1 else choose(scene.choice, options)
    if len(fitting) != 1:
        raise Ended(question(options, "fattura"))
    return fitting[0]


def _whose(row: Row) -> str:
    return str(row.get("counterparty") or row.get("contact") or "")
