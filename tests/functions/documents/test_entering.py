"""Real papers at the end of their reading: sure invoices are in the register, the others wait or owe nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from backend.core import db
from tests.functions.documents import files
from tests.functions.documents.conftest import Desk
from tests.functions.documents.test_concluding import read_again
from tests.functions.extraction import samples as papers
from tests.functions.fatturapa import builder, samples

pytestmark = pytest.mark.anyio

OWN = "01234567897"
INVOICE = (
    "Fornitura Rossi Srl",
    "P.IVA 09876540155",
    "FATTURA n. 5/2026",
    "Data documento: 16/11/2026",
    "Imponibile 1.000,00",
    "IVA 22% 220,00",
    "Totale fattura 1.220,00",
    "Scadenza: 16/12/2026",
)


async def as_owner(desk: Desk, query: str, *arguments: Any) -> list[Any]:
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        return list(await connection.fetch(query, *arguments))


async def know_owner(desk: Desk) -> None:
    await as_owner(desk, "update public.profiles set vat_number = $1", OWN)


async def entries(desk: Desk) -> list[tuple[Any, ...]]:
    rows = await as_owner(
        desk,
        "select direction::text, number, issued_on::text, total_cents, is_automatic from public.invoice_register"
        " where twin is null order by number",
    )
    return [tuple(row) for row in rows]


async def waiting(desk: Desk) -> list[tuple[Any, ...]]:
    rows = await as_owner(desk, "select filename, total_cents, gaps from public.unregistered_documents()")
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("layout", ["modern", "utility"])
async def test_an_invoice_or_a_bill_to_its_owner_enters_the_register_when_it_is_read(desk: Desk, layout: str) -> None:
    await know_owner(desk)
    paper = papers.sample(layout)
    truth = paper.truth
    document = await desk.drop(paper.pdf, "fattura.pdf")
    await desk.read()
    # It is made out to somebody else.
    assert (await entries(desk), await waiting(desk)) == ([], [("fattura.pdf", int(truth["total"]), ["direction"])])
    await as_owner(
        desk,
        "update public.profiles set vat_number = (select value from public.document_fields where key = $1)",
        "customer_vat_number",
    )
    await read_again(desk, document)
    assert await entries(desk) == [("passiva", truth["number"], truth["issued_on"], int(truth["total"]), True)]
    assert await waiting(desk) == []


async def test_papers_that_nobody_owes_stay_out_and_a_doubtful_invoice_waits(desk: Desk) -> None:
    await know_owner(desk)
    for title in (
        "SOLLECITO DI PAGAMENTO fattura n. 5/2026",
        "PREVENTIVO n. 5/2026",
        "DOCUMENTO DI TRASPORTO n. 5/2026",
    ):
        await desk.drop(files.pdf([[*INVOICE[:2], title, *INVOICE[3:]]]), f"{title[:9]}.pdf")
    for layout in ("till_receipt", "contract", "proforma"):
        await desk.drop(papers.sample(layout).pdf, f"{layout}.pdf")
    await desk.drop(files.pdf([[*INVOICE[:6], INVOICE[7]]]), "senza totale.pdf")
    await desk.read()
    assert await entries(desk) == []
    assert [filename for filename, _, _ in await waiting(desk)] == ["senza totale.pdf"]


async def test_a_paper_that_was_taken_out_stays_out_when_it_is_read_again(desk: Desk) -> None:
    await know_owner(desk)
    document = await desk.drop(files.pdf([INVOICE]), "fattura.pdf")
    await desk.read()
    assert await entries(desk) == [("passiva", "5/2026", "2026-11-16", 122_000, True)]
    await as_owner(desk, "select public.leave_out_of_register($1)", document)
    await read_again(desk, document)
    assert (await entries(desk), await waiting(desk)) == ([], [])


async def test_the_electronic_invoice_and_its_pdf_count_once(desk: Desk) -> None:
    await know_owner(desk)
    supplier = replace(samples.invoice().supplier, name="FORNITURA ROSSI SRL", vat_number="09876540155")
    invoice = replace(samples.invoice(), number="5/2026", issued_on=date(2026, 11, 16), supplier=supplier)
    await desk.drop(builder.written([invoice]).encode(), "5.xml", "application/xml")
    await desk.read()
    await desk.drop(files.pdf([INVOICE]), "fattura.pdf")
    await desk.read()
    assert await entries(desk) == [("passiva", "5/2026", "2026-11-16", 122_000, False)]
    assert await waiting(desk) == []
