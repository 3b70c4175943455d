"""The currency of a paper that is not in euros: its name or its sign beside the total, or anywhere else.

Where euros are named too, or a scan shows a mere sign (recognition takes «€» for «£»), somebody must look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from functions._shared.extraction.layout import Cell, Token, box_of
from functions._shared.extraction.near import Reading
from functions._shared.extraction.pages import Field
from functions._shared.extraction.values import Value

EURO = "EUR"
# Signs belong to a figure; names stand on their own.
MARKS = {
    EURO: re.compile(r"€|(?<![A-Z])EUR(?![A-Z])|\beuro\b", re.IGNORECASE),
    "USD": re.compile(r"(?<![A-Z])USD(?![A-Z])|US\s?\$|(?P<sign>\$)\s?\d|\d\s?(?P<after>\$)"),
    "GBP": re.compile(r"(?<![A-Z])GBP(?![A-Z])|(?P<sign>£)\s?\d|\d\s?(?P<after>£)"),
    "CHF": re.compile(r"(?<![A-Z])(?:CHF|SFr)(?![A-Za-z])"),
}
BESIDE, ANYWHERE, DOUBTED = 0.95, 0.7, 0.6
# What no recognition came between.
WELL_READ = 100


@dataclass(frozen=True)
class Mark:
    """A currency where it is named."""

    currency: str
    cell: Cell
    tokens: tuple[Token, ...]
    is_sure: bool


def foreign(readings: Sequence[Reading], total: Sequence[Value]) -> Field | None:
    """The currency of this total; None for euros."""
    anywhere = [mark for reading in readings for cell in reading.sheet.cells for mark in _marks(cell)]
    has_euros = any(mark.currency == EURO for mark in anywhere)
    anywhere = [mark for mark in anywhere if mark.is_sure or not has_euros]
    lines = {(value.cell.page, value.cell.line) for value in total}
    beside = [mark for mark in anywhere if (mark.cell.page, mark.cell.line) in lines]
    told = next((mark for mark in beside or anywhere if mark.currency != EURO), None)
    if told is None or (has_euros and not beside):
        return None
    is_alone = {mark.currency for mark in anywhere} == {told.currency}
    confidence = (BESIDE if beside else ANYWHERE) if is_alone and told.is_sure else DOUBTED
    return Field("currency", told.currency, confidence, told.cell.page, box_of(told.tokens))


def _marks(cell: Cell) -> Iterator[Mark]:
    for currency, pattern in MARKS.items():
        for match in pattern.finditer(cell.text):
            first, last = cell.between(*match.span())
            tokens = cell.tokens[first:last]
            is_read = min(token.word.confidence for token in tokens) == WELL_READ
            yield Mark(currency, cell, tokens, is_read or match.lastgroup is None)
