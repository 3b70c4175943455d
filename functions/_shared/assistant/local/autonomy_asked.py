"""Questions about agents, «cosa devo approvare?», «crea un obiettivo per …», and the packet for the accountant.

That is of a month: «prepara il pacchetto di ottobre per il commercialista».
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from functions._shared import italian_dates
from functions._shared.assistant.local import periods
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_NAMES = {
    "recupero_crediti": r"recupero (?:dei )?crediti|solleciti automatici",
    "segui_preventivi": r"segui i preventivi|seguire i preventivi",
    "pulizia_contatti": r"pulizia (?:dei )?contatti",
    "chiusura_mese": r"chiusura (?:del )?mese",
}
_NAMED = "(?:" + "|".join(f"(?P<{agent}>{words})" for agent, words in _NAMES.items()) + ")"
_AN_AGENT = rf"(?:il |la |l'|un |)(?:(?:agente|obiettivo) (?:di |del |della |per il |per la )?)?«?{_NAMED}»?"
# What a goal that is told in one's own words comes to.
_AIMS = (
    (
        "recupero_crediti",
        re.compile(r"\bcredit\w*|\binsolut\w*|\bsollecit\w*|\bscadut\w*|\bincass\w*|\bpag(?:a|hi)\w*"),
    ),
    ("segui_preventivi", re.compile(r"\bpreventiv\w*|\bofferte\b")),
    ("pulizia_contatti", re.compile(r"\bcontatt\w*|\brubrica\b|\bdoppion\w*")),
    ("chiusura_mese", re.compile(r"\bmese\b|\bcommercialista\b")),
)
_START = (
    re.compile(
        r"^(?:attiva\w*|accend\w*|avvia\w*|(?:fai|fa) partire|(?:voglio|vorrei|posso) (?:attivare|accendere)) "
        rf"{_AN_AGENT}$"
    ),
    re.compile(
        r"^(?:cre\w+|nuovo|imposta\w*|aggiung\w*|(?:voglio|vorrei) creare) (?:un |il |un nuovo )?obiettivo\b"
        r"(?P<aim>.*)$"
    ),
    re.compile(
        r"^(?:seguimi|segui tu|pensa(?:ci)? tu (?:a|ai|alla|alle)|occupati tu (?:di|dei|della|delle))"
        r"(?P<aim> .*\b(?:preventiv[oi]|sollecit[oi]|insolut[oi]|contatti doppi|chiusura del mese)\b.*)$"
    ),
    re.compile(
        r"^(?:fammi|aiutami a farmi|fai in modo di farmi)"
        r"(?P<aim> pagare (?:le fatture|i clienti|dai clienti|gli insoluti|le scadut).*)$"
    ),
)
_MY = r"(?:gli |i |dei |degli |i miei |dei miei )?"
_STATE = (
    re.compile(
        r"^(?:che cosa|cosa|che|come) (?:stanno facendo|fanno|hanno fatto|lavorano|vanno) "
        rf"{_MY}agenti(?: (?:oggi|questa settimana|per me))?$"
    ),
    re.compile(rf"^(?:a che punto|come) (?:sono|stanno|vanno) {_MY}(?:agenti|obiettivi)$"),
    re.compile(rf"^(?:a che punto (?:e|sta)|come (?:va|sta andando)|che cosa fa|cosa fa) (?:con )?{_AN_AGENT}$"),
    re.compile(rf"^(?:(?:mostra\w*|elenca\w*|quali sono|vedi) )?{_MY}(?:agenti|obiettivi)(?: (?:attivi|accesi))?$"),
)
_CHANNELS = re.compile(
    r"^(?:come|(?:su|per|con) (?:che|quali|quale) canal[ei]) (?:mi |)(?:mand\w+|invi\w+|spedi\w+|part\w+|vanno|va) "
    r"(?:i |gli |il |)(?:miei |mio |)sollecit[oi](?: di pagamento)?(?: ai clienti)?$"
)
_WAITING = (
    re.compile(r"^(?:che cosa|cosa|che) (?:devo|c'e da|ho da|aspetta di essere) approva(?:re|to)$"),
    re.compile(
        r"^(?:ho|ci sono|quali|quante|mostra\w*|fammi vedere) (?:sono )?(?:le |delle )?(?:proposte|approvazioni)"
        r"(?: (?:da approvare|in sospeso|in attesa|ho|ci sono|che aspettano.*|degli agenti))*$"
    ),
)
_STOP = re.compile(
    r"^(?:spegn\w+|ferma\w*|disattiva\w*|blocca\w*|metti in pausa|sospend\w+) "
    rf"(?:(?:tutti )?(?:gli |i )?(?:miei )?(?:agenti|obiettivi)|{_AN_AGENT})$"
)
_FOR_ACCOUNTANT = r"(?:(?:al|per il|dal) (?:mio )?commercialista)"
_TIME = (
    r"(?:il |lo |la |l')?(?:questo |quest'|scorso |ultimo |prossimo |primo |secondo |terzo |quarto )?(?:mese|trimestre|"
    rf"semestre|anno|{'|'.join(italian_dates.MONTHS)})\b.*"
)
_PACKET = (
    re.compile(
        r"^(?:prepara\w*|fa\w*|crea\w*|scarica\w*|genera\w*|dammi|voglio|mi serve|mostra\w*) (?:il |un )?pacchetto"
        rf"(?: del commercialista| {_FOR_ACCOUNTANT}| (?:di|del|dell'|per) ?{_TIME})*$"
    ),
    re.compile(
        r"^(?:manda\w*|invia\w*|prepara\w*|raccogli\w*|passa\w*) (?:le |i |tutte le |tutti i )?"
        rf"(?:fatture|documenti)\b.* {_FOR_ACCOUNTANT}(?: (?:di|del) {_TIME})?$"
    ),
    re.compile(
        rf"^(?:che cosa|cosa) (?:serve|manca|devo (?:mandare|dare|inviare)) {_FOR_ACCOUNTANT}"
        rf"(?: (?:di|del|per) {_TIME})?$"
    ),
    re.compile(rf"^(?:che cosa|cosa) manca (?:per chiudere|per la chiusura (?:di|del)) {_TIME}$"),
)


def read(sentence: Sentence, today: date) -> Said | None:
    """Return what is asked about agents or the packet; None for any other sentence."""
    text = asked_in(sentence)
    for form in _START:
        if found := form.match(text):
            aim = found.groupdict().get("aim", "")
            agent = _named(found) or next((name for name, words in _AIMS if words.search(aim)), None)
            return Said("start_agent", {"agent": agent} if agent else {})
    if found := _STOP.match(text):
        return Said("agents", {"stops": True, **_one(found)})
    if _CHANNELS.match(text):
        return Said("agents", {"channels": True})
    if any(form.match(text) for form in _WAITING):
        return Said("agents", {"waits": True})
    for form in _STATE:
        if found := form.match(text):
            return Said("agents", _one(found))
    if any(form.match(text) for form in _PACKET):
        return Said("month_packet", _month(sentence, today))
    return None


def _named(found: re.Match[str]) -> str | None:
    return next((name for name in _NAMES if found.groupdict().get(name)), None)


def _one(found: re.Match[str]) -> dict[str, str]:
    agent = _named(found)
    return {"agent": agent} if agent else {}


def _month(sentence: Sentence, today: date) -> dict[str, object]:
    """Return the month that is named; `too_long` for more than one, nothing where none is."""
    first, last = periods.find(sentence, today) or (None, None)
    if first is None or last is None:
        return {}
    is_one = (first.year, first.month) == (last.year, last.month) and last - first > timedelta(days=1)
    return {"month": f"{first:%Y-%m}"} if is_one else {"too_long": True}
