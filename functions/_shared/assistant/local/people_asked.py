"""Questions about contacts: who lives where, who was heard lately or not for long, how many there are of a kind."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from functions._shared.assistant.local import table
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_WHO = r"(?:clienti?|fornitor[ei]|contatt[oi]|aziend[ae]|persone|persona|qualcuno|gente|ditt[ae]|societa)"
_TO = r"(?:a|ad|in|di|da|nella zona di|in zona|in provincia di|nella provincia di|della provincia di|dalle parti di)"
_PLACE = rf"{_TO} (?P<place>[a-z' ]{{2,40}}?)"
_ALL = r"(?:quali|quanti|quante|che|i|gli|le|tutti i|tutte le|(?:elenc\w+|mostra\w*|dammi) (?:i|le|gli))?"
_PLACES = (
    re.compile(rf"^chi (?:abita|vive|sta|risiede|lavora(?! da )|ha sede|c'e|ho|abbiamo|e) {_PLACE}$"),
    re.compile(rf"^(?:ho|abbiamo|c'e|ci sono|conosco) (?:qualche |dei |delle |gia )?(?P<who>{_WHO}) {_PLACE}$"),
    re.compile(rf"^{_ALL}\s?(?:miei |mie )?(?P<who>{_WHO}) (?:ho |abbiamo |sono |ci sono |stanno |abitano )?{_PLACE}$"),
    re.compile(
        rf"^(?:quali|quanti|quante) (?:sono |ne ho )?(?:dei|delle|tra i|fra i) (?:miei |mie )?(?P<who>{_WHO}) "
        rf"(?:sono |stanno |abitano |vengono )?{_PLACE}$"
    ),
)
_WHERE = re.compile(
    r"^(?:in )?(?:che|quale) (?:citta|paese|comune|posto|provincia|zona) "
    r"(?:e|sta|si trova|abita|vive|ha sede|ha la sede) (?P<contact>.+)$"
    r"|^di (?:dove|che citta|quale citta) (?:e|sono) (?P<from>.+)$"
)
_SPAN = (
    r"(?:(?P<count>\d{1,3}|un|una|due|tre|quattro|cinque|sei|otto|nove|dieci|dodici) )?"
    r"(?P<unit>giorn[oi]|settiman[ae]|mes[ei]|ann[oi])"
)
_OTHER_SPAN = _SPAN.replace("count", "count2").replace("unit", "unit2")
_MORE = r"(?:(?:piu|oltre|almeno) (?:di )?)?"
_SEES = r"sento|vedo|parlo|contatto|chiamo"
_SEEN = r"sentito|visto|contattato|chiamato|incontrato|parlato"
_NOT_HEARD = re.compile(
    rf"^(?:con )?chi (?:e che )?(?:non (?:{_SEES}|ho (?:piu )?(?:{_SEEN}))|manco di sentire)(?: piu)? (?:con )?"
    rf"(?:da|per|negli ultimi) {_MORE}{_SPAN}$"
    rf"|^(?:quali|che) (?:client[ei]|contatti|persone) non (?:{_SEES}|ho sentito) da {_MORE}{_OTHER_SPAN}$"
)
_HEARD = re.compile(
    rf"^(?:con )?(?:chi|quali (?:client[ei]|contatti|persone)) (?:ho|abbiamo) (?:gia )?(?:{_SEEN}) "
    r"(?:in |nell'|nella |nel |nelle |negli |durante )?(?P<days>.+)$"
)
_LAST = re.compile(
    r"^(?:l'|la |il |le |gli |i |nell'|negli |nelle )?(?:ultim[oaie]|scors[oaie]|passat[oaie]) ?" + _SPAN + "$"
)
_THIS = re.compile(r"^(?:questa |in questa |questo |in questo )(?P<unit>settimana|mese|anno)$")
_COUNT = re.compile(
    "^(?:quant[ie]|(?:il )?(?:numero|totale) (?:dei|delle|di)(?: miei| mie)?) (?P<who>aziende|ditte|societa|"
    "imprese|persone|contatti)(?: in tutto| in totale)?"
    r"(?: ho| abbiamo| ci sono| sono)?(?: in tutto| in totale)?"
    r"(?: (?:tra|fra|nei|in|nella|dei|nel) (?:i )?(?:miei )?(?:contatti|rubrica|crm))?(?: ho| ci sono)?$"
)
_LAST_HEARD = re.compile(
    r"^quando (?:e che )?(?:l'ho|li ho|le ho|ho|ci siamo|abbiamo) (?:sentit[oaie]|vist[oaie]|parlato|chiamat[oaie]|"
    r"contattat[oaie])(?: (?:per )?l'ultima volta| di recente)?(?: (?:con )?(?P<contact>.+?))??"
    r"(?: (?:per )?l'ultima volta| di recente)?$"
)
_SEEN_LAST = (
    re.compile(
        "^(?:(?:qual|quale|quand)[oe]? ?(?:e|'e) (?:stat[oa] )?)?(?:l')?ultim[oa] (?:contatto|volta|chiamata|"
        "telefonata|incontro|"
        "messaggio|conversazione)(?: (?:avut[oa]|fatt[oa]))?(?: che (?:l')?(?:ho|abbiamo) (?:sentit|vist|"
        r"parlat|chiamat|incontrat)\w+)?"
        r"(?: (?:con|a|di|da|per))? (?:il |la |lo |l')?(?P<contact>.+)$"
    ),
    re.compile(
        "^(?:e )?da quant[oi]?(?: tempo| giorni)? (?:e che )?(?:non )?(?:sento|vedo|parlo con|chiamo|"
        "contatto|ho sentito) "
        r"(?P<contact>.+)$"
    ),
)
_TOLD = re.compile(
    "^(?:che cosa|cosa|che|di (?:che )?cosa|di che) (?:mi|ci) (?:ha|hanno|aveva|e) (?:detto|chiesto|scritto|"
    "raccontato|risposto) "
    r"(?P<contact>.+)$"
    r"|^(?:che cosa|cosa|di (?:che )?cosa|di che|che) (?:ci siamo dett\w|abbiamo parlato|ho parlato|avevamo "
    "parlato|si e parlato) "
    r"(?:con|a) (?P<with>.+)$"
)
_AT_LAST = re.compile(
    r" (?:per )?(?:l'ultima volta|di recente|ultimamente|all'ultim\w+ (?:incontro|telefonata|chiamata))$"
)
_LATEST = re.compile(
    f"^(?:con )?(?:chi|quale (?:cliente|contatto|persona)) (?:ho|abbiamo) (?:{_SEEN})(?: per)? (?:ultimo|"
    "ultima|l'ultima volta|"
    r"piu (?:di recente|recentemente)|di recente|da poco)$"
    r"|^(?:chi e (?:stat[oa] )?)?(?:l'|gli |le )?ultim[oaie] (?:\d+ )?(?:persona|persone|contatto|contatti|"
    "cliente|clienti) (?:che|con cui) "
    rf"(?:ho|abbiamo) (?:{_SEEN})$"
)
_OTHER_PLACE = re.compile(r"^(?:(?:quelli|chi) )?(?:a|ad|in|di) (?P<place>[a-z' ]{2,40})$")
_NEVER = re.compile(
    rf"^(?:con )?(?:chi|quali (?:client[ei]|contatti|persone)|{_WHO}) (?:che )?non (?:ho|abbiamo) (?:ancora )?mai "
    rf"(?:{_SEEN})$"
)
_JOB = re.compile(
    "^(?:che|quale) (?:lavoro|mestiere|ruolo|mansione|professione|incarico) (?:fa|ha|svolge|ricopre|copre) "
    "(?P<contact>.+)$"
    r"|^(?:di (?:che )?cosa|di che) si occupa (?P<of>.+)$|^(?:(?:il|qual e il) )?ruolo di (?P<role>.+)$"
    r"|^che fa (?P<does>.+) (?:di lavoro|nella vita)$"
)
_WORKS_FOR = re.compile(
    r"^(?:chi|quali persone|quali contatti|con chi) (?:lavora|lavorano|ho|abbiamo|conosco|c'e|parlo|tratto) "
    "(?:all'|dall'|nell'|(?:alla|allo|alle|ai|al|dalla|dallo|dal|da|presso|per|dentro|nella|nello|nel|in) "
    ")(?P<company>.+)$"
    "|^chi (?:e|sono) (?:l'|(?:il|la|i|gli|le) )(?:titolar[ei]|capo|boss|responsabil[ei]|direttor[ei]|"
    "direttrice|commercialista|segretari[ao]|"
    r"amministrator[ei]|soci[oa]?|dipendent[ei])(?: \w+)? (?:dell'|all'|(?:della|dello|del|di|alla|allo|al|in|"
    "presso) )(?P<head>.+)$"
    "|^(?:chi e |qual e |chi sono )?(?:il |la |i |le )?(?:mi[oae]i? )?(?:referent[ei]|contatt[oi]|"
    "person[ae])(?: di riferimento)? "
    r"(?:dell'|all'|(?:della|dello|del|di|alla|allo|al|in|presso|dalla|dal|da) )(?P<of>.+)$"
)
_NUMBERS = {
    "un": 1, "una": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "otto": 8, "nove": 9, "dieci": 10,
    "dodici": 12,
}  # fmt: skip
_DAYS = {"g": 1, "s": 7, "m": 30, "a": 365}
# «Da richiamare», «da un po' che non sento», «da tre mesi»
_NO_PLACE = re.compile(r"\d|\b(?:po'?|che|non|un|una|elenco|nome|cognome)\b|^\w+(?:are|ere|ire|arsi|irsi|armi|irmi)\b")
_NO_PLACES = table.words("no_places")
_ARTICLE = re.compile(
    r"^(?:(?:provincia|zona) (?:di|del) |il |lo |la |l'|i |gli |le |con |signor |signora |sig |dott |mio |mia )+"
)


def read(sentence: Sentence, before: Said | None) -> Said | None:
    """Return which contacts are asked about; None for any other sentence."""
    text = asked_in(sentence).removeprefix("e ")
    is_of_place = before and (before.intent == "find_contacts" or "place" in before.slots)
    if before and is_of_place and (other := _OTHER_PLACE.match(text)) and not set(other["place"].split()) & _NO_PLACES:
        kept: dict[str, Any] = {name: before.slots[name] for name in ("tag", "type") if name in before.slots}
        return Said("contacts_of", {**kept, "place": other["place"]})
    return _places(text) or _where(text) or _heard(text, before) or _told(text) or _counted(text) or _of_job(text)


def _places(text: str) -> Said | None:
    for form in _PLACES:
        found = form.match(text)
        place = found["place"].strip() if found else ""
        who = (found.groupdict().get("who") or "") if found else ""
        # «I contatti di Neri» are his.
        is_owner = who.startswith("contatt") and re.search(rf" di {re.escape(place)}$", text)
        if found and place and not is_owner and not _NO_PLACE.search(place) and not set(place.split()) & _NO_PLACES:
            return Said("contacts_of", {"place": _ARTICLE.sub("", place)} | _kind(who))
    return None


def _kind(who: str) -> dict[str, Any]:
    if who.startswith(("aziend", "ditt", "societa", "impres")):
        return {"type": "azienda"}
    if who.startswith("persona") or who == "persone":
        return {"type": "persona"}
    if who.startswith("fornitor"):
        return {"tag": "Fornitore"}
    return {"tag": "Cliente"} if who.startswith("client") else {}


def _where(text: str) -> Said | None:
    found = _WHERE.match(text)
    contact = _ARTICLE.sub("", next(filter(None, found.groups()), "")) if found else ""
    return Said("contact_place", {"contact": contact}) if contact else None


def _heard(text: str, before: Said | None) -> Said | None:
    if found := _NOT_HEARD.match(text):
        count, unit = found["count"] or found["count2"], found["unit"] or found["unit2"]
        return Said("contacts_of", {"not_for": _span(count, unit)})
    if found := _HEARD.match(text):
        days = found["days"].strip()
        if within := _LAST.match(days):
            return Said("contacts_of", {"heard_for": _span(within["count"], within["unit"])})
        if this := _THIS.match(days):
            return Said("contacts_of", {"heard_in": this["unit"]})
        return None
    if found := _LAST_HEARD.match(text):
        named = _ARTICLE.sub("", found["contact"] or "")
        if named in ("", "l'ultima volta"):
            contact = before.slots.get("contact") if before else None
            return Said("last_heard", {"contact": contact}) if contact else None
        return Said("last_heard", {"contact": named})
    return None


def _told(text: str) -> Said | None:
    """Read when somebody was last heard, or what they said then."""
    if _LATEST.match(text):
        return Said("contacts_of", {"latest": True})
    if _NEVER.match(text):
        return Said("contacts_of", {"never": True})
    for form in _SEEN_LAST:
        if found := form.match(text):
            return Said("last_heard", {"contact": _ARTICLE.sub("", _AT_LAST.sub("", found["contact"]))})
    found = _TOLD.match(text)
    if found is None:
        return None
    contact = _ARTICLE.sub("", _AT_LAST.sub("", found["contact"] or found["with"]))
    return None if contact.startswith(("contratt", "document", "fattur")) else Said("last_heard", {"contact": contact})


def _of_job(text: str) -> Said | None:
    """Read what somebody does, and who works for a company."""
    if found := _JOB.match(text):
        contact = _ARTICLE.sub("", next(filter(None, found.groups())))
        return Said("contact_field", {"contact": contact, "field": "ruolo"})
    found = _WORKS_FOR.match(text)
    company = _ARTICLE.sub("", found["company"] or found["of"] or found["head"]) if found else ""
    is_one = company and not _NO_PLACE.search(company) and not set(company.split()) & _NO_PLACES
    return Said("contacts_of", {"company": company}) if is_one else None


def _span(count: str | None, unit: str) -> int:
    number = int(count) if count and count.isdigit() else _NUMBERS.get(count or "un", 1)
    return number * _DAYS[unit[0]]


def _counted(text: str) -> Said | None:
    found = _COUNT.match(text)
    return Said("contacts_of", {"counts": True} | _kind(found["who"])) if found else None


def first_day(unit: str, today: date) -> date:
    """Return the first day of this week, month or year."""
    if unit == "settimana":
        return date.fromordinal(today.toordinal() - today.weekday())
    return today.replace(day=1) if unit == "mese" else today.replace(month=1, day=1)
