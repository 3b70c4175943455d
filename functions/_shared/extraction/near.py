"""Which labels a value stands beside: to the right of one in its line, or below one in its column."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from functions._shared.extraction import labels, values
from functions._shared.extraction.labels import Label
from functions._shared.extraction.layout import Cell, Sheet
from functions._shared.extraction.values import Value

# A value stands at most so far below its label or below the value above it, in points.
ROW_STEP = 48
ROWS = 16
SLACK = 10
# What a value is worth that is not the first beside its label, or that has words between.
ANOTHER_VALUE, OTHER_WORDS, IN_ANOTHER_CELL, BELOW, NOT_OVER = 0.88, 0.75, 0.97, 0.95, 0.85


@dataclass(frozen=True)
class Evidence:
    """A label that a value may belong to; `score` is the label's weight, less with distance."""

    label: Label
    score: float
    is_above: bool


class Reading:
    """A page with its labels and values."""

    def __init__(self, sheet: Sheet, table: labels.Table) -> None:
        self.sheet = sheet
        self.labels = labels.found(sheet, table)
        self.values = [value for cell in sheet.cells for value in values.found(cell)]
        self._labels: dict[Cell, list[Label]] = {}
        for label in self.labels:
            self._labels.setdefault(label.cell, []).append(label)
        self._values: dict[Cell, list[Value]] = {}
        for value in self.values:
            self._values.setdefault(value.cell, []).append(value)

    def of(self, kind: str) -> list[Value]:
        """Values of a kind, in reading order."""
        return [value for value in self.values if value.kind == kind]

    def labels_in(self, cell: Cell, keys: Collection[str]) -> list[Label]:
        """Labels of these keys in a cell, from left to right."""
        inside = [label for label in self._labels.get(cell, ()) if label.key in keys]
        return sorted(inside, key=lambda label: label.last)

    def values_in(self, cell: Cell, kind: str) -> list[Value]:
        """Values of a kind in a cell."""
        return [value for value in self._values.get(cell, ()) if value.kind == kind]

    def near(self, value: Value, keys: Collection[str]) -> Iterator[Evidence]:
        """The labels of these keys that a value stands beside: at most one to the left and one above."""
        left = self._left(value, keys)
        if left is not None:
            yield left
        above = self._above(value, keys)
        if above is not None:
            yield above

    def _left(self, value: Value, keys: Collection[str]) -> Evidence | None:
        score = 1.0
        before = [label for label in self.labels_in(value.cell, keys) if label.last <= value.first]
        between = [each for each in self.values_in(value.cell, value.kind) if each.last <= value.first]
        if before:
            others = sum(each.first >= before[-1].last for each in between)
            return Evidence(before[-1], before[-1].weight * ANOTHER_VALUE**others, False)
        score *= ANOTHER_VALUE ** len(between)
        line = self.sheet.lines[value.cell.line]
        for cell in reversed(line[: line.index(value.cell)]):
            inside, passed = self.labels_in(cell, keys), self.values_in(cell, value.kind)
            if inside:
                # «IVA 22% su imponibile di 100,00»: what follows the whole is named by its first label.
                taken = bool(passed) and passed[-1].first >= inside[-1].last
                label = inside[0] if taken else inside[-1]
                return Evidence(label, label.weight * score * (0.8 if taken else IN_ANOTHER_CELL), False)
            score *= ANOTHER_VALUE ** len(passed) if passed else OTHER_WORDS if _has_words(cell) else 1
        return None

    def _above(self, value: Value, keys: Collection[str]) -> Evidence | None:
        score, top = BELOW, value.cell.top
        for line in reversed(self.sheet.lines[max(0, value.cell.line - ROWS) : value.cell.line]):
            column = [cell for cell in line if cell.left < value.right + SLACK and cell.right > value.left - SLACK]
            if not column:
                continue
            if top - max(cell.bottom for cell in column) > ROW_STEP:
                return None
            inside = [label for cell in column for label in self.labels_in(cell, keys)]
            over = [label for label in inside if _over(label, value)]
            if over or len({label.key for label in inside}) == 1:
                label = min(over or inside, key=lambda each: _aside(each, value))
                return Evidence(label, label.weight * score * (1 if over else NOT_OVER), True)
            same = [each for cell in column for each in self.values_in(cell, value.kind)]
            if any(each.left < value.right and each.right > value.left for each in same):
                score *= ANOTHER_VALUE
            elif any(_has_words(cell) for cell in column):
                return None
            top = min(cell.top for cell in column)
        return None


def _span(label: Label) -> tuple[float, float]:
    return min(token.left for token in label.tokens), max(token.right for token in label.tokens)


def _over(label: Label, value: Value) -> bool:
    left, right = _span(label)
    return left < value.right + SLACK and right > value.left - SLACK


def _aside(label: Label, value: Value) -> float:
    left, right = _span(label)
    return min(abs(left - value.left), abs(right - value.right), abs((left + right - value.left - value.right) / 2))


def _has_words(cell: Cell) -> bool:
    return sum(each.isalpha() for each in cell.text) > 3
