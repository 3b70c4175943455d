"""What was done last is to be taken back: «annulla quello che hai appena fatto», «torna indietro», «come non detto»."""

from __future__ import annotations

import re

from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_TAKE_BACK = r"(?:annull|disf|ripristin|revoc)\w*"
# These remove records too, so it has to be said that the assistant did it.
_REMOVE = r"(?:rimuov|elimin|cancell|togli)\w*"
_VERBS = "fatt|eseguit|creat|cambiat|modificat|spostat|segnat|registrat|aggiunt"
_DONE = rf"(?:hai|avevi|abbiamo) (?:appena |gia )?(?:{_VERBS})\w+"
_THING = r"(?:cos[ae]|azion[ei]|operazion[ei]|modific[ah]e?|mossa|comando)"
_LAST = rf"(?:l'|la |le |lo )?(?:ultim\w+|precedente)(?: tu[ae])?(?: {_THING})?"
_WHICH = rf"(?:quello|quella|cio|tutto quello|(?:l'|la ){_THING}) che {_DONE}(?: ora| adesso| prima)?"
_ASKED = re.compile(
    r"^(?:(?:no|aspetta|scusa\w*|ok|ops|oops|anzi|ma|mi sono sbagliat[oa]|ho sbagliato|ci ho ripensato|per favore|dai|"
    r"puoi|potresti|mi|voglio|vorrei),? )*"
    rf"(?:{_TAKE_BACK} (?:{_WHICH}|{_LAST}(?: che {_DONE})?)|{_REMOVE} (?:{_WHICH}|{_LAST} che {_DONE})|"
    r"torna (?:un passo )?indietro|undo|disfa|rimett(?:i(?: tutto)?|il[oaie]) (?:com'era|come era|come prima))"
    r"(?:,? (?:per favore|grazie|dai|subito))*$"
)


def read(sentence: Sentence, _before: Said | None) -> Said | None:
    """Return the wish to take the last action back; None for any other sentence."""
    return Said("undo") if _ASKED.match(asked_in(sentence)) else None
