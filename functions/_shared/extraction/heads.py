"""What stands at the head of a document: its number and its days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from functions._shared.extraction.labels import Label
from functions._shared.extraction.layout import Cell, box_of
from functions._shared.extraction.near import ROW_STEP, Reading
from functions._shared.extraction.pages import Box
from functions._shared.extraction.values import Value

DAY_KEYS = frozenset({"issued_on", "due_on", "other_day", "other_number", "paid_on"})
OTHER_KEYS = ("other_day", "other_number")
# «12/2026», «2026-0012», «FT-2026/12», «FPR 12/26», «12/A»; what was misread before digits is mended.
NUMBER = re.compile(
    r"[\s.:°ºn*#'\"-]*?((?:(?!DEL)[A-Z]{1,5}[ .\-/]?)?[0-9lI|][0-9]*(?:\s?[/\-_.]\s?[A-Z0-9]+(?![a-zà-ù]))*[A-Z]?)"
    r"(?![\w,%]|[.]\d)"
)
DATE = re.compile(r"\d{1,2}[/.\-]\d{1,2}[/.\-](?:20)?\d{2}$")
LONGEST = 24
# A value with a label of its own, and no other nearly as good, needs nobody to look.
NAMED, RIVAL, AGREED = 0.7, 0.7, 0.92
# A short label («n.», «del») says enough when there is nothing else.
LEAST_NAMED, ONLY = 0.55, 0.85
# «Roma, lì 12 novembre 2026», and nothing else in its cell.
PLACE = re.compile(r"[A-Z][A-Za-zÀ-ù' ]{2,25},\s*(?:l[iìí]|addì)?\s*$")


@dataclass(frozen=True)
class Found:
    """A value with what it stood beside; `score` is how well it fits."""

    value: str
    score: float
    page: int
    box: Box
    label: str | None
    read_well: float


def days(readings: Sequence[Reading], key: str) -> list[Found]:
    """Days that may be asked for, best first."""
    found = [each for reading in readings for value in reading.of("day") for each in _day(reading, value, key)]
    return sorted(found, key=lambda one: -one.score)


def only_day(readings: Sequence[Reading], found: Sequence[Found]) -> Found:
    """Return the day of a paper that has no other one, as tills print it without a label."""
    days = {value.value for reading in readings for value in reading.of("day")}
    best = agreed(found)
    return replace(best, score=max(best.score, ONLY)) if len(days) == 1 else best


def agreed(found: Sequence[Found]) -> Found:
    """The best of several; surer when no other label says otherwise."""
    best = found[0]
    others = {each.value for each in found if each.score > RIVAL * best.score}
    if len(others) > 1 or best.score < LEAST_NAMED:
        return best
    return replace(best, score=max(best.score, AGREED if best.score >= NAMED else ONLY))


def _day(reading: Reading, value: Value, key: str) -> Iterator[Found]:
    beside = list(reading.near(value, DAY_KEYS))
    if key == "issued_on" and _is_after_a_place(value):
        yield _found(value, ONLY, None)
        return
    if beside and any(each.label.key in OTHER_KEYS and not each.is_above for each in beside):
        return
    # «A storno della fattura n. 3 del …»: the first day after such words is of something else.
    days = [each.last for each in reading.values_in(value.cell, "day") if each.last <= value.first]
    others = [each.last for each in reading.labels_in(value.cell, OTHER_KEYS) if each.last <= value.first]
    if others and max(others) > max(days, default=-1):
        return
    for each in beside:
        if each.label.key == key:
            # «Fattura n. 12 del 12/11/2026» says more than any «del».
            names = reading.labels_in(value.cell, {"number"}) if key == "issued_on" else []
            score = max(each.score, 0.95) if names and names[0].last <= value.first else each.score
            yield _found(value, score, each.label.text)
            return
    if not beside and key == "issued_on":
        # «Roma, 12 novembre 2026» near the head of the page.
        yield _found(value, 0.35 if value.cell.top < reading.sheet.height * 0.45 else 0.2, None)


def _is_after_a_place(value: Value) -> bool:
    cell = value.cell
    before = " ".join(token.text for token in cell.tokens[: value.first])
    return value.last == len(cell.tokens) and PLACE.match(before) is not None


def _found(value: Value, score: float, label: str | None) -> Found:
    return Found(value.value, score, value.cell.page, value.box, label, value.read_well)


def numbers(readings: Sequence[Reading]) -> list[Found]:
    """Document numbers, best first."""
    found = [
        each
        for reading in readings
        for label in reading.labels
        if label.key == "number"
        for each in _number(reading, label)
    ]
    return sorted(found, key=lambda one: -one.score)


def _number(reading: Reading, label: Label) -> Iterator[Found]:
    others = reading.labels_in(label.cell, {"other_number"})
    if any(other.first <= label.first < other.last for other in others):
        return
    page_share = label.cell.top / reading.sheet.height
    weight = label.weight * (1 if page_share < 0.5 else 0.7)
    whole = label.weight >= 1
    # «Fattura» alone names the paper; its number must follow at once.
    at_once = _read(label.cell, label.last, label, weight)
    if at_once is not None:
        yield at_once
        return
    if label.weight < 0.7 or label.last < len(label.cell.tokens):
        return
    line = reading.sheet.lines[label.cell.line]
    right = line.index(label.cell) + 1
    below = _below(reading, label)
    found = _read(below, _first_under(below, label), label, weight * 0.97) if below else None
    if found is None and right < len(line):
        found = _read(line[right], 0, label, weight * (0.95 if whole else 0.9))
    if found is not None:
        yield found


def _first_under(cell: Cell, label: Label) -> int:
    """Cells that a narrow gap parts may have become one: the token below the label is meant."""
    left = min(token.left for token in label.tokens) - 3
    return next((at for at, token in enumerate(cell.tokens) if token.right > left), 0)


def _below(reading: Reading, label: Label) -> Cell | None:
    left, right = min(t.left for t in label.tokens), max(t.right for t in label.tokens)
    for line in reading.sheet.lines[label.cell.line + 1 : label.cell.line + 4]:
        under = [cell for cell in line if cell.left < right and cell.right > left]
        if under:
            return under[0] if under[0].top - label.cell.bottom < ROW_STEP / 2 else None
    return None


def _read(cell: Cell, first: int, label: Label, score: float) -> Found | None:
    if first >= len(cell.tokens):
        return None
    start = cell.starts[first]
    match = NUMBER.match(cell.text, start)
    if match is None or DATE.fullmatch(match[1]) or len(match[1]) > LONGEST or not any(map(str.isdigit, match[1])):
        return None
    begin, end = cell.between(*match.span(1))
    tokens = cell.tokens[begin:end]
    value = re.sub(r"\s*([/\-_.])\s*", r"\1", match[1])
    value = re.sub(r"(?<![A-Za-z])[lI|](?=\d)|(?<=\d)[lI|](?=[\d/]|$)", "1", value)
    return Found(value, score, cell.page, box_of(tokens), label.text, min(t.word.confidence for t in tokens) / 100)
