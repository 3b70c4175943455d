"""Questions about how invoices were paid: when, how late, which have no due date, and the VAT that they bear."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from functions._shared.assistant.local import names, payments, periods
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.one_number import number_in
from functions._shared.assistant.local.words import Sentence, asked_in, plain
from functions._shared.names import fold
from functions._shared.quick_add import past_days
from functions._shared.quick_add import periods as spans

_UNDATED = re.compile(
    r"\b(?:non (?:ha|hanno|riporta\w*)|senza|priv[ae] di) (?:una |la |alcuna )?(?:data di )?scadenz[ae]\b"
)
_HOW_LATE = re.compile(
    r"^(?:da )?(?:quanti giorni|quanto tempo|quanto|quando) (?:e |sono |ha |hanno |di )*"
    r"(?:scadut[ae]|in ritardo|ritardo ha|ritardo|scaduto)\b(?P<rest>.*)$"
    r"|^(?P<first>.+?) (?:da quanti giorni|da quanto|di quanto) e (?:scadut[ae]|in ritardo)$"
)
_PAID = r"(?:pagat[oaie]|saldat[oaie])"
_WHEN_PAID = (
    re.compile(
        rf"^(?:quando|in che data|che giorno|in che giorno) (?:mi |ci )?(?:ha|hanno) {_PAID} (?P<who>.+?)"
        r"(?: (?:la|l'|le) ?(?:sua |loro |ultima |sue )*fattur[ae])?$"
    ),
    re.compile(
        rf"^(?P<who>.+?) (?:quando|in che data|che giorno) (?:mi |ci )?(?:ha|hanno) {_PAID}"
        r"(?: (?:la|l'|le) ?(?:sua |loro |ultima |sue )*fattur[ae])?(?: (?P<thing>.+))?$"
    ),
    re.compile(
        rf"^quando (?:e stata|sono state|e stato) {_PAID} (?:la |le |l')?(?:ultima )?fattur[ae] "
        r"(?:a |di |del |della |dell'|dello |al |alla )(?P<who>.+)$"
    ),
)
_WHEN = r"^(?:quando|in (?:che|quale) (?:data|giorno)|che giorno|(?:il|in) che giorno)"
_THE = r"(?:(?:per )?(?:l'|(?:il|la|lo|i|gli|le|un|una) ))"
_NAMED_PAID = (
    re.compile(rf"{_WHEN} (?:mi |ci )?(?:ha|hanno) {_PAID} {_THE}?§(?: {_THE}(?P<thing>.+))?$"),
    re.compile(rf"{_WHEN} {_THE}?§ (?:mi |ci )?(?:ha|hanno) {_PAID}(?: {_THE}(?P<thing>.+))?$"),
    re.compile(
        f"{_WHEN} (?:mi |ci )?(?:e|sono) (?:arrivat[oaie]|entrat[oaie]|stat[oaie] (?:pagat|saldat|incassat|"
        "accreditat)[oaie]) "
        r"(?:(?:il|i|l'|lo) ?(?:bonifico|soldi|pagamento|saldo|incasso|accredito) )"
        rf"(?:dell'|dall'|(?:di|del|della|dello|da|dal|dalla) )§(?: {_THE}(?P<thing>.+))?$"
    ),
    re.compile(
        rf"{_WHEN} (?:(?:e|sono) (?:stat[oaie] )?|(?:ho|abbiamo) )(?:pagat|saldat|incassat)[oaie] {_THE}(?P<thing>.+?) "
        r"(?:dell'|all'|(?:di|del|della|dello|a|al|alla|fatt[oa] (?:a|al|alla|per)) )(?:la |il |l')?§$"
    ),
)
# «La sezione spa è stata pagata?», «hanno pagato i pannelli?»: what was paid, not who did.
_THING_PAID = (
    re.compile(
        r"^(?:l'|(?:il|la|lo|i|gli|le) )(?P<thing>.+?) (?:e|sono|risulta\w*) (?:gia |ancora )?(?:stat[oaie] )?(?:gia )?"
        r"(?:pagat|saldat|incassat)[oaie]$"
    ),
    re.compile(
        r"^(?:e|sono|risulta\w*) (?:gia )?(?:stat[oaie] )?(?:gia )?(?:pagat|saldat|incassat)[oaie] (?:l'|"
        "(?:il|la|lo|i|gli|le) )(?P<thing>.+)$"
    ),
    re.compile(r"^(?:mi |ci )?hanno (?:gia )?(?:pagato|saldato) (?:l'|(?:il|la|lo|i|gli|le) )(?P<thing>.+)$"),
    re.compile(
        "^(?:(?:quando|in che data) )(?:e|sono) (?:stat[oaie] )?(?:pagat|saldat|incassat)[oaie] (?:l'|(?:il|"
        "la|lo|i|gli|le) )(?P<thing>.+)$"
    ),
    re.compile(
        "^(?:l'|(?:il|la|lo|i|gli|le) )(?P<thing>.+?) (?:quando|in che data) (?:(?:me |ce )?(?:l'|lo |la |li "
        "|le )?(?:ha|hanno) (?:pagato|saldato)"
        r"|(?:e|sono) stat[oaie] (?:pagat|saldat|incassat)[oaie])$"
    ),
)
_NO_THING_PAID = re.compile(
    r"\b(?:fattur\w*|bollett\w*|client\w*|tutt\w*|contribut\w*|f24|tasse|iva|stipendi\w*|rat[ae]|parcell\w*|"
    r"preventiv\w*|lavor[oi]|bonifico)\b|\d"
)
# «L'hotel mi ha pagato?», «quanto mi deve lo zio?»
_ONE_PAID = (
    re.compile(
        r"^(?:l'|(?:il|la|lo) )(?P<who>[a-z' ]{3,40}?) (?:mi|ci) (?:ha|deve) (?:gia |ancora )?"
        r"(?:pagato|saldato|versato|qualcosa|dei soldi|soldi|pagare|saldare)(?: tutto| qualcosa| tutto quanto)?$"
    ),
    re.compile(
        r"^quanto (?:mi|ci) deve (?:ancora |pagare )?(?:l'|(?:il|la|lo|mio|mia|il mio|la mia) )?(?P<who>[a-z' ]{3,40})$"
    ),
)
_NOBODY = frozenset(
    {
        "cliente",
        "gente",
        "mondo",
        "totale",
        "fornitore",
        "qualcuno",
        "stato",
        "ancora",
        "tutto",
        "in totale",
        "in tutto",
    }
)
_PAID_ON = re.compile(
    r"(?P<who>[^,;:?]{2,60}?) (?:mi |ci )?(?:ha|hanno) (?:pagato|saldato) (?P<day>\S.{2,30}?) (?:la |le )?"
    r"fattura (?P<invoice>.{1,60})$",
    re.IGNORECASE,
)
_OF_WHOM = re.compile(r"\bfattur[ae] (?:di|del|dello|della|dell'|dei|a|al|alla|all') ?(?P<who>.+)$")
_ARTICLES = re.compile(
    r"^(?:(?:il|lo|la|i|gli|le|del|dello|della|dei|delle|di|a|al|alla|da|dal|dalla|per|con)\s+|(?:l|dell|all|"
    r"dall)'\s*)+"
)
_VAT = re.compile(
    r"^(?:l'|(?:il )?saldo (?:dell')?|(?:la )?differenza (?:tra|fra) )?iva\b(?! (?:compresa|inclusa|esclusa))|"
    r"^quant[ao] iva\b|^(?:il )?totale (?:dell'|di )?iva\b|^iva (?:a credito|a debito|sugli acquisti|sulle vendite)"
)
_OWED_VAT = re.compile(r"\b(?:dev\w+|dov\w+|versare|verso|liquidazione|stato|f24|erario|resta|rimane)\b")
_BOUGHT = re.compile(
    r"\b(?:fornitor\w+|acquist\w+|spes[ae]|passiv\w+|ricevut\w+|a credito|ho pagato|abbiamo pagato|compra\w+)\b"
)
_SOLD = re.compile(
    r"\b(?:client[ei]|vendit\w+|attiv\w+|emess\w+|a debito|fatturat\w+|incassat\w+|addebitat\w+|mess\w+)\b"
)
_SPENT_ON = re.compile(
    r"^(?:e )?(?:quanto|che cifra) (?:ho|abbiamo) (?:gia )?(?:speso|pagato)(?: in tutto| in totale| finora)* "
    r"(?:per l'|d'|l'|(?:per la|per il|per le|per gli|per i|di|in|per|il|lo|la|i|gli|le) )(?P<thing>.+)$"
    r"|^(?:e )?(?:le |i |che )?(?:spese|costi|uscite)(?: (?:totali|complessiv[ei]|sostenut[ei]|che ho avuto))? "
    r"(?:per l'|d'|dell'|(?:per la|per il|per le|per gli|per i|della|del|di|in|per) )(?P<of>.+)$"
    r"|^(?:e )?quanto (?:mi |ci )?(?:e|sono) costat[oaie] (?:l'|(?:il|lo|la|i|gli|le|un|una) )(?P<cost>.+)$"
    "|^(?:e )?(?:quanto|che cifra) (?:(?:mi|ci) (?:costa|costano)|spendo|spendiamo|pago|paghiamo) (?:in "
    "media |ogni mese |al mese )?"
    "(?:l'|d'|(?:di|in|per|il|lo|la|i|gli|le|per il|per la) )?(?P<costs>(?!una? (?:domanda|rispost|messagg)|"
    r"piu\b|di\b|ai?\b).+)$"
    r"|^(?:le |i )?(?:spese|costi) (?P<kind>[a-z]+(?:ich|al|ar|ori)e)$"
    r"|^(?:le |che )?bollett[ae] (?:dell'|(?:della|del|di) )(?P<bill>.+?)(?: pagat[ae])?$"
)
_NET = re.compile(
    r" (?:al (?:netto|lordo)|nett[oi]|lord[oi]|iva (?:compresa|inclusa|esclusa))(?: di iva| dell' ?iva)?$"
)
_NO_THING = re.compile(r"\b(?:fattur\w+|fornitor\w+|tutto|totale|media|iva|tasse|imposte|contributi|f24)\b|\d")
_LONGEST_THING = 3
_ISSUED = re.compile(r"\b(?:emess[ae]|incassare|client[ei])\b")
_RECEIVED = re.compile(r"\b(?:ricevut[ae]|fornitor[ei]|(?:da|devo) pagare)\b")


def read(sentence: Sentence, today: date) -> Said | None:
    """Return what is asked of payments or VAT; None for any other sentence."""
    text = asked_in(sentence).removeprefix("e ")
    if number_in(text):
        return _paid(sentence, today)
    if "fattur" in text and _UNDATED.search(text):
        side = "attiva" if _ISSUED.search(text) else "passiva" if _RECEIVED.search(text) else None
        return Said("undated_invoices", {"direction": side} if side else {})
    if found := _HOW_LATE.match(text):
        return _late(found["rest"] or found["first"] or "")
    if named := _when_named(text, sentence) or _thing(text, sentence, today):
        return named
    for form in _WHEN_PAID:
        if found := form.match(text):
            given: dict[str, Any] = {name: _bare(value) for name, value in found.groupdict().items() if value}
            return Said(
                "when_paid",
                {"contact": given["who"]}
                | ({"thing": given["thing"]} if "thing" in given else {})
                | ({"last": True} if re.search(r"\bultima fattura\b", text) else {}),
            )
    return _vat(text, sentence, today) or _spent(sentence, today)


def _thing(text: str, sentence: Sentence, today: date) -> Said | None:
    """Read whether a thing was paid, or whether somebody in small letters has paid."""
    if names.find(plain(sentence)):
        return None
    for form in _THING_PAID:
        found = form.match(text)
        if found and not _NO_THING_PAID.search(found["thing"]):
            return Said("thing_paid", {"thing": found["thing"]})
    for form in _ONE_PAID:
        found = form.match(text)
        if found and found["who"] not in _NOBODY and not spans.read(found["who"].split(), today):
            return Said("invoices", {"state": "da_pagare", "direction": "attiva", "contact": found["who"]})
    return None


def _when_named(text: str, sentence: Sentence) -> Said | None:
    """Read when somebody paid a thing: «quando mi ha pagato Verdi il packaging?»."""
    name = names.find(plain(sentence))
    framed = text.replace(fold(name), "§") if name else ""
    for form in _NAMED_PAID:
        if found := form.match(framed):
            thing = _bare(found["thing"] or "")
            is_last = re.search(r"\bultima\b", thing) is not None
            is_thing = thing and not re.fullmatch(
                r"(?:sua |sue |loro )?(?:ultima )?(?:fattur[ae]|parcella|saldo|conto)", thing
            )
            more: dict[str, Any] = {"thing": thing} if is_thing else {"last": True} if is_last else {}
            return Said("when_paid", {"contact": name, **more})
    return None


def _paid(sentence: Sentence, today: date) -> Said | None:
    """Read the day between who paid and the invoice: «Bianchi ha pagato ieri la fattura 12»."""
    found = None if sentence.asks else _PAID_ON.match(plain(sentence).text)
    day = past_days.read(found["day"], today) if found else None
    if not found or not day or day[0] != 0 or day[1] is None:
        return None
    slots = {"direction": "attiva", "contact": found["who"].strip(), "paid_on": day[1].isoformat()}
    return Said("mark_invoice_paid", slots | payments.which(found["invoice"], today))


def _late(rest: str) -> Said | None:
    found = _OF_WHOM.search(rest)
    who = found["who"].strip() if found else "" if "fattur" in rest else _bare(rest.strip())
    return Said("days_late", {"contact": who}) if who else None


def _bare(text: str) -> str:
    return _ARTICLES.sub("", text.strip(" .,:"))


def _spent(sentence: Sentence, today: date) -> Said | None:
    """Read what money was spent on: «quanto ho speso di telefono quest'anno?»."""
    said = plain(sentence)
    # As it was written: a thing may look like a slip of a known word.
    words = [fold(word.raw) for word in said.words]
    period = spans.read(words, today)
    found = _SPENT_ON.match(_NET.sub("", " ".join(period.rest if period else words)))
    # What stood before the period stands last now: «benzina a (ottobre)».
    named = next(filter(None, found.groups()), "") if found else ""
    thing = _bare(re.sub(r" (?:a|ad|in|nel|nell'|di|da|dal|per)$", "", named))
    if not thing or len(thing.split()) > _LONGEST_THING or _NO_THING.search(thing):
        return None
    if any(word.capital for word in said.words[1:]):
        return None  # a supplier by name
    return Said("spent_on", {"thing": thing, **periods.slots(periods.find(said, today))})


def _vat(text: str, sentence: Sentence, today: date) -> Said | None:
    if not _VAT.search(text) or _OWED_VAT.search(text):
        return None
    sides = [side for side, form in (("passiva", _BOUGHT), ("attiva", _SOLD)) if form.search(text)]
    found = periods.slots(periods.find(plain(sentence), today))
    if not found and not sides:
        return None
    return Said("vat", ({"direction": sides[0]} if len(sides) == 1 else {}) | found)
