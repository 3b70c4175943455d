"""The number of an invoice, as a question names it."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"\b(?:fattura|nota di credito)\s+(?:(?:n|nr|num|numero)\b\.?\s*|n[°º]\s*|#\s*)?"
    r"(?P<number>[a-z]{0,8}-?\d+(?:[-/][a-z0-9]+)*)(?![\w,.]*\d)(?!\s*(?:€|euro\b))",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def number_in(question: str) -> str | None:
    """Return the number of the invoice that a question names; a year alone is none."""
    found = _NUMBER.search(question)
    return found["number"] if found and not _YEAR.fullmatch(found["number"]) else None
