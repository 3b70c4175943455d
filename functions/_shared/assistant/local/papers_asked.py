"""Questions about what papers say: until when a contract holds, what a quote comes to, what an invoice was for."""

from __future__ import annotations

import re
from typing import Any

from functions._shared.assistant.local import table
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.one_number import number_in
from functions._shared.assistant.local.words import Sentence, asked_in

# What a paper is called, and its kind where it has one; all others are told by their words.
_KINDS = {
    "preventiv": "preventivo", "f24": "f24", "ricevut": "ricevuta", "scontrin": "ricevuta", "durc": "durc",
    "visura": "visura", "visure": "visura", "carta d'identita": "documento_identita", "patente": "documento_identita",
    "passaporto": "documento_identita",
}  # fmt: skip
_NOUN = (
    r"contratt[oi]|preventiv[oi]|f24|ricevut[ae]|scontrin[oi]|durc|visur[ae]|carta d'identita|patente|passaporto|"
    r"licenz[ae]|abbonament[oi]|garanzi[ae]|polizz[ae]|assicurazion[ei]|certificat[oi]|convenzion[ei]|accord[oi]|"
    r"mandat[oi]|domini[oi]|affitt[oi]|canon[ei]"
)
# These words name the kind, and stand in no name of a file or party.
_ENDING_IN = re.compile(
    r"\b(?:scadono|scadranno|scade|in scadenza|finiscono|terminano|si rinnovano|da rinnovare|"
    r"rinnovare)\b(?P<within>.*)$"
)
_KIND_WORDS = re.compile(
    r"\b(?:contratt[oi]|preventiv[oi]|ricevut[ae]|scontrin[oi]|visur[ae]|accord[oi]|certificat[oi])\b"
)
_ENDS = re.compile(
    r"\b(?:scad\w*|vale|valgono|valid[oaie]|validita|finisc\w*|termin\w*|dura|durat[ao]|rinnov\w*|disdett\w*)\b"
    r"|\bfino a (?:quando|che)\b|\bin vigore\b"
)
_WHEN = re.compile(r"\b(?:quando|fino a|entro|giorno|data|ancora|scadut[oaie]|scad[ei]|dura|durata)\b")
# «Scadenza polizza»
_UNTIL = re.compile(
    "^(?:la |il )?(?:data di )?(?:scadenza|validita|durata|termine) (?:dell'|(?:del|della|di|dello|dei) "
    rf")?(?:{_NOUN})\b"
)
# «Quando devo rinnovare con Spazio Condiviso?»
_RENEWS = re.compile(
    r"^(?:entro |per )?quando (?:devo|dobbiamo|bisogna|tocca|si deve|posso|va|c'e da|scade|c'e) (?:a |da )?"
    r"(?:rinnov\w+|disd\w+|(?:il |la )?(?:rinnovo|disdetta))(?: (?:l'accordo|il rapporto))? "
    r"(?:dell'|l'|(?:con|di|del|della|dello|alla|al|a|il|la|lo) )?(?P<query>.+)$"
)
_AMOUNT = re.compile(
    r"\b(?:quant'era|per quanto (?:e|era)|quanto (?:e|era|fa|faceva|fu|costa|vale|chied\w+|viene|veniva|"
    "ammonta|pago|devo|ho (?:speso|pagato))|quant'e|"
    r"a quanto ammonta|di quanto|(?:che|quale|l'|di che) ?(?:importo|totale|cifra|prezzo|valore)|"
    r"(?:importo|totale|valore) (?:del|dell'))\b"
)
# Of other papers the passages are quoted.
_HAS_TOTAL = frozenset({"preventivo", "f24", "ricevuta"})
# «Quanto ho versato di contributi?»: an F24 tells.
_PAID_TO_STATE = re.compile(
    r"^quant[oaie] (?:\S+ )??(?:ho|abbiamo) (?:gia )?(?:versat|pagat|spes)[oaie] (?:\S+ ){0,2}?(?:(?:di|per|"
    "in|i|gli|le|alla) |l'|all')"
    r"(?P<query>(?:contribut[oi]|inps|inail|irpef|impost[ae]|acconto|acconti|saldo|tasse|f24)\b.*)$"
    r"|^(?:che|quali|quant[ie]) (?P<what>contributi|imposte|tasse|acconti) (?:ho|abbiamo) (?:gia )?(?:versat|pagat)\w$"
)
_ANY_TAX = re.compile(r"\b(?:tasse|impost[ae]|f24|quest'anno|finora|in tutto|in totale|l'anno scorso)\b")
_LISTS = re.compile(
    r"^(?:quali|quanti|quante|che|elenc\w+ (?:i|le|gli)|dammi (?:i|le|gli)|ho|abbiamo|ci sono|mostra\w* (?:i|le|gli)) "
    r"(?:miei |mie |dei |delle )?(?:contratti|f24|ricevute|scontrini|durc|visure|certificati)\b"
)
# «Per Salvia» says who, and is no order to write one.
_FINDS_QUOTE = re.compile(
    r"^(?:mi )?(?:trov|cerc|recuper|apr|mostr)\w* (?:il |un )?preventivo (?:per|a|al|alla) "
    r"|^(?:fammi|fai|facci) vedere (?:il |un )?preventivo (?:dell'|(?:per|a|al|alla|di|del|della|con) )"
)
# The passage answers, not the paper's own day or total.
_INSIDE_OF = re.compile(
    r"\b(?:scritt[oa]|second[oa] (?:il|la)|stando|guarda|leggi|nel|nell'|nella|sul|sulla|disdett\w+|preavviso|reced\w+|"
    r"penal\w+|clausol\w+|massimal\w+|franchig\w+|condizion\w+|copertura)\b"
)
# These make something new.
_MAKES = re.compile(
    r"\b(?:crea|nuov[oa]|prepara\w*|scriv\w*|fai|fammi un|manda\w*|invia\w*|ricordami|aggiungi|compila|genera|"
    r"carica\w*)\b"
)
_IN_LINES = (
    r"compa\w+|c'e|ci sono|c'era(?:no)?|figura\w*|trovo|contien\w+|sta|appa\w+|"
    r"si parla (?:di|del|dello|della|dei|delle)|parla\w* (?:di|del|della)|(?:ho|abbiamo|hanno|ha) "
    r"(?:mess[oaie]|scritt[oaie]|fatturat[oaie]|addebitat[oaie]|inserit[oaie]|indicat[oaie])"
)
_HOLDS = r"cont[ei]+n\w+|riguard\w+|parla\w* (?:di|del|dello|della|dei|delle)|(?:ha|hanno) dentro"
_LINES = (
    re.compile(rf"^(?:e )?(?:in|su) (?:quale|quali|che) fattur[ae](?P<side>.*?)\s(?:{_IN_LINES}) (?P<query>.+)$"),
    re.compile(rf"^(?:quale|quali|che) fattur[ae](?P<side>.*?)\s(?:{_HOLDS}) (?P<query>.+)$"),
    re.compile(
        r"^(?:(?:mostra|elenca|trova|cerca|vedi|apri|dammi|vediamo)\w* )?(?:tutte )?(?:la |le |una "
        ")?fattur[ae](?P<side>.*?) "
        rf"(?:dove|in cui|nelle quali|nella quale|che) (?:{_IN_LINES}|{_HOLDS}|contengono|compaiono|cita\w*) "
        "(?P<query>.+)$"
    ),
    re.compile(
        r"^(?P<side>)(?:quanto|a quanto) (?:ho|abbiamo|avevo) (?:chiesto|fatto pagare|preso|venduto|fatturato|messo) "
        r"(?:l'|(?:per|il|lo|la|i|gli|le) )(?P<query>(?!20\d\d)[a-z].+)$"
    ),
    re.compile(
        r"^(?:la )?fattur[ae](?P<side>) (?:con|per|che contiene|dove c'e|dov'e c'e|in cui c'e) (?P<query>.+?)[:,]? "
        r"(?:qual e|quale e|quali sono|che numero ha)$"
    ),
)
_SOLD = re.compile(
    r"^(?:e )?a (?:chi|quali clienti|quale cliente) (?:ho|abbiamo|avevo) (?:gia )?"
    r"(?:fatturat[oaie]|vendut[oaie]|fatto pagare|addebitat[oaie]|mess[oaie] in fattura) (?P<query>.+)$"
)
_ORDERED = re.compile(
    r"^(?:e )?(?:chi|quali client[ei]|che client[ei]|quale cliente|quanti clienti) (?:mi |ci )?(?:ha|hanno) (?:gia )?"
    "(?:comprat[oaie]|ordinat[oaie]|acquistat[oaie]|commissionat[oaie]|richiest[oaie]) (?:da me |da noi "
    ")?(?P<query>.+)$"
    "|^(?:e )?a (?:chi|quali clienti) (?:ho|abbiamo) (?:fatto|fatti|fatta|fatte|consegnat[oaie]|"
    "realizzat[oaie]) (?P<made>.+)$"
)
_BOUGHT = re.compile(
    r"^(?:e )?(?:chi|quale fornitore|quali fornitori) (?:mi|ci) (?:ha|hanno) (?:gia )?(?:fatturat[oaie]|vendut[oaie]|"
    r"fatto pagare|addebitat[oaie]) (?P<query>.+)$"
    r"|^(?:e )?da chi (?:ho|abbiamo) (?:comprat[oaie]|acquistat[oaie]|preso|presi|prese) (?P<bought>.+)$"
)
# «Di più», «nel 2025», «questo mese» are no things.
# «La stampa dei manifesti al teatro»
_TO_PARTY = re.compile(r"^(?P<query>.+?) (?:all'|(?:alla|allo|alle|agli|ai|al) )(?P<party>.+)$")
_NO_THING = re.compile(
    r"^(?:piu|meno|poco|molto|tanto|nel|nell'|in|ieri|oggi|quest\w*|ultim\w+|mese|anno|settimana|fattur\w+)\b|\b20\d\d$"
)
_INSIDE = re.compile(
    r"^(?:e )?(?:che )?(?:cosa|cos'|che) ?(?:c'e|c'era|ce|era|ho mess\w|ho fatturat\w|abbiamo mess\w|contiene|"
    r"conteneva|dice|riporta|ho scritto|c'e scritto|comprende|comprendeva) ?(?:scritto |dentro )?"
    r"(?:in|nella|nell'|la|sulla|con la|a) ?(?:ultima )?fattura ?(?P<of>.*)$"
    r"|^(?:le )?righe (?:della|di|dell') ?fattura ?(?P<rows>.*)$"
    r"|^per cosa (?:era|e) (?:la )?fattura ?(?P<why>.*)$"
    "|^(?:che )?(?:cosa|cos'|che) ?(?:ho|abbiamo) (?:fatto pagare|vendut[oaie]|fatturat[oaie]|messo in "
    "fattura|addebitat[oaie]) "
    r"(?:all'|(?:alla|allo|alle|agli|ai|al|ad|a) )(?P<sold>.+)$"
)
_ARTICLES = re.compile(
    r"^(?:(?:il|lo|la|i|gli|le|un|una|uno|del|dello|della|dei|delle|di|con|per|a|al|alla|da|dal|dalla|su|sul|"
    r"qualche|anche|il mio|la mia|voce)\s+|(?:l|un|dell|all|dall|d|sull)'\s*)+"
)
_RECEIVED = re.compile(r"\b(?:ricevut[ae]|fornitor[ei]|passiv[ae]|d'acquisto|acquisto)\b")
_ISSUED = re.compile(r"\b(?:emess[ae]|mie|mia|attiv[ae]|vendita|client[ei])\b")
_FOLLOWS = re.compile(r"^e (?:quell[oaie]|per (?:quell[oaie]|il|la)|il|la|lo)?\s*(?P<query>.+)$")
_NOISE = table.words("papers")
_WORD = re.compile(r"[\w.&]+")


