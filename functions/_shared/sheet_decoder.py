"""Decode one sheet of a workbook in the sandbox: `sheet_decoder '{"sheet": 0}'`, the file on standard input.

Answers {"sheets": [name], "sheet": index, "rows": [[number, [text]]]}: the sheets that are shown, and the rows of one
that hold something, with days as ISO and plain numbers. Without an index it is the first sheet with contents. What
cannot be read ends with status 10 and {"sentence"}.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

REFUSED = 10
MAX_ROWS = 50_001
# A sheet whose last row was formatted has a million of them.
MAX_LINES = 1_100_000
MAX_COLUMNS = 200
MAX_ENTRIES = 2_000
MAX_UNPACKED_BYTES = 300 * 1024**2
# Rows of a sheet pack some twenty to one.
MAX_RATIO = 200
MAX_CELL = 20_000
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ERRORS = frozenset(
    {"#N/A", "#N/D", "#REF!", "#RIF!", "#VALUE!", "#VALORE!", "#DIV/0!", "#NAME?", "#NOME?", "#NUM!", "#NULL!"}
)

AGAIN = "aprilo, salvalo come .xlsx (Cartella di lavoro di Excel) o come CSV, e riprova."
OLD = f"Questo è un file Excel del vecchio formato (.xls): {AGAIN}"
ODS = f"Questo è un foglio di LibreOffice (.ods): {AGAIN}"
BINARY = f"Questo è un file Excel binario (.xlsb): {AGAIN}"
OTHER = f"Questo non è un foglio Excel: {AGAIN}"
LOCKED = (
    "Il foglio è protetto da una password: aprilo in Excel, toglila da File, Informazioni, Proteggi cartella di "
    "lavoro, salva e riprova."
)
BOMB = "Il foglio si espande oltre misura: copia le righe in un file nuovo, salvalo come .xlsx e riprova."
TOO_LONG = "Il foglio ha più di 50.000 righe: dividilo in più file e importali uno alla volta."
TOO_WIDE = f"Il foglio ha più di {MAX_COLUMNS} colonne: togli quelle che non servono e riprova."
EMPTY = "Il file non contiene righe: controlla di aver scelto quello giusto."
DAMAGED = f"Il file è rovinato: {AGAIN}"


class Refusal(Exception):
    """The file cannot be read; the message is for its owner."""


def main() -> int:
    """Read the options and the file, and write the answer."""
    options = json.loads(sys.argv[1])
    try:
        answer = read(sys.stdin.buffer.read(), options["sheet"])
    except Refusal as refusal:
        sys.stdout.write(json.dumps({"sentence": str(refusal)}))
        return REFUSED
    sys.stdout.write(json.dumps(answer, ensure_ascii=False))
    return 0


def read(content: bytes, sheet: int | None) -> dict[str, Any]:
    """Return the names of the sheets and the rows of one. Raises Refusal."""
    check(content)
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        sheets = [each for each in book.worksheets if each.sheet_state == "visible"] or book.worksheets
        wanted = range(len(sheets)) if sheet is None else [min(sheet, len(sheets) - 1)]
        for index in wanted:
            rows = list(rows_of(sheets[index]))
            if rows or sheet is not None:
                return {"sheets": [each.title for each in sheets], "sheet": index, "rows": rows}
    except (
        InvalidFileException,
        zipfile.BadZipFile,
        SyntaxError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        # What openpyxl and the XML parser raise for files that are no workbook inside.
        raise Refusal(DAMAGED) from error
    raise Refusal(EMPTY)


def check(content: bytes) -> None:
    """Refuse what is no .xlsx, or would grow beyond measure, before anything is unpacked. Raises Refusal."""
    if content.startswith(OLE):
        raise Refusal(LOCKED if "EncryptedPackage".encode("utf-16-le") in content else OLD)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            names = {entry.filename for entry in entries}
            if "mimetype" in names and "content.xml" in names:
                raise Refusal(ODS)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Refusal(DAMAGED if content.startswith(b"PK") else OTHER) from error
    if "xl/workbook.bin" in names:
        raise Refusal(BINARY)
    if "xl/workbook.xml" not in names:
        raise Refusal(OTHER)
    if any(entry.flag_bits & 1 for entry in entries):
        raise Refusal(LOCKED)
    # zipfile reads no more of an entry than is declared here.
    unpacked, packed = sum(entry.file_size for entry in entries), sum(entry.compress_size for entry in entries)
    is_dense = unpacked > 2**24 and unpacked > MAX_RATIO * max(1, packed)
    if len(entries) > MAX_ENTRIES or unpacked > MAX_UNPACKED_BYTES or is_dense:
        raise Refusal(BOMB)


def rows_of(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold something, with their numbers. Raises Refusal."""
    # The size that a file claims is often wrong.
    sheet.reset_dimensions()
    found = 0
    for number, values in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > MAX_LINES:
            raise Refusal(TOO_LONG)
        cells = trimmed(text_of(value) for value in values)
        if not cells:
            continue
        found += 1
        if found > MAX_ROWS:
            raise Refusal(TOO_LONG)
        if len(cells) > MAX_COLUMNS:
            raise Refusal(TOO_WIDE)
        yield number, cells


def trimmed(texts: Iterable[str]) -> list[str]:
    """Drop the empty cells at the end."""
    cells = list(texts)
    while cells and not cells[-1]:
        cells.pop()
    return cells


def text_of(value: object) -> str:
    """Write a cell as text: days as ISO, numbers without grouping and exponent, errors of formulas as nothing."""
    match value:
        case None:
            return ""
        case bool():
            return "sì" if value else "no"
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
        case date():
            return value.isoformat()
        case time():
            return value.isoformat("minutes")
        case int() | float():
            return plain_number(value)
        case _:
            text = str(value).strip()[:MAX_CELL]
            return "" if text in ERRORS else text


def plain_number(value: float) -> str:
    """Write a number with the digits that a spreadsheet keeps."""
    if float(value).is_integer():
        return str(int(value))
    text = f"{Decimal(f'{value:.15g}'):f}"
    # Three decimals would be read as thousands.
    return text + "0" if len(text.partition(".")[2]) == 3 else text


if __name__ == "__main__":
    sys.exit(main())
