"""What does not fit in an invoice is found, with its figures; what fits, or may fit, is left in peace."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from functions._shared import fatturapa
from functions._shared.fatturapa.identities import is_iban
from functions._shared.fatturapa.model import (
    Address,
    Discount,
    Extra,
    Invoice,
    Party,
    Signature,
    Stamp,
    Summary,
    Withholding,
)
from functions._shared.fatturapa.totals import with_totals
from tests.functions.fatturapa import builder, samples
from tests.functions.fatturapa.samples import exempt, installment, invoice, line, simplified, summary

TODAY = date(2026, 11, 21)


def found(made: Invoice) -> list[tuple[str, str]]:
    """Code and severity of what is found in the file of this invoice."""
    (read,) = fatturapa.read(builder.written([made]).encode(), today=TODAY)
    return [(each.code, each.severity) for each in read.findings]


def texts(made: Invoice) -> str:
    """All sentences."""
    (read,) = fatturapa.read(builder.written([made]).encode(), today=TODAY)
    return " ".join(each.text for each in read.findings)


def party(of: Party, **fields: Any) -> Party:
    return replace(of, **fields)


FAULTY: dict[str, tuple[Invoice, str, str, str]] = {
    "a line that does not multiply": (
        invoice(lines=(line(1, "500.00", "2.00", total="990.00"), line(2, "10.00"))),
        "riga",
        "avviso",
        "Riga 1: prezzo per quantità fa 1.000,00 €, ma il totale è 990,00 €.",
    ),
    "lines and summary apart": (
        invoice(lines=(line(1, "1100.00"),)),
        "imponibile",
        "errore",
        "Riepilogo, aliquota 22 %: l’imponibile è 1.000,00 €, ma le righe fanno 1.100,00 €.",
    ),
    "lines and summary nearly together": (
        invoice(lines=(line(1, "1000.40"),)),
        "imponibile",
        "avviso",
        "ma le righe fanno 1.000,40 €",
    ),
    "a rate without summary": (
        invoice(lines=(line(1, "1000.00"), line(2, "50.00", rate="10.00"))),
        "riepilogo_mancante",
        "errore",
        "Ci sono righe per 50,00 € (aliquota 10 %)",
    ),
    "a wrong tax": (
        invoice(
            summaries=(summary(100_000, 20_000),),
            stated_total_cents=120_000,
            installments=(installment(1, 120_000, TODAY),),
        ),
        "imposta",
        "errore",
        "Il 22 % di 1.000,00 € fa 220,00 €, ma l’imposta indicata è 200,00 €.",
    ),
    "a wrong total": (
        invoice(stated_total_cents=123_000, installments=(installment(1, 123_000, date(2026, 12, 1)),)),
        "totale",
        "errore",
        "Il totale del documento è 1.230,00 €, ma imponibile 1.000,00 €, imposta 220,00 € fanno 1.220,00 €.",
    ),
    "payments without the withholding": (
        replace(samples.professional(), installments=(installment(1, 126_880, date(2026, 12, 1)),)),
        "pagamenti",
        "avviso",
        "fanno 1.268,80 €, ma da pagare risultano 1.068,80 € (totale 1.268,80 € meno ritenute 200,00 €)",
    ),
    "a wrong vat number": (
        invoice(supplier=party(samples.STUDIO, vat_number="12345670158")),
        "partita_iva",
        "errore",
        "La partita IVA di chi vende, 12345670158, non è valida",
    ),
    "a wrong tax code": (
        invoice(customer=party(samples.COMPANY, tax_code="VRDNNA80A41H501X")),
        "codice_fiscale",
        "avviso",
        "Il codice fiscale di chi compra",
    ),
    "a wrong iban": (
        invoice(installments=(installment(1, 122_000, date(2026, 12, 1), iban="IT61X0542811101000000123456"),)),
        "iban",
        "errore",
        "L’IBAN IT61X0542811101000000123456 non è valido",
    ),
    "no stamp": (
        exempt("N4"),
        "bollo_mancante",
        "avviso",
        "Ci sono 500,00 € senza IVA, più di 77,47 €",
    ),
    "no due date": (
        invoice(installments=(installment(1, 122_000, None),)),
        "scadenza_mancante",
        "nota",
        "La rata 1 di 1.220,00 € non ha una scadenza.",
    ),
    "days, but not from when": (
        invoice(installments=(installment(1, 122_000, None, terms_days=60),)),
        "scadenza_mancante",
        "nota",
        "dice 60 giorni, ma non da quando",
    ),
    "no word about payment": (invoice(installments=()), "scadenza_mancante", "nota", "né come né entro quando"),
    "a date in the future": (
        invoice(issued_on=date(2026, 12, 24)),
        "data_futura",
        "avviso",
        "La data della fattura, 24/12/2026, è nel futuro.",
    ),
    "a nature with a rate": (
        invoice(lines=(line(1, "1000.00", nature="N6.7"),), summaries=(summary(100_000, 22_000, nature="N6.7"),)),
        "natura_con_aliquota",
        "errore",
        "aliquota IVA del 22 % insieme alla natura N6.7",
    ),
    "zero without a nature": (
        invoice(
            lines=(line(1, "50.00", rate="0.00"),),
            summaries=(summary(5_000, 0, "0.00"),),
            stated_total_cents=5_000,
            installments=(installment(1, 5_000, TODAY),),
        ),
        "natura_mancante",
        "errore",
        "manca la natura",
    ),
    "a nature that was split": (exempt("N3"), "natura_generica", "avviso", "natura N3 dal 1° gennaio 2021"),
    "a split payment": (
        samples.public_office(),
        "scissione_pagamenti",
        "nota",
        "l’IVA di 220,00 € la versa chi compra, al fornitore restano 1.000,00 €.",
    ),
    "a simplified one of 500": (
        simplified(
            lines=(samples.simple_line(1, "500.00", "22.00"),),
            summaries=(summary(40_984, 9_016, due=None),),
            stated_total_cents=50_000,
        ),
        "semplificata_limite",
        "avviso",
        "arriva a 400,00 €, questa è di 500,00 €",
    ),
    "a negative credit note": (
        invoice(
            type_code="TD04",
            lines=(line(1, "-1000.00"),),
            summaries=(summary(-100_000, -22_000),),
            stated_total_cents=-122_000,
            installments=(),
        ),
        "segno",
        "avviso",
        "nota di credito è negativo (-1.220,00 €)",
    ),
    "a negative invoice": (
        invoice(
            lines=(line(1, "-1000.00"),),
            summaries=(summary(-100_000, -22_000),),
            stated_total_cents=-122_000,
            installments=(),
        ),
        "segno",
        "avviso",
        "serve una nota di credito",
    ),
    "flat rate with tax": (
        invoice(supplier=samples.FLAT_RATE),
        "forfettario_iva",
        "avviso",
        "ma qui ci sono 220,00 € di imposta",
    ),
    "flat rate with withholding": (
        replace(
            exempt("N2.2", supplier=samples.FLAT_RATE, stamp=Stamp(True, 200)),
            withholdings=(Withholding("RT01", 10_000, "20.00", "A"),),
            installments=(installment(1, 40_000, TODAY),),
        ),
        "forfettario_ritenuta",
        "avviso",
        "non subisce la ritenuta",
    ),
    "an unknown document": (invoice(type_code="TD99"), "codice_sconosciuto", "avviso", "Il tipo di documento «TD99»"),
    "the same line number": (
        invoice(lines=(line(1, "400.00"), line(1, "600.00"))),
        "riga_ripetuta",
        "nota",
        "lo stesso numero: 1",
    ),
    "nobody's customer": (
        invoice(customer=party(samples.COMPANY, vat_number=None, vat_country=None, tax_code=None)),
        "dato_mancante",
        "errore",
        "sia la partita IVA sia il codice fiscale",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_one_fault_is_one_finding_with_its_figures(name: str) -> None:
    made, code, severity, words = FAULTY[name]
    assert found(made) == [(code, severity)]
    assert words in texts(made)


RIGHT: dict[str, Invoice] = {
    "a stamp charged in the total": replace(
        exempt("N2.2", stamp=Stamp(True, 200)),
        stated_total_cents=50_200,
        installments=(installment(1, 50_200, TODAY),),
    ),
    "a cent for each line": invoice(
        lines=tuple(line(no, "33.333", total="33.34") for no in (1, 2, 3)),
        summaries=(summary(10_000, 2_200),),
        stated_total_cents=12_200,
        installments=(installment(1, 12_200, TODAY),),
    ),
    "rounding in the summary": invoice(
        lines=(line(1, "999.95"),), summaries=(replace(summary(100_000, 22_000), rounding="0.05"),)
    ),
    "extra costs": invoice(
        lines=(line(1, "990.00"),), summaries=(replace(summary(100_000, 22_000), extra_costs_cents=1_000),)
    ),
    "two discounts after each other": invoice(
        lines=(
            line(
                1,
                "625.00",
                "2.00",
                total="1000.00",
                discounts=(Discount("SC", "10.00", None), Discount("SC", "11.11111111", None)),
            ),
        )
    ),
    "an amount off the line": invoice(
        lines=(line(1, "600.00", "2.00", total="1000.00", discounts=(Discount("SC", None, "200.00"),)),)
    ),
    "the law frees it from the stamp": replace(
        exempt("N4"), lines=(line(1, "500.00", rate="0.00", nature="N4", extras=(Extra("NB2", None, None, None),)),)
    ),
    "no stamp for exports": exempt("N3.1"),
    "a total that is not stated": invoice(stated_total_cents=None),
    "cash": invoice(installments=(installment(1, 122_000, None, method="MP01", iban=None),)),
    "a foreign number is not ours to check": invoice(
        customer=Party("Nobody", "DE", "1", None, address=Address(None, None, None, None, None, "DE"))
    ),
    "flat rate, simplified, no limit": simplified(
        supplier=samples.FLAT_RATE,
        lines=(samples.simple_line(1, "500.00", None, "N2.2"),),
        summaries=(Summary(None, "N2.2", None, None, 50_000, 0, None, None),),
        stated_total_cents=50_000,
        stamp=Stamp(True, None),
    ),
    "a discount on all of it": invoice(
        discounts=(Discount("SC", "50.00", None),),
        stated_total_cents=61_000,
        installments=(installment(1, 61_000, TODAY),),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_in_its_own_way_is_left_in_peace(name: str) -> None:
    assert found(RIGHT[name]) == []


def test_what_is_to_be_paid_is_what_reaches_the_supplier() -> None:
    assert with_totals(samples.professional()).due_cents == 106_880
    assert with_totals(samples.public_office()).due_cents == 100_000
    assert with_totals(samples.self_invoice("TD17", samples.AMERICAN)).due_cents == 0
    assert with_totals(invoice(stated_total_cents=None)).total_cents == 122_000
    nothing = with_totals(invoice(summaries=(), stated_total_cents=None))
    assert (nothing.net_cents, nothing.vat_cents, nothing.total_cents, nothing.due_cents) == (None,) * 4


@pytest.mark.parametrize(
    "iban",
    ["IT60X0542811101000000123456", "DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606"],
)
def test_ibans_with_their_digits_are_right(iban: str) -> None:
    assert is_iban(iban)
    assert not is_iban(iban[:-1] + ("7" if iban[-1] != "7" else "8"))
    assert not is_iban(iban + "0")


def test_a_signature_is_only_a_finding_when_it_does_not_fit() -> None:
    signed = Signature("A", None, None, None, None, None, "Firma di A non verificata.")
    (read,) = fatturapa.read(builder.written([invoice(signature=signed)]).encode())
    assert read.signature is None