def read(sentence: Sentence, before: Said | None) -> Said | None:
    """Return what is asked of papers or lines; None for any other sentence."""
    text = asked_in(sentence)
    return _other_one(text, before) or _lines(text) or _papers(text)


def _other_one(text: str, before: Said | None) -> Said | None:
    """Return the same question about another paper: «e quello con il Miramonti?»."""
    found = _FOLLOWS.match(text) if before and before.intent in ("paper_ends", "paper_total") else None
    words = _about(found["query"]) if found else ""
    return Said(before.intent, {**before.slots, "query": words}) if before and words else None


def _lines(text: str) -> Said | None:
    for form in _LINES:
        if found := form.match(text):
            return _sold("invoice_lines", found["query"], _side(found["side"]))
    if found := _SOLD.match(text):
        return _sold("sold_to", found["query"], "attiva")
    if found := _ORDERED.match(text):
        return _sold("sold_to", found["query"] or found["made"], "attiva")
    if found := _BOUGHT.match(text):
        return _sold("sold_to", found["query"] or found["bought"], "passiva")
    if found := _INSIDE.match(text):
        return _inside(found["of"] or found["rows"] or found["why"] or found["sold"] or "")
    return None


def _side(text: str) -> str | None:
    return "passiva" if _RECEIVED.search(text) else "attiva" if _ISSUED.search(text) else None


