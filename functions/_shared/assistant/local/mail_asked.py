"""Questions about mail: «ho posta da gestire?», «cerca nelle mail il preventivo», «le ultime mail di Rossi».

Also about words in WhatsApp: «cerca su WhatsApp il preventivo».
"""

from __future__ import annotations

import re

from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_MAIL = r"(?:e-?mail|mails?|posta(?: elettronica)?|messaggi di posta|casella)"
_BY_MAIL = r"(?: (?:per|via) (?:mail|e-?mail|posta))?"
_SHOW = r"(?:mostra\w*|fammi vedere|elenca\w*|leggi\w*|dammi|apri\w*|vedi|voglio vedere|vorrei vedere)"
_THERE = r"(?:ho|abbiamo|c'e|ci sono|(?:mi )?(?:e|sono) arrivat[ae])"
_TO_DO = (
    r"(?:da (?:gestire|leggere|guardare|evadere|rispondere)|in arrivo|nuov[ae]|non lett[ae]|in attesa|in sospeso|"
    r"senza risposta|(?:a cui|alle quali) (?:devo|dovrei|debbo|non ho) (?:ancora )?(?:rispondere|risposto)|"
    r"che aspettano(?: una)?(?: risposta)?)"
)
_WAITING = (
    re.compile(
        rf"^(?:{_SHOW} |{_THERE} |(?:che|quali|quante|quanta) )*(?:la |le |l'|mia |mie |della |delle )*(?:nuov[ae] )?"
        rf"{_MAIL} (?:{_THERE} )?{_TO_DO}(?: oggi)?$"
    ),
    re.compile(rf"^{_THERE} (?:della |delle |altra |altre )?(?:nuov[ae] )?{_MAIL}$"),
    re.compile(
        rf"^(?:quali|quante|che) {_MAIL} "
        r"(?:ho|abbiamo|ci sono|devo gestire|devo leggere|aspettano(?: una)?(?: risposta)?)$"
    ),
    re.compile(rf"^a (?:chi|quali clienti) (?:devo|dovrei|debbo)(?: ancora)? rispondere{_BY_MAIL}$"),
    re.compile(rf"^chi (?:mi|ci) ha scritto{_BY_MAIL}(?: oggi)?$|^chi aspetta (?:una )?(?:mia )?risposta{_BY_MAIL}$"),
)
_SEEK = r"(?:cerca\w*|trova\w*|recupera\w*|ripesca\w*)"
_FIND = rf"(?:{_SEEK}|dov'e|dove (?:e|sta)|in (?:che|quale)|mostra\w*|fammi vedere|hai|ho|c'e)"
_ABOUT = (
    r"(?:(?:che |dove si |si )parl\w+ (?:di|del|della|dell'|dei|delle)|su|sul|sulla|sui|sulle|riguardo(?: a)?|"
    r"con scritto|con (?:l'|il |la )?oggetto)"
)
_WORDS = rf" ?:? (?:{_ABOUT}|la parola|le parole|il|la|lo|i|gli|le|l')? ?(?P<query>.+)$"
_SEARCH = (
    re.compile(rf"^{_FIND} (?:nella|nelle|in|tra le|fra le) (?:mie |mia |tutte le )?{_MAIL}{_WORDS}"),
    re.compile(
        rf"^{_FIND} (?:la |le |una |delle |l'|qualche |quella |quelle )?{_MAIL} {_ABOUT} ?(?P<query>.+)$",
    ),
    re.compile(rf"^{_FIND} (?P<query>.+?) (?:nella|nelle|tra le|fra le|in) (?:mia |mie )?{_MAIL}$"),
)
_BY_WHATSAPP = r"(?:(?:messaggi?o?|chat|conversazion[ei])(?: (?:di|su|in|via))? )?whatsapp"
_IN_WHATSAPP = rf"(?:su|in|nei|nelle|tra i|tra le|fra i|fra le) (?:miei |mie |tutti i )?{_BY_WHATSAPP}"
_SEARCH_WHATSAPP = (
    re.compile(rf"^{_SEEK} {_IN_WHATSAPP}{_WORDS}"),
    re.compile(
        rf"^{_FIND} (?:il |i |un |dei |quel |la |le |una |delle |qualche )?{_BY_WHATSAPP} (?:in cui )?"
        rf"{_ABOUT} ?(?P<query>.+)$"
    ),
    re.compile(rf"^{_SEEK} (?P<query>.+?) {_IN_WHATSAPP}$"),
)
# «Le mail di Rossi» may be his addresses; «da mandare» is nobody.
_WITH = (
    re.compile(
        rf"^(?:{_SHOW} |quali sono |cerca\w* |trova\w* )?(?:le |l'|la |gli |tutte le )?(?:"
        rf"(?:ultim[aei] |recenti )(?:\d+ )?{_MAIL} (?:con|di|da|dal|dalla|del|della|dell'|dallo)"
        rf"|{_MAIL} (?:con|da|dal|dalla|dallo|ricevute da|scambiate con|mandate da)) "
        r"(?!\w+(?:are|ere|ire)\b)(?P<contact>.+)$"
    ),
    re.compile(
        rf"^(?:che|quali) {_MAIL} (?:mi ha (?:mandato|scritto|inviato)|"
        r"ho (?:ricevuto da|scambiato con|mandato a|scritto a|inviato a)) (?P<contact>.+)$"
    ),
)
_WRITES = re.compile(r"^(?:scriv|mand|invi|prepar|rispond)")


def read(sentence: Sentence, _before: Said | None) -> Said | None:
    """Return what is asked about mail or WhatsApp; None for any other sentence."""
    text = asked_in(sentence)
    if _WRITES.match(text):
        return None
    if any(form.match(text) for form in _WAITING):
        return Said("mail_waiting")
    for tool, forms in (("search_mails", _SEARCH), ("search_whatsapp", _SEARCH_WHATSAPP)):
        for form in forms:
            if found := form.match(text):
                return Said(tool, {"query": found["query"].strip(" «»\"'")})
    for form in _WITH:
        if found := form.match(text):
            return Said("mail_waiting", {"contact": found["contact"]})
    return None
