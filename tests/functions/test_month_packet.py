"""`month_packet`: one ZIP with a month's files, its register and what is missing; of the caller alone."""

from __future__ import annotations

import csv
import hashlib
import io
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import unquote
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.db import documents, goals
from tests.functions.documents.conftest import Desk, opened

pytestmark = pytest.mark.anyio
MONTH = "2026-10"
OWNER = "Rossi & Figli / srl"


@dataclass
class Office(Desk):
    """A desk whose papers were read already."""

    async def file(self, filename: str, content: bytes | None, **columns: Any) -> UUID:
        """Add a document, and its file unless that is lost."""
        # A key of the storage is ASCII; the name of the document is what its owner calls it.
        path = f"{self.user_id}/{uuid4()}/a" if content is None else await self.upload(content, "a")
        async with db.connection(self.resources.pool) as connection:
            return await documents.document(
                connection, self.user_id, filename=filename, storage_path=path, **{"kind": "fattura", **columns}
            )

    async def invoice(self, filename: str, content: bytes | None, *bodies: dict[str, Any], **columns: Any) -> UUID:
        """Add a document with its invoices."""
        document_id = await self.file(filename, content, **columns)
        async with db.connection(self.resources.pool) as connection:
            await documents.store_invoices(connection, document_id, *bodies)
        return document_id

    async def get(self, **query: str) -> httpx.Response:
        return await self.http.get("/functions/v1/month_packet", params=query, headers=self.headers)

    async def do(self, sql: str, *arguments: Any) -> list[Any]:
        async with db.connection(self.resources.pool) as connection:
            return await connection.fetch(sql, *arguments)


@pytest.fixture
async def office(resources: Resources) -> AsyncIterator[Office]:
    async with opened(resources) as desk:
        yield Office(desk.resources, desk.http, desk.user_id)


def issued(number: str, day: int, cents: int, **told: Any) -> dict[str, Any]:
    """Return an issued invoice of October with 22 % of VAT."""
    net = round(cents / 1.22)
    amounts = {"net_cents": net, "vat_cents": cents - net, "total_cents": cents}
    known = {"direction": "attiva", "number": number, "issued_on": f"2026-10-{day:02}", "counterparty_name": "Neri spa"}
    return {**known, **amounts, **told}


async def _fill(office: Office) -> None:
    await office.do(
        "update public.profiles set business_name = $2, vat_number = '12345670157', tax_regime = 'forfettario',"
        """ address = '{"street": "Via Po 3", "city": "Bologna", "province": "BO"}' where user_id = $1""",
        office.user_id,
        OWNER,
    )
    name = '=HYPERLINK("http://example.com")'
    stamped = {"stamp": {"virtual": True, "amount_cents": 200}, "customer": {"tax_code": "RSSMRA80A01H501U"}}
    await office.invoice(
        "IT1.xml", b"<one/>",
        issued("1/2026", 1, 122_000, paid_on="2026-10-20", content=stamped, counterparty_vat="01234560157"),
        issued("5/2026", 2, 61_000, counterparty_name=name),
    )  # fmt: skip
    # The same invoice again, on paper; a credit note whose file is lost; one of another month; one in the trash.
    await office.invoice("stampa.pdf", b"%PDF one", issued("1/2026", 1, 122_000))
    await office.invoice("IT4.xml", None, issued("4/2026", 31, 24_400, type_code="TD04"))
    await office.invoice("IT5.xml", b"<five/>", issued("6/2026", 1, 99_900, issued_on="2026-11-01"))
    await office.invoice("IT6.xml", b"<six/>", issued("3/2026", 5, 99_900), deleted_at=office.resources.now())
    received = {"direction": "passiva", "counterparty_name": "Bianchi srl"}
    await office.invoice("IT7.XML.P7M", b"signed", issued("77", 9, 50_000, **received))
    await office.invoice("IT7.xml", None, issued("77", 9, 50_000, **received))
    dollars = {**received, "currency": "USD", "net_cents": None, "vat_cents": None}
    await office.invoice("usd.pdf", b"%PDF usd", issued("9", 10, 10_000, **dollars))
    await office.invoice("td17.xml", b"<self/>", issued("A1", 11, 20_000, **received, type_code="TD17"))
    # What an accountant wants besides, and what not.
    shop = {"supplier": {"name": "Bar Roma"}, "issued_on": date(2026, 10, 3)}
    for content in (b"coffee", b"tea"):
        await office.file("scontrino.jpg", content, kind="ricevuta", **shop)
    await office.file("f24 ottobre.pdf", b"%PDF f24", kind="f24", issued_on=date(2026, 10, 16))
    bank = "Sembra un estratto conto: «Saldo iniziale»"
    await office.file("banca.pdf", b"%PDF bank", kind="altro", kind_rule=bank, issued_on=date(2026, 10, 31))
    await office.file("dubbia.pdf", b"%PDF doubt", issued_on=date(2026, 10, 12))
    await office.file("preventivo.pdf", b"%PDF quote", kind="preventivo", issued_on=date(2026, 10, 12))
    await office.file("vecchia.pdf", b"%PDF old", kind="ricevuta", issued_on=date(2026, 9, 30))


