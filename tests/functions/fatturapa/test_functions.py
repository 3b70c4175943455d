"""`invoice_pdf` and `invoices_export`: only one's own invoices, and files that an accountant's spreadsheet takes."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import unquote
from uuid import UUID, uuid4
from xml.etree import ElementTree

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import fatturapa
from functions._shared.fatturapa.model import Invoice
from tests.db import accounts
from tests.functions import signed_in
from tests.functions.fatturapa import builder, samples
from tests.functions.fatturapa.keeping import kept_document
from tests.functions.fatturapa.samples import COMPANY, STUDIO, invoice

pytestmark = pytest.mark.anyio

TWIN = "Doppia: è già in «IT_001.xml»"


class Books:
    """A person's register behind the product's doors."""

    def __init__(self, client: httpx.AsyncClient, resources: Resources, owner: UUID) -> None:
        self.client, self.resources, self.owner = client, resources, owner

    async def keep(self, *bodies: Invoice) -> None:
        """Stores a file."""
        entries = fatturapa.for_store(fatturapa.read(builder.written(bodies).encode()), STUDIO.vat_number, None)
        async with db.connection(self.resources.pool) as connection:
            document = await kept_document(connection, self.owner)
            await connection.execute("select private.store_invoice($1, $2, $3)", document, self.owner, entries)

    async def id(self) -> UUID:
        async with db.connection(self.resources.pool) as connection:
            found: UUID = await connection.fetchval("select id from public.invoices where user_id = $1", self.owner)
        return found

    async def get(self, function: str, *, as_user: UUID | None = None, **query: Any) -> httpx.Response:
        """As the owner or somebody else."""
        headers = signed_in.headers(self.resources, as_user or self.owner)
        return await self.client.get(f"/functions/v1/{function}", params=query, headers=headers)

    async def table(self, **query: Any) -> list[dict[str, str]]:
        """The exported CSV."""
        answer = await self.get("invoices_export", **query)
        assert answer.status_code == 200, answer.text
        text = answer.content.decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";"))


@pytest.fixture
async def books(client: httpx.AsyncClient, resources: Resources) -> Books:
    async with db.connection(resources.pool) as connection:
        return Books(client, resources, await accounts.create(connection))


async def test_the_paper_is_its_owners_only(books: Books, resources: Resources) -> None:
    await books.keep(invoice(customer=replace(COMPANY, name='Rossi & C. "srl" / Perché')))
    answer = await books.get("invoice_pdf", id=await books.id())
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF-")
    name = unquote(answer.headers["content-disposition"].partition("UTF-8''")[2])
    assert name == "Fattura 12-2026 Rossi & C. srl Perché.pdf"
    async with db.connection(resources.pool) as connection:
        stranger = await accounts.create(connection)
    assert (await books.get("invoice_pdf", id=await books.id(), as_user=stranger)).status_code == 404
    assert (await books.get("invoice_pdf", id=uuid4())).status_code == 404
    assert (await books.get("invoice_pdf", id="1")).status_code == 400
    assert await books.table() != []
    empty = await books.get("invoices_export", as_user=stranger)
    assert len(empty.text.splitlines()) == 1
    unknown = {"apikey": resources.keys.publishable_key}
    for function in ("invoice_pdf", "invoices_export"):
        assert (await books.client.get(f"/functions/v1/{function}", headers=unknown)).status_code == 401


async def test_a_scans_invoice_has_no_paper_of_ours(books: Books, resources: Resources) -> None:
    await books.keep(invoice())
    async with db.connection(resources.pool) as connection:
        await connection.execute("update public.invoices set content = null, source = 'campi'")
    answer = await books.get("invoice_pdf", id=await books.id())
    assert (answer.status_code, answer.json()["code"]) == (409, "no_content")
    (row,) = await books.table()
    assert (row["Imponibile"], row["Imposta"], row["Totale documento"]) == ("1000,00", "220,00", "1220,00")


async def test_the_csv_has_a_row_for_each_invoice_and_rate(books: Books) -> None:
    await books.keep(samples.professional())
    await books.keep(replace(samples.goods(), issued_on=date(2026, 11, 11)))
    await books.keep(invoice(type_code="TD04", number="=1+1", issued_on=date(2026, 11, 12)))
    rows = await books.table()
    assert [(row["Numero"], row["Aliquota IVA"], row["Imponibile"], row["Totale documento"]) for row in rows] == [
        ("12/2026", "22,00", "1040,00", "1268,80"),
        ("FT 345/B", "22,00", "300,00", "393,84"),
        ("FT 345/B", "10,00", "22,00", ""),
        ("FT 345/B", "4,00", "3,50", ""),
        ("'=1+1", "22,00", "-1000,00", "-1220,00"),
    ]
    assert (rows[0]["Ritenute"], rows[0]["Da pagare"], rows[0]["Data"]) == ("200,00", "1068,80", "10/11/2026")
    assert (rows[0]["Tipo di documento"], rows[0]["Codice fiscale"]) == ("Parcella", "01234560157")
    assert [row["Direzione"] for row in rows] == ["attiva", "passiva", "passiva", "passiva", "attiva"]
    assert [row["Numero"] for row in await books.table(direction="attiva", **{"from": "2026-11-11"})] == ["'=1+1"]
    assert await books.table(to="2026-11-09") == []


async def test_the_trash_is_no_part_of_the_register_and_twins_are_marked(books: Books, resources: Resources) -> None:
    await books.keep(invoice())
    await books.keep(invoice())
    rows = sorted(await books.table(), key=lambda row: row["Avviso"])
    assert [row["Avviso"] for row in rows] == ["", TWIN]
    money = ("Imponibile", "Imposta", "Totale documento", "Da pagare")
    assert [[row[name] for name in money] for row in rows] == [["1000,00", "220,00", "1220,00", "1220,00"], [""] * 4]
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            "update public.documents set deleted_at = now() where id in "
            "(select document_id from public.invoices order by created_at limit 1)"
        )
    assert [row["Avviso"] for row in await books.table()] == [""]


async def test_the_same_invoice_of_a_private_customer_is_a_twin_too(books: Books) -> None:
    private = replace(COMPANY, vat_number=None, tax_code="RSSMRA80A01H501U")
    for _ in range(2):
        await books.keep(invoice(customer=private))
    assert [row["Avviso"] for row in await books.table()] in (["", TWIN], [TWIN, ""])
    workbook = (await books.get("invoices_export", format="xlsx")).content
    # Told twice, due once.
    assert [max(int(place[1:]) for place in cells(workbook, sheet) if place[0] == "A") for sheet in (1, 2)] == [3, 2]


async def test_of_a_scan_what_is_withheld_and_due_is_told(books: Books, resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        document = await kept_document(connection, books.owner)
        said = {"number": "7", "issued_on": "2026-11-01", "total": "122000", "withholding": "20000", "due": "102000"}
        await connection.executemany(
            "insert into public.document_fields (user_id, document_id, key, value, confidence, source)"
            " values ($1, $2, $3, $4, 0.98, 'ocr')",
            [(books.owner, document, key, value) for key, value in said.items()],
        )
    claims = {"sub": str(books.owner), "role": "authenticated"}
    async with db.as_claims(resources.pool, claims) as connection:
        await connection.execute("select public.confirm_invoice($1)", document)
    (row,) = await books.table()
    assert [row[name] for name in ("Totale documento", "Ritenute", "Da pagare")] == ["1220,00", "200,00", "1020,00"]


async def test_a_long_register_is_read_to_its_end(books: Books) -> None:
    many = [invoice(number=str(no), body_no=no) for no in range(1, 503)]
    await books.keep(*many[:501])
    await books.keep(many[501])
    numbers = [row["Numero"] for row in await books.table()]
    assert sorted(numbers, key=int) == [each.number for each in many]


async def test_the_workbook_has_real_dates_and_numbers(books: Books) -> None:
    await books.keep(samples.professional())
    answer = await books.get("invoices_export", format="xlsx", direction="attiva", to="2026-12-31")
    assert answer.status_code == 200
    assert 'filename="Fatture attive al 2026-12-31.xlsx"' in answer.headers["content-disposition"]
    invoices, dues = (cells(answer.content, sheet) for sheet in (1, 2))
    # Days since 1900 as spreadsheets count them: 10 November and 10 December 2026.
    assert (invoices["D2"], invoices["E2"], invoices["I2"], invoices["N2"]) == ("12/2026", 46336, 1040, 1268.8)
    assert (dues["D2"], dues["E2"], dues["F2"], dues["H2"]) == ("Rossi s.r.l.", 46366, 1068.8, "Bonifico")


async def test_what_a_credit_note_pays_back_takes_away_however_it_is_signed(books: Books) -> None:
    for number, cents in (("1", 122_000), ("2", -122_000)):
        await books.keep(invoice(type_code="TD04", number=number, installments=(samples.installment(1, cents, None),)))
    dues = cells((await books.get("invoices_export", format="xlsx")).content, 2)
    assert (dues["F2"], dues["F3"]) == (-1220, -1220)


def cells(workbook: bytes, sheet: int) -> dict[str, str | float]:
    """The cells of a sheet by their place: text, or numbers."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(io.BytesIO(workbook)) as parts:
        shared = ElementTree.fromstring(parts.read("xl/sharedStrings.xml"))
        texts = ["".join(each.itertext()) for each in shared.iter(f"{space}si")]
        root = ElementTree.fromstring(parts.read(f"xl/worksheets/sheet{sheet}.xml"))
    found: dict[str, str | float] = {}
    for cell in root.iter(f"{space}c"):
        value = cell.findtext(f"{space}v")
        if value is not None:
            found[cell.attrib["r"]] = texts[int(value)] if cell.get("t") == "s" else float(value)
    return found


@pytest.mark.parametrize(
    "query",
    [{"from": "31/01/2026"}, {"direction": "tutte"}, {"format": "pdf"}, {"from": "2026-02-01", "to": "2026-01-01"}],
    ids=["day", "direction", "format", "period"],
)
async def test_a_wrong_question_is_told(query: dict[str, Any], books: Books) -> None:
    assert (await books.get("invoices_export", **query)).status_code == 400
