"""Questions about one deal or one project, and about projects of a state: «a che punto è la trattativa con Rossi?»."""

from __future__ import annotations

import re

from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_DEAL = r"(?:la |della |con la |l'|dell')?(?:trattativa|opportunita|offerta) "
_ABOUT_DEAL = (
    r"quanto (?:vale|e|chied\w+)|quant'e|che (?:valore|importo|probabilita) ha|di quanto e|a quanto ammonta|"
    r"(?:qual|quale) e (?:l'importo|il valore|la fase|lo stato|la probabilita)|(?:l')?importo|(?:il )?valore|"
    r"a che punto (?:e|sta|siamo)|in (?:che|quale) fase (?:e|sta)|come (?:va|sta andando|procede)|"
    r"quanto e probabile (?:che (?:si )?(?:chiuda|vinca|vada in porto))?|"
    r"quando (?:si chiude|chiudo|dovrebbe chiudersi)|da quanto (?:e ferma|sta ferma|tempo e ferma)"
)
_ONE_DEAL = (
    re.compile(rf"^(?:{_ABOUT_DEAL}) {_DEAL}(?P<query>.+)$"),
    re.compile(rf"^{_DEAL}(?P<query>.+?) (?:{_ABOUT_DEAL})$"),
    re.compile(
        r"^(?:quanto|quando|come|a che|in che|in quale|da quanto|che probabilita)\b.*\b(?:la|della|alla|nella|con la) "
        r"trattativa (?:con|di|del|dello|della|dell'|per|su|sul|sulla) ?(?P<query>.+)$"
    ),
)
_ENDS = r"(?:consegn\w+|finir\w+|finisc\w+|finit\w+|scad\w+|chiud\w+|chius\w+|termin\w+|pront\w+)"
_OF_PROJECT = r"(?:il |del |dello |per il |con il |al )?progetto "
_ONE_PROJECT = (
    re.compile(
        rf"^(?:per|entro|a)? ?(?:quando|che giorno|che data|quale data)\b.*\b{_ENDS}\b.*\bprogetto (?P<query>.+)$"
    ),
    re.compile(
        r"^(?:quando|qual|quale) e (?:prevista )?(?:la |il )?(?:data di )?(?:consegna|scadenza|fine|budget|stato) "
        rf"{_OF_PROJECT}(?P<query>.+)$"
    ),
    re.compile(
        rf"^(?:che budget ha|quanto vale|quanto e il budget|(?:la )?(?:consegna|scadenza)|(?:il )?budget) {_OF_PROJECT}"
        r"(?P<query>.+)$"
    ),
)
_STATUS = (
    ("attivo", r"in corso|attiv[io]|apert[io]|in lavorazione|in piedi|correnti"),
    ("in_pausa", r"in pausa|ferm[io]|sospes[io]|in stand ?by"),
    ("chiuso", r"chius[io]|finit[io]|conclus[io]|terminat[io]|completat[io]|consegnat[io]"),
)
_PROJECTS = re.compile(
    r"^(?:quali|quanti|che|elenc\w+|mostra\w*|dammi|fammi vedere|vedi)? ?(?:sono )?(?:ho )?(?:i |dei )?(?:miei )?"
    r"progetti (?:ho |sono |che ho |ci sono )?(?P<status>[a-z ]+?)(?: ho| ci sono| adesso| ora| al momento| oggi)?$"
)
_WORKS_ON = re.compile(r"^(?:su|a) (?:quali|che) progetti (?:sto|stiamo) lavorando(?: adesso| ora| oggi| al momento)?$")
_ARTICLES = re.compile(
    r"^(?:(?:il|lo|la|i|gli|le|del|dello|della|dei|delle|di|con|per|a|al|alla|da|dal|dalla|su|sul|sulla|che ho)\s+|"
    r"(?:l|dell|all|dall|sull)'\s*)+"
)


_NOT_WORK = re.compile(
    r"^(?:che|quale) (?:tempo (?:fa|fara|c'e)|ore (?:sono|e))\b|^(?:piove|nevica|fa (?:freddo|caldo))\b"
)
_DONE = re.compile(
    r"^(?:che |che cosa |cosa |quali (?:attivita|cose) )(?:cosa )?(?:ho|abbiamo) (?:gia )?"
    r"(?:fatto|completato|finito|concluso)"
    r"(?: (?:ieri|oggi|lunedi|la|l'|il|questa|questo|quest'|nell|nel|in|finora|di recente|ultimamente).*)?$"
)
_URGENT = re.compile(
    r"^(?:quali sono |che |quali |elenc\w+ |mostra\w* |dammi )?(?:le |delle |gli |i )?(?:mie |miei )?"
    r"(?:attivita|cose(?: da fare)?|impegni|compiti|task)(?: ho| sono)? (?:ad? |con |in )?"
    r"(?:alta priorita|priorita alta|massima priorita|priorita massima|(?:piu )?urgenti|prioritari[ae]|"
    r"(?:piu )?importanti)(?: ho)?$"
)
_OF_ONE_PROJECT = re.compile(
    r"^(?:che cosa|cosa|che|quali (?:attivita|cose|lavori)|quanto|quante (?:attivita|cose)) "
    r"(?:devo|dobbiamo|ho|c'e|ci sono|mi|ci|manca|mancano|resta|restano|rimane|sono)\b.*"
    r"\b(?:per|del|nel|sul|al) (?:il )?progetto (?P<project>.+)$"
)
_WORKS_AT = re.compile(
    r"^(?:chi|quali persone|quali contatti) (?:lavora|lavorano|ho|conosco) (?:da|presso|per|dentro) (?P<contact>.+)$"
)


def read(sentence: Sentence, _before: Said | None) -> Said | None:
    """Return what is asked of a deal or of projects; None for any other sentence."""
    text = asked_in(sentence).removeprefix("e ")
    if _NOT_WORK.match(text):
        return Said("unknown", {"question": sentence.text})
    if _DONE.match(text):
        return Said("cannot", {"what": "fatto"})
    if _URGENT.match(text):
        return Said("tasks", {"when": "tutti", "priority": 3})
    if found := _OF_ONE_PROJECT.match(text):
        return Said("projects", {"project": _ARTICLES.sub("", found["project"])})
    if found := _WORKS_AT.match(text):
        return Said("contact_summary", {"contact": found["contact"]})
    if _WORKS_ON.match(text):
        return Said("projects", {"status": "attivo"})
    if found := _PROJECTS.match(text):
        status = next((status for status, words in _STATUS if re.fullmatch(words, found["status"])), None)
        return Said("projects", {"status": status}) if status else None
    for intent, forms in (("one_deal", _ONE_DEAL), ("one_project", _ONE_PROJECT)):
        if query := next((_ARTICLES.sub("", found["query"]) for form in forms if (found := form.match(text))), ""):
            return Said(intent, {"query": query})
    return None
