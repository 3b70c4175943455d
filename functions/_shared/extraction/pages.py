"""What goes into extraction and what comes out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Word:
    """A word; places are 1/10000 of the page as it is shown, confidence is 0..100."""

    text: str
    x0: int
    y0: int
    x1: int
    y1: int
    confidence: float = 100


@dataclass(frozen=True)
class Page:
    """A page, counted from 1; width and height in points."""

    no: int
    width: float
    height: float
    words: Sequence[Word] = field(default_factory=tuple)


@dataclass(frozen=True)
class Kind:
    """What a document is: a value of document_kind, 0..1, and why, in Italian."""

    kind: str
    confidence: float
    rule: str


@dataclass(frozen=True)
class Field:
    """A value as document_fields keeps it: a day is ISO 8601, an amount its cents. `box` holds its words, `label` is
    what it stood beside."""

    key: str
    value: str
    confidence: float
    page: int
    box: Box
    label: str | None = None


@dataclass(frozen=True)
class Correction:
    """What its owner taught: on documents of this supplier a value stands beside this label."""

    vat_number: str
    key: str
    label: str
