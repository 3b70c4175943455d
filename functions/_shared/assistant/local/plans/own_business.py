"""A value of the person's own business, or where to write it."""

from __future__ import annotations

from functions._shared.assistant.local.italian import shown
from functions._shared.assistant.local.steps import Plan, Scene, answer, suggest, use

_PAGE = "[Attività e dati fiscali](/settings/business)"
# What it is called, and the ending of what agrees with it.
_FIELDS = {
    "iban": ("Il tuo IBAN", "lo", "scrivilo"),
    "pec": ("La tua PEC", "la", "scrivila"),
    "vat_number": ("La tua partita IVA", "la", "scrivila"),
    "tax_code": ("Il tuo codice fiscale", "lo", "scrivilo"),
    "sdi_code": ("Il tuo codice destinatario SdI", "lo", "scrivilo"),
    "ateco": ("Il tuo codice ATECO", "lo", "scrivilo"),
    "tax_regime": ("Il tuo regime fiscale", "lo", "sceglilo"),
    "address": ("La sede della tua attività", "la", "scrivila"),
}
_OTHERS = {"iban": "la mia partita IVA", "vat_number": "la mia PEC", "pec": "il mio codice destinatario"}


def own_business(scene: Scene) -> Plan:
    """Say one value of the business."""
    field = scene.slots["field"]
    told = yield from use(scene, "own_business")
    what, pronoun, write = _FIELDS[field]
    value = told.get(field)
    if not value:
        return answer(f"{what} non {pronoun} so ancora: {write} in {_PAGE}.")
    holder = told.get("account_holder") if field == "iban" else None
    whose = f", intestato a {shown(holder)}" if holder else ""
    text = f"{what}: **{shown(value)}**{whose}. Si cambia in {_PAGE}."
    return answer(text, suggestions=suggest(_OTHERS[field]) if field in _OTHERS else ())
