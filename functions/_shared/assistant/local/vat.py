"""What a question says about VAT: «al netto», «senza IVA»; «lordo», «IVA compresa»."""

from __future__ import annotations

import re

from functions._shared.names import fold

# «Netto a pagare» is what is to be paid.
_NET = re.compile(r"\bnett[oi]\b(?! a pagare)|\bimponibil[ei]\b|\b(?:senza|esclusa|meno) (?:l')?iva\b|\biva esclusa\b")
_GROSS = re.compile(r"\blord[oi]\b|\bivat[oaie]\b|\b(?:con|compresa|inclusa) (?:l')?iva\b|\biva (?:compresa|inclusa)\b")


def is_net(question: str) -> bool | None:
    """Tell whether amounts are wanted without VAT; None if the question does not say."""
    asked = fold(question)
    if _GROSS.search(asked):
        return False
    return True if _NET.search(asked) else None