FILES = {
    "emesse/2026-10-01 Fattura 1-2026 Neri spa.xml": b"<one/>",
    "emesse/2026-10-01 Fattura 1-2026 Neri spa.pdf": b"%PDF one",
    "ricevute/2026-10-09 Fattura 77 Bianchi srl.xml.p7m": b"signed",
    "ricevute/2026-10-10 Fattura 9 Bianchi srl.pdf": b"%PDF usd",
    "altri-documenti/2026-10-16 f24 ottobre.pdf": b"%PDF f24",
    "altri-documenti/2026-10-31 Estratto conto banca.pdf": b"%PDF bank",
    "da-registrare/2026-10-12 Fattura dubbia.pdf": b"%PDF doubt",
}


async def test_a_month_is_one_file_with_its_papers_its_register_and_its_gaps(office: Office) -> None:
    await _fill(office)
    async with opened(office.resources) as other:
        stranger = Office(other.resources, other.http, other.user_id)
        await stranger.invoice("fremd.xml", b"<theirs/>", issued("1", 1, 500))
        theirs = zipfile.ZipFile(io.BytesIO((await stranger.get(month=MONTH)).content))
    assert [name for name in theirs.namelist() if "/" in name] == ["emesse/2026-10-01 Fattura 1 Neri spa.xml"]
    answer = await office.get(month=MONTH)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    name = unquote(answer.headers["content-disposition"].partition("UTF-8''")[2])
    assert name == "Pacchetto-2026-10-Rossi-Figli-srl.zip"
    packet = zipfile.ZipFile(io.BytesIO(answer.content))
    assert packet.testzip() is None
    assert len(set(packet.namelist())) == len(packet.namelist())
    files = {name: packet.read(name) for name in packet.namelist() if "/" in name}
    receipts = {name: files.pop(name) for name in sorted(files) if "Bar Roma" in name}
    assert list(receipts) == [f"altri-documenti/2026-10-03 Ricevuta Bar Roma{no}.jpg" for no in (" (2)", "")]
    assert set(receipts.values()) == {b"coffee", b"tea"}
    self_invoice = next(name for name, content in files.items() if content == b"<self/>")
    assert self_invoice.startswith("ricevute/2026-10-11 ")
    del files[self_invoice]
    assert files == FILES
    for line in packet.read("impronte.sha256").decode().splitlines():
        digest, of = line.split("  ", 1)
        assert hashlib.sha256(packet.read(of)).hexdigest() == digest
    await _assert_register(office, packet)
    readme = packet.read("LEGGIMI.txt").decode()
    assert readme.startswith(f"Pacchetto per il commercialista: ottobre 2026\n\n{OWNER}\nPartita IVA: 12345670157\n")
    for line in (
        "Regime: Forfettario", "Sede: Via Po 3, Bologna (BO)",
        "  emesse: 2 file", "  ricevute: 3 file", "  da-registrare: 1 file", "  altri-documenti: 4 file",
        "  Emesse: 3 fatture, imponibile 1.300,00 €, IVA 286,00 €, bollo 2,00 €, totale 1.586,00 €",
        "  Ricevute: 1 fattura, totale 100,00 USD (imponibile non noto per 1)",
        "  Non ancora nel registro, e in nessuna somma: dubbia.pdf.",
        "  Numeri che mancano nella serie: 2/2026, 3/2026.",
        "    emesse/2026-10-31 Nota di credito 4-2026 Neri spa.xml",
        "    ricevute/2026-10-09 Fattura 77 Bianchi srl.xml",
    ):  # fmt: skip
        assert line in readme.splitlines(), readme
    async with db.connection(office.resources.pool) as connection:
        told = await goals.as_person(connection, office.user_id, "month_packet", date(2026, 10, 31))
    # Of 77 another file is there.
    assert [each["body"] for each in told["findings"] if each["kind"] == "file"] == [
        "Senza il file originale: 4/2026 (Neri spa)."
    ]


