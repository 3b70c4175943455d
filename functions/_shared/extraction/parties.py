"""Who a document is from and for: the customer's block is known by its heading, the rest is the supplier's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from functions._shared import names
from functions._shared.extraction.currencies import DOUBTED
from functions._shared.extraction.heads import Found
from functions._shared.extraction.labels import Label
from functions._shared.extraction.layout import Cell, box_of
from functions._shared.extraction.near import Reading
from functions._shared.extraction.structure import COMPANY, TITLE, is_structure, table_heads
from functions._shared.extraction.values import Value
from functions._shared.names import fold

# The customer's block ends at a gap of so many points, or after so many lines.
BLOCK_GAP, BLOCK_LINES = 24, 9
BLOCK_LEFT, BLOCK_RIGHT = 14, 110
FOREIGN_VAT = re.compile(r"(?<![0-9A-Za-z])(?!IT)[A-Z]{2}(?=[0-9A-Z]*[0-9]{4})[0-9A-Z]{8,12}(?![0-9A-Za-z])")
VAT_KEYS = frozenset({"vat_number", "customer_vat", "tax_code"})
# Letters as large as this, of the largest of the head, may be a letterhead.
LARGEST = 0.9
# A company's form; «società» alone may be any sentence's.
FIRM = re.compile(COMPANY.pattern.replace("|societa", ""))
# What names the paper, not its author.
NO_NAME = re.compile(
    r"\b(?:fattur[ae]|documento|bollett[ae]|preventiv[oi]|offert[ae]|ricevut[ae]|parcell[ae]|nota di|spett|pagina|"
    r"copia|originale|sede|via|corso|piazza|viale|largo|tel|telefono|www|p\.? ?iva|c\.? ?f\.|codice|data|totale|"
    r"destinatario|cliente|consegna|contratto)(?!\w)|@"
)
ENDS = re.compile(r"\s+[-–—|]\s+.*$|,\s+(?:con\s+)?sede.*$")

# «Bar Centrale», and below it «di Rossi S.n.c.».
OWNER = re.compile(r"^di (?=[A-Z])|^DI (?=[A-Z])")


def read(readings: Sequence[Reading]) -> dict[str, Found]:
    """Supplier, customer and their numbers, by key; `customer_vat_number` is the customer's."""
    blocks = [block for reading in readings for block in _customer_blocks(reading)]
    theirs = {cell for _, cells in blocks for cell in cells}
    found: dict[str, Found] = {}
    own, customers = _numbers(readings, "vat_number", theirs)
    abroad, customers_abroad = _numbers(readings, "foreign_vat", theirs)
    # Outside of the customer's block something else may look like one.
    abroad = [each for each in abroad if each.label]
    if own:
        # Of a supplier from abroad the only Italian number may be the reader's own.
        is_doubtful = len({each.value for each in own}) == 1 and _is_from_abroad(readings, theirs)
        found["vat_number"] = _doubted(own[0]) if is_doubtful else own[0]
    elif abroad:
        found["vat_number"] = abroad[0]
    if customers or customers_abroad:
        found["customer_vat_number"] = (customers or customers_abroad)[0]
    codes, _ = _numbers(readings, "tax_code", theirs)
    if codes:
        found["tax_code"] = codes[0]
    elif own and (code := _company_code(readings, theirs, own[0].value)):
        found["tax_code"] = code
    if readings and (name := _supplier(readings, theirs, (own or abroad)[:1])):
        found["supplier"] = name
    if name := next((each for block in blocks if (each := _customer(*block))), None):
        found["customer"] = name
    return found


def _customer_blocks(reading: Reading) -> list[tuple[Label, list[Cell]]]:
    # «Codice cliente», a column of a table and a sentence with the word in it head no block.
    columns = table_heads(reading.sheet)
    heads = [label for label in reading.labels if label.key == "customer" and label.first == 0]
    return [
        (label, _block(reading, label)) for label in heads if len(label.cell.tokens) < 14 and label.cell not in columns
    ]


def _block(reading: Reading, label: Label) -> list[Cell]:
    cells = [label.cell]
    bottom, left = label.cell.bottom, label.cell.left
    line = reading.sheet.lines[label.cell.line]
    beside = [cell for cell in line if 0 < cell.left - label.cell.right < BLOCK_RIGHT]
    cells += beside[:1]
    for below in reading.sheet.lines[label.cell.line + 1 : label.cell.line + 1 + BLOCK_LINES]:
        column = [cell for cell in below if left - BLOCK_LEFT <= cell.left <= left + BLOCK_RIGHT]
        if not column:
            continue
        if column[0].top - bottom > BLOCK_GAP:
            break
        cells += column
        bottom = max(cell.bottom for cell in column)
    return cells


def _numbers(readings: Sequence[Reading], kind: str, theirs: set[Cell]) -> tuple[list[Found], list[Found]]:
    """The supplier's and the customer's, best first."""
    own: list[Found] = []
    customers: list[Found] = []
    for reading in readings:
        for value in reading.of(kind):
            beside = list(reading.near(value, VAT_KEYS))
            is_theirs = value.cell in theirs or any(each.label.key == "customer_vat" for each in beside)
            (customers if is_theirs else own).append(_numbered(reading, value, kind, is_theirs))
    known = {each.value for each in customers}
    alone = [each for each in own if each.value not in known] or own
    return sorted(alone, key=lambda one: -one.score), customers


def _is_from_abroad(readings: Sequence[Reading], theirs: set[Cell]) -> bool:
    """Whether a foreign VAT number stands beside its label, outside of the customer's block."""
    for reading in readings:
        for label in reading.labels:
            line = reading.sheet.lines[label.cell.line]
            beside = line[line.index(label.cell) : line.index(label.cell) + 2]
            if label.key == "vat_number" and any(
                FOREIGN_VAT.search(each.text) for each in beside if each not in theirs
            ):
                return True
    return False


