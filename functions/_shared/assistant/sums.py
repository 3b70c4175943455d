"""Sums that an answer does before our eyes: «1.220,00 € + 450,50 € = 1.670,50 €», and the total under a list or table.

Whoever shows the addends may say what they add up to; whether the addends are true is for figures.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

# As Italians write it; as English do, where it can mean nothing else.
NUMBER = r"\d{1,3}(?:[.\u00a0\u202f']\d{3})+(?:,\d+)?|\d{1,3}(?:,\d{3})+\.\d+|\d+(?:[.,]\d+)?"
_AMOUNT = rf"(?:€\s*)?(?:{NUMBER})(?:\s*(?:€|euro))?"
_EQUATION = re.compile(
    rf"(?<![\d.,])(?P<terms>{_AMOUNT}(?:\s*[-+−–×]\s*{_AMOUNT}){{1,30}})\s*=\s*(?:€\s*)?(?P<result>{NUMBER})"
)
_TERM = re.compile(rf"(?P<sign>[-+−–×])?\s*(?:€\s*)?(?P<number>{NUMBER})")
_TOTAL = re.compile(r"\b(?:total[ei]|somma|in tutto|complessiv\w+)\b", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?P<text>.*)")
_SEPARATOR = re.compile(r"[\s|:-]+")
_FIGURE = re.compile(NUMBER)


@dataclass(frozen=True)
class Sum:
    """A result, and the places of what it was made of."""

    result: Decimal
    addends: tuple[tuple[int, int], ...]


def meanings(number: str) -> set[Decimal]:
    """What a written number may mean: «1.220» is 1220, and 1.22 to whoever writes English."""
    plain = re.sub("[\u00a0\u202f']", "", number)
    found = set()
    if re.fullmatch(r"[\d.]+(?:,\d+)?", plain):
        found.add(plain.replace(".", "").replace(",", "."))
    if re.fullmatch(r"[\d,]+\.\d+", plain):
        found.add(plain.replace(",", ""))
    return {Decimal(each) for each in found if each.count(".") <= 1}


def sums(content: str) -> Iterator[Sum]:
    """What the figures of an answer add up to, where it says that they do."""
    for equation in _EQUATION.finditer(content):
        yield from _equation(equation)
    block: list[tuple[int, str]] = []
    place = 0
    for line in content.splitlines(keepends=True):
        if _TOTAL.search(line):
            yield from _totals(block)
            block = []
        elif line.strip() and (_ITEM.match(line) or line.lstrip().startswith("|")):
            block.append((place, line))
        elif line.strip():
            block = []
        place += len(line)


def _equation(found: re.Match[str]) -> Iterator[Sum]:
    total, places = Decimal(0), []
    for term in _TERM.finditer(found["terms"]):
        value = _italian(term["number"])
        sign = term["sign"] or "+"
        total = total * value if sign == "×" else total + value if sign == "+" else total - value
        start = found.start("terms") + term.start("number")
        places.append((start, start + len(term["number"])))
    yield Sum(abs(total), tuple(places))


def _totals(block: list[tuple[int, str]]) -> Iterator[Sum]:
    """Of a list the last figure of each item, of a table each column."""
    rows = [_cells(place, line) for place, line in block]
    for column in range(max(map(len, rows), default=0)):
        figures = [row[column] for row in rows if column < len(row) and row[column]]
        if len(figures) > 1:
            yield _sum(each for each in figures if each)


def _cells(place: int, line: str) -> list[tuple[int, str] | None]:
    """The figure of each cell with its place, None where there is none."""
    if not line.lstrip().startswith("|"):
        item = _ITEM.match(line)
        figures = list(_FIGURE.finditer(line, item.start("text") if item else 0))
        return [(place + figures[-1].start(), figures[-1][0])] if figures else [None]
    if _SEPARATOR.fullmatch(line):
        return []
    cells, start = list[tuple[int, str] | None](), 0
    for cell in line.split("|"):
        found = _FIGURE.search(cell)
        cells.append((place + start + found.start(), found[0]) if found else None)
        start += len(cell) + 1
    return cells


def _sum(figures: Iterable[tuple[int, str]]) -> Sum:
    known = list(figures)
    places = tuple((place, place + len(text)) for place, text in known)
    return Sum(sum((_italian(text) for _, text in known), Decimal(0)), places)


def _italian(number: str) -> Decimal:
    return max(meanings(number))
