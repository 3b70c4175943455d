"""Questions about one row of many: the largest, smallest, latest or oldest invoice or deal."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from functions._shared.assistant.local import names, periods
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in, plain
from functions._shared.quick_add import periods as spans

_LARGEST = r"piu (?:alt[ae]|grand[ei]|gross[ae]|car[ae]|ricc[ae]|important[ei]|sostanzios[ae])|maggior[ei]?|massim[ae]"
_SMALLEST = r"(?:piu|meno) (?:bass[ae]|piccol[ae])|meno (?:car[ae]|ricc[ae])|minor[ei]?|minim[ae]"
_ORDERS = (
    ("largest", re.compile(rf"\b(?:{_LARGEST})\b")),
    ("smallest", re.compile(rf"\b(?:{_SMALLEST})\b")),
    (
        "likeliest",
        re.compile(
            r"\bpiu probabil[ei]\b|\b(?:probabilita|possibilita|chance) (?:e )?(?:piu alt[ae]|maggior[ei])\b|"
            r"\bpiu vicin[ae] (?:a|alla) chi\w+"
        ),
    ),
    ("newest", re.compile(r"\bpiu (?:recent[ei]|nuov[ae])\b|\bl'ultima fattura\b")),
    (
        "oldest",
        re.compile(r"\bpiu (?:vecchi[ae]|antic[ah]e?)\b|\bla prima fattura\b|\bferma da piu tempo\b|\bda piu tempo\b"),
    ),
)
_ASKS = re.compile(
    r"^(?:e )?(?:qual|trattativ[ae]|quale|la|l'|mi dici|dimmi|dammi|mostra\w*|fammi vedere|a chi|di chi|"
    r"quanto|quando)\b"
)
_OTHERS = re.compile(r"\b(?:client[ei]|fornitor[ei]|mes[ei]|anno|in media|medi[ao]|pag\w+ in ritardo)\b(?! (?:e'|e) )")
_RECEIVED = re.compile(
    r"\b(?:ricevut[ae]|passiv[ae]|fornitor\w+|spes[ae]|acquist\w+|da pagare|(?:mi|ci) (?:ha|hanno))\b"
)
_STATES = (
    ("scadute", re.compile(r"\b(?:scadut[ae]|in ritardo)\b")),
    ("da_pagare", re.compile(r"\b(?:da incassare|da pagare|apert[ae]|non (?:ancora )?pagat[ae]|insolut[ae])\b")),
    ("pagate", re.compile(r"\b(?:pagat[ae]|saldat[ae]|incassat[ae])\b")),
)
_CLOSED = (("vinte", re.compile(r"\bvint[ae]\b")), ("perse", re.compile(r"\bpers[ae]\b")))


_CLOSING = re.compile(
    r"\btrattative\b.*\b(?:chiudono|si chiudono|si chiuderanno|chiuderanno|da chiudere|in chiusura|previste)\b"
)
_LAST_PAID = re.compile(
    r"^(?:e )?(?:qual|quale|quando|di quanto|dimmi|mostra\w*)\b.*"
    r"\b(?:ultimo (?:pagamento|incasso)|ultima fattura (?:incassata|pagata))\b"
)
_BY_MONTH = re.compile(
    r"\b(?:fatturato|fatture|vendite|spes[ae]|acquisti|entrate|uscite|costi)\b.*"
    r"\b(?:mese per mese|per (?:ogni )?mese|mensil[ei]|nei vari mesi)\b"
    r"|^(?:com'e |come e )?(?:l')?andamento (?:del|delle|dei) (?:mio |mie |miei )?"
    r"(?:fatturato|fatture|vendite|spese|costi)\b"
)
_BEST_MONTH = re.compile(
    r"^(?:e )?(?:in (?:che|quale) mese|quando|quale mese|(?:qual|quale) (?:e|e stato) (?:stato )?(?:il )?(?:mio )?mese"
    r"(?: in cui)?)\b"
)
_MOST = re.compile(r"\b(?:di piu|piu alto|maggiore|migliore|record|massimo|top)\b")
_LEAST = re.compile(r"\b(?:di meno|piu basso|minore|peggiore|minimo)\b")
_TURNOVER = re.compile(r"\b(?:fattur\w+|vend\w+|guadagn\w+|lavor\w+|spes\w+|spend\w+|compr\w+|acquist\w+|mese)\b")
_SPENT = re.compile(r"\b(?:spes\w+|spend\w+|compr\w+|acquist\w+|costi|uscite)\b")


def _months(text: str, sentence: Sentence, today: date) -> Said | None:
    is_list = _BY_MONTH.search(text) and not re.search(r"\bin media|medi[ao]\b", text)
    order = "largest" if _MOST.search(text) else "smallest" if _LEAST.search(text) else None
    is_one = order and _BEST_MONTH.match(text) and _TURNOVER.search(text) and "pag" not in text
    if not is_list and not is_one:
        return None
    slots: dict[str, Any] = {"direction": "passiva" if _SPENT.search(text) else "attiva"}
    slots |= {"order": order} if is_one else {}
    return Said("months", slots | periods.slots(periods.find(plain(sentence), today)))


def read(sentence: Sentence, today: date) -> Said | None:
    """Return which invoice, deal or month is wanted; None for any other sentence."""
    text = asked_in(sentence)
    if found := _months(text, sentence, today):
        return found
    if _CLOSING.search(text) and (ahead := spans.read(text.split(), today, "ahead")):
        return Said("deals_closing", periods.slots(ahead.period))
    if _LAST_PAID.match(text):
        side = "passiva" if re.search(r"\b(?:fatto|effettuato|fornitore)\b", text) else "attiva"
        return Said("top_invoice", {"order": "newest", "state": "pagate", "direction": side, "by": "paid"})
    order = next((order for order, form in _ORDERS if form.search(text)), None)
    if order is None or not _ASKS.match(text) or _OTHERS.search(text):
        return None
    if re.search(r"\b(?:trattativ[ae]|opportunita)\b", text):
        state = next((state for state, form in _CLOSED if form.search(text)), "aperte")
        order = "longest" if order == "oldest" else order
        return Said("top_deal", {"order": order, "state": state}) if order != "newest" else None
    if not re.search(r"\bfattur[ae]\b", text):
        return None
    slots: dict[str, Any] = {"order": order, "direction": "passiva" if _RECEIVED.search(text) else "attiva"}
    slots["state"] = next((state for state, form in _STATES if form.search(text)), "tutte")
    said = plain(sentence)
    if name := names.find(said):
        slots["contact"] = name
    return Said("top_invoice", slots | periods.slots(periods.find(said, today)) | {"by": "issued"})
