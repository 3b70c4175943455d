"""Questions of the regime forfettario: «quanto devo mettere da parte?», «quanto manca alla soglia?»."""

from __future__ import annotations

import re

from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

_ASIDE = r"(?:(?:mett\w+|ten\w+|tengo|lasci\w+) (?:da parte|via)|accanton\w+|risparmi\w+ per le tasse)"
_SET_ASIDE = re.compile(rf"^(?:e )?(?:quant\w+|che (?:cifra|somma|importo))\b.*\b{_ASIDE}(?P<rest>.*)$")
# What is left to the threshold.
_THRESHOLD = re.compile(
    r"^(?:e )?(?:quanto|a che punto|(?:di )?quanto) .*\b(?:soglia|limite|tetto)\b(?: (?:del(?:la)? |di |dei )?.*)?$"
)
_OF_FLAT_RATE = re.compile(r"\bforfettari[oa]\b|\bforfait\b|\b85[. ]?000\b|\b85 ?mila\b")
# Of the year so far only: another period or amount would get the wrong figure.
_NARROWED = re.compile(
    r"\d|\b(?:mese|mesi|settimana|trimestre|ieri|oggi|scors[oa]|prossim[oa]|fattura|iva|gennaio|febbraio|marzo|aprile|"
    r"maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)\b"
)


def read(sentence: Sentence, _before: Said | None) -> Said | None:
    """Return that the estimate of the forfettario is asked for; None for any other sentence."""
    text = asked_in(sentence)
    if found := _SET_ASIDE.match(text):
        is_narrowed = _NARROWED.search(found["rest"])
        return Said("cannot", {"what": "accantonare"}) if is_narrowed else Said("set_aside")
    return Said("set_aside") if _THRESHOLD.match(text) and _OF_FLAT_RATE.search(text) else None
