"""Questions about what was sold to somebody, what they paid or were paid, and whether they pay in time."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from functions._shared.assistant.local import names, periods
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in, plain
from functions._shared.names import fold
from functions._shared.quick_add import periods as spans

_ALREADY = r"(?: (?:gia|finora|sin qui|fin qui|ormai|mai))?"
_MONEY = r"(?:quanti (?:soldi|quattrini|euro)|quanto denaro|quanto)"
_SOLD = re.compile(rf"\b{_MONEY} (?:ho|abbiamo|avevo|avevamo){_ALREADY} (?:vendut[oa]|fatto pagare|addebitat[oa])\b")
_GOT = re.compile(
    rf"\b{_MONEY} (?:\S+ ){{0,3}}?(?:mi|ci|m'|c') ?(?:ha|hanno|e|sono){_ALREADY} "
    r"(?:dat[oi]|versat[oi]|bonificat[oi]|pagat[oi]|girat[oi]|arrivat[oi]|saldat[oi])\b"
    rf"|\b{_MONEY} (?:ho|abbiamo){_ALREADY} (?:incassato|ricevuto|preso) (?:da|dal|dalla|dallo|dall'|dagli|"
    r"dai|dalle) ?\S"
)
_GAVE = re.compile(
    rf"\b{_MONEY} (?:gli |le )?(?:ho|abbiamo){_ALREADY} (?:dat[oi]|versat[oi]|bonificat[oi]|pagat[oi]|"
    "girat[oi]|saldat[oi]|"
    r"sborsat[oi])\b"
)
_COSTS = re.compile(r"\bquanto (?:mi|ci) (?:costa|costano|viene a costare|e costat[oa]|sono costat[ie])\b")
_OPEN = re.compile(
    r"^(?:siamo|sono) (?:a posto|pari|in pari|in regola) (?:con|col|coi) (?:il |la |i |le |gli |lo |l')?§$"
    "|^(?:il |la |i |le |gli |lo |l')?§ (?:e|sono) (?:a posto|in pari|in regola) (?:con|coi|col) (?:i "
    ")?(?:pagament[oi]|conti)$"
)
_LATE = re.compile(
    "^(?:il |la |lo |l'|gli |i |le )?§ (?:e|sono|risulta|risultano) (?:(?:molto|ancora|sempre) )?(?:in "
    "ritardo|indietro|moros[oaie])"
    r"(?: (?:con|coi|nei|sui|a) (?:i |le |gli )?(?:pagament[oi]|pagare|fatture|saldi))?$"
    "|^(?:e|sono) (?:in ritardo|indietro|moros[oaie]) (?:con i pagamenti |coi pagamenti )?(?:il |la |lo |l'|"
    "gli |i |le )?§$"
)
_PUNCTUAL = re.compile(
    r"^(?:il |la |lo |l'|gli |i |le )?§ (?:e|sono) (?:un |una |dei )?(?:buon |cattiv[oi] )?"
    r"(?:pagator[ei]|puntual[ei]|affidabil[ei]|regolar[ei])(?: (?:nei|coi|con i|a) (?:pagament[oi]|pagare))?$"
    r"|^(?:il |la |lo |l'|gli |i |le )?§ (?:mi |ci )?paga(?:no)? (?:\w+ ){0,3}?"
    r"(?:puntual\w*|in tempo|in orario|nei tempi|regolarmente|alla scadenza|bene|volentieri|subito|tardi|in ritardo)$"
)
_NET = re.compile(
    "^(?:il |l'|i |a quanto (?:sta|e|ammonta) (?:il |l')?|quant'e (?:il |l')?|quanto (?:fa|e) (?:il |"
    "l')?)?(?:mio |nostro )?"
    "(?:nett[oi]|lord[oi]|imponibile|fatturato|totale (?:emess[oa]|fatturat[oa])|giro d'affari|ricav[oi]|"
    "volume d'affari)"
    "(?: (?:nett[oi]|lord[oi]|totale|complessivo|emess[oi]))? (?:di|del|della|dell'|dello|in|nel|nell'|a|ad|"
    r"da|dal|per) ?\S"
)
_TURNOVER_WORD = re.compile(
    "il|l'|i|mio|nostro|nett[oi]|lord[oi]|totale|complessivo|emess[oai]|fatturat[oa]|imponibile|giro|"
    "d'affari|affari|d'|volume|ricav[oi]|di|del|"
    r"della|dell'|dello|in|nel|nell'|a|ad|da|dal|per|quanto|sta|e|ammonta|quant'e|fa|corso"
)
_WITHHELD = re.compile(r"^(?:(?:il )?totale|quant\w+|somma)\b.*\b(?:ritenut[ae]|trattenut[oaie])\b")
_NO_TRADE = re.compile(
    r"\b(?:iva|tasse|imposte|contributi|inps|f24|medi[ao]|media|piu|meno|trattativ\w+|preventiv\w+)\b"
)


def read(sentence: Sentence, today: date) -> Said | None:
    """Return what is asked of the trade with somebody, or of the turnover of a period; None for any other sentence."""
    text = asked_in(sentence).removeprefix("e ")
    if _WITHHELD.search(text):
        return Said("cannot", {"what": "ritenute"})
    if _NO_TRADE.search(text) or re.search(r"\bnon (?:mi|ci|gli|le|ho|ha|abbiamo)\b", text):
        return None
    said = plain(sentence)
    name = names.find(said)
    days = periods.slots(periods.find(said, today))
    if not name:
        is_turnover = days and _NET.match(text) and not _rest_is_named(text, today)
        return Said("invoices", {"direction": "attiva", "state": "tutte", **days}) if is_turnover else None
    framed = text.replace(fold(name), "§")
    if _LATE.match(framed):
        return Said("days_late", {"contact": name})
    if _PUNCTUAL.match(framed):
        return Said("payment_days", {"direction": "attiva", "contact": name})
    slots: dict[str, Any] | None = next((dict(wish) for form, wish in _WISHES if form.search(framed)), None)
    return Said("invoices", {**slots, "contact": name, **days}) if slots else None


def _rest_is_named(text: str, today: date) -> bool:
    """Tell whether something but a period follows: «il fatturato di Verdi a ottobre»."""
    period = spans.read(text.split(), today)
    rest = period.rest if period else text.split()
    return any(not _TURNOVER_WORD.fullmatch(word) for word in rest)


_WISHES: tuple[tuple[re.Pattern[str], dict[str, str]], ...] = (
    (_SOLD, {"state": "tutte", "direction": "attiva"}),
    (_GOT, {"state": "pagate", "direction": "attiva"}),
    (_GAVE, {"state": "pagate", "direction": "passiva"}),
    (_COSTS, {"state": "tutte", "direction": "passiva"}),
    (_OPEN, {"state": "da_pagare", "direction": "attiva"}),
)
