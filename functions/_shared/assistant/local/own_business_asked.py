"""Questions about the person's own business: «qual è il mio IBAN?», «la mia PEC», «dimmi la nostra partita IVA»."""

from __future__ import annotations

import re

from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_ASKS = (
    r"(?:(?:ma|e) )?(?:(?:qual(?:e|i)? ?(?:e|'e|sarebbe)|com'e|(?:mi )?(?:dire|dici|ricordi|ricordare|dai|serve|mandi)"
    r"|dimmi|dirmi|dammi|darmi|mandami|mostrami|fammi vedere|ricordami|cerca|trova|scrivimi) )?"
)
_MINE = r"(?:(?:il|la|l'|lo) ?)?(?:mi[oa]|nostr[oa])"
# Nothing may follow but what says whose it is: «il mio IBAN a Rossi» is an order.
_REST = r"(?: (?:personale|aziendale|dell'attivita|della ditta|dello studio|per favore|per piacere))?"
_FIELDS = (
    ("iban", r"(?:codice )?iban|conto corrente|coordinate bancarie"),
    ("pec", r"(?:indirizzo |casella |mail |email )?pec|posta certificata"),
    ("vat_number", r"(?:numero di )?partita ?iva|p\. ?iva|piva|p\.i"),
    ("tax_code", r"codice fiscale|cf|c\.f"),
    ("sdi_code", r"codice (?:destinatario|univoco|sdi)(?: sdi| dello sdi)?|sdi"),
    ("ateco", r"(?:codice )?ateco"),
    ("tax_regime", r"regime fiscale"),
    ("address", r"sede(?: legale)?|indirizzo(?: dell'attivita| della sede)?"),
)
_READERS = [(name, re.compile(rf"^{_ASKS}{_MINE} (?:{words}){_REST}$")) for name, words in _FIELDS]


def read(sentence: Sentence, _before: Said | None) -> Said | None:
    """Return which value of the own business is asked for; None for any other sentence."""
    text = asked_in(sentence)
    return next((Said("own_business", {"field": name}) for name, asked in _READERS if asked.match(text)), None)