async def _assert_register(office: Office, packet: zipfile.ZipFile) -> None:
    text = packet.read("registro.csv").decode()
    assert text.startswith("\ufeffDirezione;")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=";"))
    by_number = {(row["Numero"], row["Avviso"]): row for row in rows if row["Numero"]}
    assert len(by_number) == len([row for row in rows if row["Numero"]]) == 8
    first = by_number["1/2026", ""]
    assert first == {
        **dict.fromkeys(("Ritenute", "Avviso"), ""),
        "Direzione": "Emessa",
        "Tipo di documento": "Fattura",
        "Numero": "1/2026",
        "Data": "01/10/2026",
        "Cliente o fornitore": "Neri spa",
        "Partita IVA": "01234560157",
        "Codice fiscale": "RSSMRA80A01H501U",
        "Imponibile": "1000,00",
        "Imposta": "220,00",
        "Bollo": "2,00",
        "Totale documento": "1220,00",
        "Valuta": "EUR",
        "Pagata il": "20/10/2026",
        "Stato": "Pagata",
        "File": "emesse/2026-10-01 Fattura 1-2026 Neri spa.xml",
    }
    assert by_number["5/2026", ""]["Cliente o fornitore"].startswith("'=HYPERLINK")
    assert by_number["5/2026", ""]["File"] == first["File"]
    assert by_number["1/2026", "Doppia: è già in «IT1.xml»"]["Totale documento"] == ""
    assert (by_number["4/2026", ""]["Totale documento"], by_number["4/2026", ""]["File"]) == ("-244,00", "")
    sums = {(row["Direzione"], row["Valuta"]): row["Totale documento"] for row in rows if not row["Numero"]}
    # The register on the screen, added up.
    shown = await office.do(
        """
        select case when kind = 'autofattura' then 'Totale autofatture' when direction = 'attiva' then 'Totale emesse'
          else 'Totale ricevute' end as side, currency, sum(total_cents) as cents
        from public.invoice_register
        where user_id = $1 and deleted_at is null and twin is null and to_char(issued_on, 'YYYY-MM') = '2026-10'
        group by 1, 2
        """,
        office.user_id,
    )
    assert sums == {(row["side"], row["currency"]): f"{row['cents'] / 100:.2f}".replace(".", ",") for row in shown}
    assert len(sums) == 4


async def test_what_is_no_month_or_has_nothing_is_refused(office: Office) -> None:
    for month in ("", "2026", "2026-13", "2026-1", "0000-01", "2026-10-01", "otto"):
        answer = await office.get(month=month)
        assert (answer.status_code, answer.json()["message"]) == (400, "Il mese si scrive così: 2026-10"), month
    answer = await office.get(month="2020-02")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "febbraio 2020" in answer.json()["message"]
    path = "/functions/v1/month_packet?month=2026-10"
    unknown = {"apikey": office.resources.keys.publishable_key}
    assert (await office.http.get(path, headers=unknown)).status_code == 401
    assert (await office.http.post(path, headers=office.headers)).status_code == 405
