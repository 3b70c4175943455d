"""`read_sheet`: an Excel file as rows of text, and what cannot be read with a sentence that says what to do."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from typing import Any
from uuid import UUID

import httpx
import openpyxl
import pytest
import xlsxwriter  # type: ignore[import-untyped]

from backend.core import db
from backend.core.resources import Resources
from functions import read_sheet
from functions._shared import sheet_decoder
from tests.db import accounts
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
URL = "/functions/v1/read_sheet"


@pytest.fixture
async def owner(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        return await accounts.create(connection)


Read = Callable[..., Any]


@pytest.fixture
def read(client: httpx.AsyncClient, resources: Resources, owner: UUID) -> Read:
    async def post(content: bytes, query: str = "") -> httpx.Response:
        headers = signed_in.headers(resources, owner) | {"content-type": "application/octet-stream"}
        return await client.post(URL + query, content=content, headers=headers)

    return post


def saved(*sheets: list[list[Any]], prepare: Callable[[Any], None] = lambda _book: None) -> bytes:
    """Write a workbook as openpyxl does; each sheet is called «Foglio» with its number."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"Foglio{number}")
        for row in rows:
            sheet.append(row)
    prepare(book)
    output = io.BytesIO()
    book.save(output)
    return output.getvalue()


def packed(**entries: bytes) -> bytes:
    """Write a ZIP with these entries; two underscores are a slash, one a dot."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return output.getvalue()


async def test_a_sheet_comes_as_text_with_days_and_plain_numbers(read: Read) -> None:
    cells = [
        *(" Perché ", 185, 3331234567.0, 1234.5, 0.125, -2.0, 1e15),
        *(date(2026, 3, 1), datetime(2026, 3, 1, 9, 30), True, None, "#N/A"),  # noqa: DTZ001
    ]
    answer = await read(saved([["Nome", "CAP"], [], cells]))
    assert answer.status_code == 200
    texts = [
        *("Perché", "185", "3331234567", "1234.5", "0.1250", "-2", "1000000000000000"),
        *("2026-03-01", "2026-03-01 09:30", "sì"),
    ]
    assert answer.json() == {"sheets": ["Foglio1"], "sheet": 0, "rows": [[1, ["Nome", "CAP"]], [3, texts]]}


async def test_merged_titles_and_the_results_of_formulas_are_read(read: Read) -> None:
    output = io.BytesIO()
    with xlsxwriter.Workbook(output) as book:
        sheet = book.add_worksheet("Clienti")
        sheet.merge_range("A1:C1", "Elenco clienti 2026")
        sheet.write_row(2, 0, ["Ragione sociale", "Ultimo contatto", "Fatturato"])
        sheet.write(3, 0, "Rossi Srl")
        sheet.write_datetime(3, 1, datetime(2026, 3, 1), book.add_format({"num_format": "dd/mm/yy"}))  # noqa: DTZ001
        sheet.write_formula(3, 2, "=1000+234.5", value=1234.5)
    rows = (await read(output.getvalue())).json()["rows"]
    assert [number for number, _ in rows] == [1, 3, 4]
    assert rows[0][1] == ["Elenco clienti 2026"]
    assert rows[2][1] == ["Rossi Srl", "2026-03-01", "1234.5"]


async def test_one_of_several_sheets_is_chosen_and_hidden_ones_are_not_shown(read: Read) -> None:
    def hide(book: Any) -> None:
        book.worksheets[1].sheet_state = "hidden"

    content = saved([], [["Nascosto"]], [["Clienti"]], [["Fornitori"]], prepare=hide)
    first = (await read(content)).json()
    assert (first["sheets"], first["sheet"]) == (["Foglio1", "Foglio3", "Foglio4"], 1)
    assert first["rows"] == [[1, ["Clienti"]]]
    assert (await read(content, "?sheet=2")).json()["rows"] == [[1, ["Fornitori"]]]
    assert (await read(content, "?sheet=0")).json()["rows"] == []
    assert (await read(content, "?sheet=due")).status_code == 400


LOCKED = sheet_decoder.OLE + bytes(512) + "EncryptedPackage".encode("utf-16-le")
WORKBOOK = {"xl__workbook_xml": b"<workbook/>"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (sheet_decoder.OLE + bytes(2000), sheet_decoder.OLD),
        (LOCKED, sheet_decoder.LOCKED),
        (packed(mimetype=b"application/vnd.oasis.opendocument.spreadsheet", content_xml=b""), sheet_decoder.ODS),
        (packed(xl__workbook_bin=b""), sheet_decoder.BINARY),
        (packed(word__document_xml=b""), sheet_decoder.OTHER),
        (b"Nome;Cognome\n", sheet_decoder.OTHER),
        (b"PK\x03\x04 cut off", sheet_decoder.DAMAGED),
        (packed(**WORKBOOK), sheet_decoder.DAMAGED),
        (packed(**WORKBOOK, xl__sharedStrings_xml=bytes(64 * 1024**2)), sheet_decoder.BOMB),
        (packed(**WORKBOOK, **{f"n{number}": b"" for number in range(2_001)}), sheet_decoder.BOMB),
        (saved([]), sheet_decoder.EMPTY),
        (saved([["x"] * 201]), sheet_decoder.TOO_WIDE),
    ],
    ids=["xls", "locked", "ods", "xlsb", "docx", "csv", "cut off", "not inside", "dense", "entries", "empty", "wide"],
)
async def test_what_cannot_be_read_says_what_to_do(content: bytes, sentence: str, read: Read) -> None:
    answer = await read(content)
    assert (answer.status_code, answer.json()["code"]) == (422, "unreadable_sheet")
    assert answer.json()["message"] == sentence


def test_a_sheet_of_too_many_rows_is_refused_and_empty_lines_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sheet_decoder.MAX_ROWS == 50_001
    monkeypatch.setattr(sheet_decoder, "MAX_ROWS", 51)

    def sheet(rows: int) -> bytes:
        return saved([["Anna"] if number % 2 == 0 else [] for number in range(2 * rows - 1)])

    assert sheet_decoder.read(sheet(51), None)
    with pytest.raises(sheet_decoder.Refusal) as refused:
        sheet_decoder.read(sheet(52), None)
    assert str(refused.value) == sheet_decoder.TOO_LONG


async def test_an_entity_that_grows_is_not_expanded(read: Read) -> None:
    """The XML parser of openpyxl refuses entities only where defusedxml is installed."""
    entities = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    laughs = b'<?xml version="1.0"?>' + entities + b"<workbook>&b;</workbook>"
    source = saved([["Anna"]])
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(source)) as before, zipfile.ZipFile(output, "w") as after:
        for entry in before.infolist():
            after.writestr(entry.filename, laughs if entry.filename == "xl/workbook.xml" else before.read(entry))
    answer = await read(output.getvalue())
    assert (answer.status_code, answer.json()["message"]) == (422, sheet_decoder.DAMAGED)


async def test_a_visitor_and_a_file_above_the_limit_are_refused(client: httpx.AsyncClient, read: Read) -> None:
    assert (await client.post(URL, content=b"PK")).status_code == 401
    assert (await read(bytes(20 * 1024**2 + 1))).status_code == 413


async def test_a_person_reads_one_sheet_at_a_time(read: Read, owner: UUID) -> None:
    async with read_sheet.PLACES.one(str(owner)):
        answer = await read(b"")
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (429, "busy", "1")