def _sold(intent: str, query: str, direction: str | None) -> Said | None:
    words = _ARTICLES.sub("", query).strip(" .,;:«»\"'")
    if _NO_THING.search(words):
        return None
    if found := _TO_PARTY.match(words):
        return Said(
            intent, {"query": found["query"], "party": found["party"]} | ({"direction": direction} if direction else {})
        )
    return Said(intent, {"query": words} | ({"direction": direction} if direction else {})) if words else None


def _inside(of: str) -> Said | None:
    if number := number_in(f"fattura {of}"):
        return Said("invoice_lines", {"number": number})
    words = _ARTICLES.sub("", of).strip(" .,;:«»\"'")
    return Said("invoice_lines", {"party": words}) if words else None


def _papers(text: str) -> Said | None:
    if found := _PAID_TO_STATE.match(text):
        words = _ANY_TAX.sub(" ", found["query"] or found["what"])
        return Said("paper_total", {"kind": "f24", "query": _about(words)})
    noun = re.search(rf"\b(?:{_NOUN})\b", text)
    if _FINDS_QUOTE.match(text):
        return Said("find_papers", {"query": _about(text), "kind": "preventivo"})
    if noun is None and (found := _RENEWS.match(text)):
        return Said("paper_ends", {"query": _about(found["query"])})
    if noun is None or _MAKES.search(text) or "fattur" in text or _INSIDE_OF.search(text):
        return None
    slots: dict[str, Any] = {"query": _about(text)}
    if kind := next((kind for word, kind in _KINDS.items() if noun[0].startswith(word)), None):
        slots["kind"] = kind
    elif noun[0].startswith(("contratt", "accord")):
        slots["kind"] = "contratto"
    if _LISTS.match(text) and (days := _ENDING_IN.search(text)):
        # The plan knows today: «che scadono nei prossimi due mesi».
        return Said("paper_ends", {**slots, "query": "", "within": days["within"]})
    if _LISTS.match(text):
        return Said("find_papers", slots)
    if _UNTIL.match(text) or (_ENDS.search(text) and _WHEN.search(text)):
        return Said("paper_ends", slots)
    # «I preventivi» are what is hoped for: deals.
    has_total = slots.get("kind") in _HAS_TOTAL and noun[0] != "preventivi"
    return Said("paper_total", slots) if has_total and _AMOUNT.search(text) else None


def _about(text: str) -> str:
    """Return the words that tell one paper from others."""
    words = _WORD.findall(_KIND_WORDS.sub(" ", text).replace("'", " "))
    return " ".join(word.strip(".") for word in words if word.strip(".") not in _NOISE and word != "f24")
