"""CSV for Excel in Italian, in which no text becomes a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from typing import Protocol

# What a spreadsheet would take for the start of a formula; the same as web/src/lib/csv.ts.
_FORMULA = re.compile(r"\s*[=+\-@\t\r|%]")


class Output(Protocol):
    """Takes text, as a file does."""

    def write(self, text: str, /) -> object: ...


class Writer(Protocol):
    """Writes rows of cells, which are texts already."""

    def writerow(self, row: Sequence[str], /) -> object: ...

    def writerows(self, rows: Iterable[Sequence[str]], /) -> None: ...


def writer(output: Output) -> Writer:
    """Return what writes rows there."""
    return csv.writer(output, delimiter=";", lineterminator="\r\n")


def as_text(text: str) -> str:
    """Return a cell that shows this text whatever it begins with."""
    return f"'{text}" if _FORMULA.match(text) else text
