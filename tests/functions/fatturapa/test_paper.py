"""The invoice as paper: the figures stand on it, long tables go on with their headings, and nothing breaks it."""

from __future__ import annotations

from dataclasses import replace

import pypdfium2  # type: ignore[import-untyped]
import pytest

from functions._shared import fatturapa
from functions._shared.fatturapa import paper
from functions._shared.fatturapa.model import Extra, Invoice, Stamp
from functions._shared.fatturapa.totals import with_totals
from tests.functions.fatturapa import samples, signing
from tests.functions.fatturapa.samples import exempt, invoice, line, summary


def pages(of: Invoice) -> list[str]:
    """The text of each page."""
    with pypdfium2.PdfDocument(paper.pdf(with_totals(of))) as document:
        return [page.get_textpage().get_text_bounded().replace("\r\n", "\n") for page in document]


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_every_kind_fits_on_paper(name: str) -> None:
    for made in samples.SAMPLES[name]():
        (sheet,) = pages(made)
        for words in (made.number, made.supplier.name, made.customer.name, "pagina 1 di 1"):
            assert str(words) in sheet


def test_the_figures_of_a_professional_stand_on_it() -> None:
    (sheet,) = pages(samples.professional())
    for words in (
        "Parcella", "del 10/11/2026", "Progetto esecutivo, «lotto 1» & perizia", "1.040,00", "228,80", "1.268,80 €",
        "-200,00 €", "1.068,80 €", "IBAN IT60 X054 2811 1010 0000 0123 456", "10/12/2026", "Onorario per il progetto",
        "Codice destinatario ABC1234", "Ritenuta persone fisiche 20 %, causale A",
    ):  # fmt: skip
        assert words in sheet.replace("\ncausale", " causale")


@pytest.mark.parametrize(
    ("stamped", "sums", "note"),
    [
        (exempt("N2.2", stamp=Stamp(True, 200)), False, "a carico di chi emette: non è nel totale."),
        (
            replace(exempt("N2.2", stamp=Stamp(True, 200)), stated_total_cents=50_200),
            True,
            "Imposta di bollo di 2,00 € assolta in modo virtuale, addebitata nel totale.",
        ),
        (
            exempt(
                "N2.2",
                lines=(
                    line(1, "500.00", rate="0.00", nature="N2.2"),
                    line(2, "2.00", rate="0.00", nature="N2.2", description="Rivalsa bollo"),
                ),
                summaries=(summary(50_200, 0, "0.00", nature="N2.2"),),
                stated_total_cents=50_200,
                stamp=Stamp(True, 200),
            ),
            False,
            "addebitata in una riga.",
        ),
        (replace(exempt("N2.2", stamp=Stamp(True, 200)), stated_total_cents=None), False, "in modo virtuale."),
    ],
)
def test_it_says_who_bears_the_stamp(stamped: Invoice, sums: bool, note: str) -> None:
    rows = paper.plain(with_totals(stamped)).splitlines()
    assert any(row.endswith(note) for row in rows)
    assert ("Imposta di bollo  2,00 €" in rows) is sums


def test_the_same_stands_in_its_text_row_by_row() -> None:
    lines = paper.plain(samples.professional()).splitlines()
    for row in (
        "1  Progetto esecutivo, «lotto 1» & perizia  1.000,00  22 %  1.000,00",
        "Ritenuta persone fisiche 20 %, causale A  -200,00 €",
        "10/12/2026  Bonifico  a Anna Verdi, IBAN IT60 X054 2811 1010 0000 0123 456, Banca di Esempio  1.068,80 €",
    ):
        assert row in lines


def test_the_signature_is_told_on_it() -> None:
    (signed,) = fatturapa.read(signing.Signer().signed(samples.as_bytes("plain")))
    assert "Firma di Anna Verdi" in pages(signed)[0]


def test_a_long_table_goes_on_with_its_headings() -> None:
    sheets = pages(invoice(lines=tuple(line(no, "1.00", "2.00") for no in range(1, 151))))
    assert len(sheets) >= 4
    assert all("Descrizione" in sheet for sheet in sheets[:3])
    assert f"pagina 2 di {len(sheets)}" in sheets[1]
    assert sum(sheet.count("Prestazione") for sheet in sheets) == 150


def test_nothing_that_people_write_breaks_the_paper() -> None:
    hostile = "<b>&amp;</para> €uro ’“”… Łódź 漢字 \x85 " + "x" * 300
    extras = tuple(Extra("DATO", hostile, None, None) for _ in range(40))
    party = replace(samples.COMPANY, name=hostile)
    sheets = pages(
        invoice(customer=party, reasons=(hostile,) * 5, lines=(line(1, "1000.00", description=hostile, extras=extras),))
    )
    assert "<b>&amp;</para> €uro ’“”… Łódz ??" in sheets[0].replace("\n", " ")
    assert sum(sheet.count("DATO") for sheet in sheets) == 40


def test_an_empty_invoice_is_paper_too() -> None:
    (sheet,) = pages(
        invoice(
            number=None,
            issued_on=None,
            type_code=None,
            lines=(),
            summaries=(),
            installments=(),
            stated_total_cents=None,
        )
    )
    assert "non indicato" in sheet
