"""Questions about where mails leave from: «da dove partono le mie email?», «come collego la casella?»."""

from __future__ import annotations

import re

from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_MAIL = (
    r"(?:le |la |l'|una |un'|mie |mia |miei |mio )*"
    r"(?:e-?mails?|mails?|posta(?: elettronica)?|casella(?: di posta| e-?mail)?)"
)
_SEND = r"(?:scriv\w+|invi\w+|mand\w+|spedi\w+)"
_HOW = r"(?:posso|si puo|si possono|come|come faccio a|come posso|come si fa a)"
_LEAVE = r"(?:partono|parte|escono|esce|invii|mandi)"
_CONNECT = r"(?:collego|si collega|faccio a collegare|posso collegare|si fa a collegare)"
_READERS = (
    re.compile(rf"^da (?:dove|che|quale|quali) (?:indirizzo |indirizzi |casella )?{_LEAVE} {_MAIL}$"),
    re.compile(
        rf"^{_HOW} {_SEND}(?: {_MAIL})?(?: ai (?:miei )?clienti)?"
        rf" senza (?:collegare |aver collegato |avere collegato )?{_MAIL}$"
    ),
    re.compile(rf"^come {_CONNECT} {_MAIL}$"),
    # «Socio» at the end of a sentence is taken for a call by name.
    re.compile(rf"^{_HOW} {_SEND}(?: {_MAIL})? tramite(?: socio)?$"),
)


def read(sentence: Sentence, _before: Said | None) -> Said | None:
    """Return that channels are asked about; None for any other sentence."""
    text = asked_in(sentence)
    return Said("cannot", {"what": "canali"}) if any(each.match(text) for each in _READERS) else None