def _numbered(reading: Reading, value: Value, kind: str, is_theirs: bool = False) -> Found:
    keys = VAT_KEYS if is_theirs else VAT_KEYS - {"customer_vat"}
    beside = next((each for each in reading.near(value, VAT_KEYS) if each.label.key in keys), None)
    score = 0.5 + (0.4 * min(1.0, beside.score) if beside else 0)
    if kind == "vat_number" and beside and beside.label.key == "tax_code":
        score -= 0.1
    # The head of the page first, its foot next; what comes first wins among equals.
    score += 0.05 if value.cell.top < reading.sheet.height * 0.35 else 0
    score -= 0.0001 * value.cell.line + 0.01 * value.cell.page
    label = beside.label.text if beside else None
    return Found(value.value, score, value.cell.page, value.box, label, value.read_well)


def _company_code(readings: Sequence[Reading], theirs: set[Cell], vat_number: str) -> Found | None:
    """A company's tax code that is not its VAT number."""
    for reading in readings:
        for value in reading.of("vat_number"):
            beside = next(reading.near(value, VAT_KEYS), None)
            named = beside is not None and beside.label.key == "tax_code"
            if named and value.cell not in theirs and value.value != vat_number:
                return _numbered(reading, value, "tax_code")
    return None


def _supplier(readings: Sequence[Reading], theirs: set[Cell], numbers: Sequence[Found]) -> Found | None:
    """The largest line of the head that looks like a name."""
    reading = readings[0]
    # «Fornitore: Rossi srl», not «Forniture Rossi srl».
    labels = [each for each in reading.labels if each.key == "supplier"]
    named = next(
        (each for each in labels if each.last == len(each.cell.tokens) or each.tokens[-1].text[-1] == ":"), None
    )
    if named is not None and (name := _beside(reading, named)):
        return name
    heads = table_heads(reading.sheet)
    cells = [cell for cell in reading.sheet.cells if cell not in theirs and cell not in heads]
    largest = max((cell.height for cell in cells if cell.top < reading.sheet.height * 0.4), default=1.0)
    best, best_score = None, 0.45
    for cell in cells:
        score = _like_a_name(cell, reading.sheet.height, largest)
        score += 0.15 if _near_number(cell, numbers, reading) else 0
        if score > best_score:
            best, best_score = cell, score
    found = None if best is None else _name(best, min(0.95, best_score), None, 0)
    if best is None or found is None:
        return None
    return found if _is_supported(best, found, cells, largest, numbers, reading) else _doubted(found)


def _is_supported(
    cell: Cell, found: Found, cells: Sequence[Cell], largest: float, numbers: Sequence[Found], reading: Reading
) -> bool:
    """Tell whether two signs agree that a cell of the head is the supplier."""
    is_firm = FIRM.search(fold(cell.text)) is not None or TITLE.match(fold(cell.text)) is not None
    is_large = cell.height >= LARGEST * largest
    if _near_number(cell, numbers, reading):
        return is_firm or is_large
    is_repeated = sum(names.words(found.value) in names.words(each.text) for each in cells) > 1
    return is_repeated and (is_firm or is_large)


def _doubted(found: Found) -> Found:
    return replace(found, score=min(found.score, DOUBTED))


def _like_a_name(cell: Cell, height: float, largest: float) -> float:
    text = fold(cell.text)
    letters = sum(each.isalpha() for each in text)
    is_wrong = letters < 4 or letters < 0.7 * len(text.replace(" ", "")) or len(cell.tokens) > 9
    if is_wrong or is_structure(cell.text) or (NO_NAME.search(ENDS.sub("", text)) and not COMPANY.search(text)):
        return 0
    score = 0.45 * min(1.0, cell.height / largest) + 0.25 * (1 - cell.top / height)
    return score + (0.3 if COMPANY.search(text) else 0.15 if TITLE.search(text) else 0)


def _near_number(cell: Cell, numbers: Sequence[Found], reading: Reading) -> bool:
    height = reading.sheet.height
    return any(0 <= each.box[1] / 10_000 * height - cell.top < 110 for each in numbers)


def _customer(label: Label, cells: Sequence[Cell]) -> Found | None:
    if label.last < len(label.cell.tokens) and (name := _name(label.cell, 0.85, label.text, label.last)):
        return name
    for cell in cells[1:]:
        if name := _name(cell, 0.88, label.text, 0):
            return name
    return None


def _beside(reading: Reading, label: Label) -> Found | None:
    if label.last < len(label.cell.tokens):
        return _name(label.cell, 0.9, label.text, label.last)
    line = reading.sheet.lines[label.cell.line]
    right = line.index(label.cell) + 1
    return _name(line[right], 0.9, label.text, 0) if right < len(line) else None


def _name(cell: Cell, score: float, label: str | None, first: int) -> Found | None:
    text = OWNER.sub("", ENDS.sub("", cell.text[cell.starts[first] :]).strip(" :-–"))
    if sum(each.isalpha() for each in text) < 3 or is_structure(text):
        return None
    start = cell.text.index(text, cell.starts[first])
    begin, end = cell.between(start, start + len(text))
    tokens = cell.tokens[begin:end]
    read_well = min(token.word.confidence for token in tokens) / 100
    # A name that begins small has lost its first letter, or is the end of a sentence.
    found = Found(text, score, cell.page, box_of(tokens), label, read_well)
    return _doubted(found) if text[0].islower() else found
