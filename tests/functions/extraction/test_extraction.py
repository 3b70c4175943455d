"""Kinds and fields of text pages, on samples that the rules were made with and on samples that they were not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from functions._shared import extraction
from functions._shared.extraction import Correction, Field, Page, Word
from tests.functions.extraction import accuracy, reading, samples
from tests.functions.extraction.samples import CLEAN, SCANS, Spoiling

LAYOUTS = [*samples.INVOICES, *samples.OTHERS]
# Layouts as scans, each spoiled another way: a handful, for recognition takes seconds a page.
SCANNED = (("letterhead", "skewed"), ("boxes", "faint"), ("professional", "photographed"), ("till_receipt", "clean"))


def typed(*lines: str, misread: str = "") -> list[Page]:
    """A page of typewriter letters; places are those of the characters."""
    words = []
    for row, line in enumerate(lines):
        at = 0
        for part in line.split(" "):
            if part:
                place = 400 + at * 85, 300 + row * 160
                words.append(
                    Word(part, *place, place[0] + len(part) * 85, place[1] + 110, 71 if part == misread else 100)
                )
            at += len(part) + 1
    return [Page(1, 595, 842, words)]


def found(*lines: str, corrections: tuple[Correction, ...] = ()) -> dict[str, Field]:
    fields = extraction.fields(typed(*lines), "fattura", corrections)
    assert len({field.key for field in fields}) == len(fields)
    return {field.key: field for field in fields}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_kind_and_fields_of_a_text_layer_are_all_right(layout: str) -> None:
    for seed in (1, 2):
        sample = samples.sample(layout, seed)
        pages = reading.text_pages(sample.pdf)
        kind = extraction.classify(pages)
        assert (kind.kind, accuracy.mistakes(sample, pages)) == (sample.kind, {})
        assert kind.confidence >= 0.7
        assert kind.rule
        for field in extraction.fields(pages, sample.kind):
            x0, y0, x1, y1 = field.box
            assert 0 <= x0 < x1 <= 10_000
            assert 0 <= y0 < y1 <= 10_000


@pytest.mark.long
@pytest.mark.parametrize(("layout", "spoiling"), SCANNED)
def test_fields_of_a_scan_are_right(layout: str, spoiling: str) -> None:
    sample = samples.sample(layout, 1)
    how = SCANS[spoiling]
    pages = reading.scanned_pages(samples.pictures(sample.pdf, how), how.dpi)
    assert extraction.classify(pages).kind == sample.kind
    assert accuracy.mistakes(sample, pages) == {}


def test_a_page_that_lies_on_its_side_is_read_as_it_should_stand() -> None:
    """Words come in reading order, their places are those of the page as it is shown."""
    pages = typed("Fattura n. 12/2026 del 12/11/2026", "Imponibile 100,00", "IVA 22% 22,00", "Totale fattura 122,00")
    turned = [Word(w.text, 10_000 - w.y1, w.x0, 10_000 - w.y0, w.x1, w.confidence) for w in pages[0].words]
    fields = {field.key: field.value for field in extraction.fields([Page(1, 842, 595, turned)], "fattura")}
    assert (fields["number"], fields["total"]) == ("12/2026", "12200")


def test_sums_that_agree_are_sure_and_sums_that_do_not_are_doubted() -> None:
    right = found("Imponibile 1.000,00", "IVA 22% 220,00", "Totale fattura 1.220,00")
    wrong = found("Imponibile 1.000,00", "IVA 22% 220,00", "Totale fattura 1.280,00")
    assert all(right[key].confidence >= 0.95 for key in ("net", "vat", "total"))
    assert all(wrong[key].confidence < 0.8 for key in ("net", "vat", "total"))


def test_a_digit_that_was_misread_is_mended_by_the_sum_and_still_doubted() -> None:
    """Paper is quoted as it is; a scan's worst word may be what the others make it."""
    lines = ("Imponibile 1.000,00", "IVA 22% 220,00", "Totale fattura 1.280,00")
    scanned = extraction.fields(typed(*lines, misread="1.280,00"), "fattura")
    total = next(field for field in scanned if field.key == "total")
    assert (total.value, total.confidence < 0.8) == ("122000", True)
    assert found(*lines)["total"].value == "128000"


@pytest.mark.parametrize(
    "written", ["1.250,00", "1 250,00", "1250,00", "l.250,00", "1.25O,00", "EUR 1.250,00", "€1.250,00", "1.250,00€"]
)
def test_an_amount_is_read_however_it_is_written(written: str) -> None:
    assert found(f"Totale fattura {written}")["total"].value == "125000"


@pytest.mark.parametrize(
    "written", ["-1.250,00", "1.250,00-", "1.250,00 -", "1.250,00- EUR", "1.250,00€-", "(1.250,00)", "( € 1.250,00 )"]
)
def test_an_amount_is_negative_wherever_its_sign_stands(written: str) -> None:
    assert found(f"Totale fattura {written}")["total"].value == "-125000"


@pytest.mark.parametrize(
    "written",
    ["1.250,00 - bonifico", "1.250,00-bonifico", "1.250,00 - 30,00", "1.250,00 (1.000,00)", "(1.250,00 + bollo)"],
)
def test_a_dash_or_a_bracket_that_is_no_sign_makes_no_amount_negative(written: str) -> None:
    assert found(f"Totale fattura {written}")["total"].value == "125000"


@pytest.mark.parametrize(
    "written",
    [
        "12/11/2026", "12.11.26", "12-11-2026", "12 novembre 2026", "l2/11/2026",
        "November 12, 2026", "Nov. 12th 2026", "12 November, 2026",
    ],
)  # fmt: skip
def test_a_day_is_read_however_it_is_written(written: str) -> None:
    assert found("Fattura n. 7", f"Data documento: {written}")["issued_on"].value == "2026-11-12"


def test_an_english_invoice_is_read_as_an_italian_one() -> None:
    fields = found(
        "Acme Cloud Inc.", "INVOICE", "Invoice number: INV-2026-0042", "Invoice date: November 12, 2026",
        "Due date: December 12, 2026", "Subtotal 1,500.00", "Tax 330.00", "Total USD 1,830.00",
        "Amount due USD 1,830.00",
    )  # fmt: skip
    keys = ("number", "issued_on", "due_on", "net", "vat", "total", "due", "currency")
    assert [fields[key].value for key in keys] == [
        "INV-2026-0042", "2026-11-12", "2026-12-12", "150000", "33000", "183000", "183000", "USD",
    ]  # fmt: skip
    assert all(fields[key].confidence >= 0.8 for key in keys)


@pytest.mark.parametrize(
    ("written", "currency", "sure"),
    [
        ("04/03/2026", "USD", False),
        ("04/03/2026", "EUR", True),
        ("04/04/2026", "USD", True),
        ("14/03/2026", "USD", True),
        ("2026-03-04", "USD", True),
        ("4 March 2026", "USD", True),
    ],
)
def test_a_day_that_americans_read_as_another_is_doubted_in_dollars(written: str, currency: str, sure: bool) -> None:
    fields = found("Invoice number: 7", f"Invoice date: {written}", f"Total {currency} 100.00")
    assert (fields["issued_on"].confidence >= 0.8) == sure


@pytest.mark.parametrize(("number", "sure"), [("Numero di partita IVA: IE3668997OH", False), ("Dublin 2", True)])
def test_the_only_italian_number_beside_a_foreign_one_may_be_the_readers(number: str, sure: bool) -> None:
    fields = found("Cloud Limited", number, "Fattura", "Numero fattura: 7", "P.IVA: IT01234560157")
    assert fields["vat_number"].value == "01234560157"
    assert (fields["vat_number"].confidence >= 0.8) == sure


HEAD = ("Studio Verdi", "P.IVA 01234560157", "Fattura n. 5/2026", "Data fattura: 16/11/2026")
SUM = "Totale fattura 1.000,00"


@pytest.mark.parametrize(
    ("written", "number", "sure"),
    [
        ("P.IVA DE123456789", "DE123456789", True),
        ("USt-IdNr. ATU12345678", "ATU12345678", True),
        ("VAT: DE 123 456 789", "DE123456789", True),
        ("VAT HR 01234560157", "HR01234560157", True),
        ("N. TVA FR 40 303265045", "FR40303265045", True),
        ("VAT number CHE-123.456.789", "CHE123456789", True),
        ("Partita IVA cliente: 09876540155", "09876540155", True),
        ("NL123456789B01", "NL123456789B01", False),
        ("24121 Bergamo BG 035 123456", None, False),
        ("IBAN BE68 5390 0754 7035", None, False),
    ],
)
def test_a_customer_from_abroad_has_the_number_of_there(written: str, number: str | None, sure: bool) -> None:
    fields = found(*HEAD, "Spett.le Müller GmbH", "Hauptstr. 5, Berlin", written, "", SUM)
    assert (fields["vat_number"].value, fields["customer"].value) == ("01234560157", "Müller GmbH")
    told = fields.get("customer_vat_number")
    assert (told and told.value, bool(told and told.confidence >= 0.8)) == (number, sure)


def test_a_supplier_from_abroad_has_the_number_of_there() -> None:
    reader = ("Bill to: Studio Verdi", "P.IVA 01234560157")
    fields = found("Cloud GmbH", "USt-IdNr.: DE123456789", "Fattura n. 5/2026", *reader, "", SUM)
    assert (fields["vat_number"].value, fields["customer_vat_number"].value) == ("DE123456789", "01234560157")
    assert fields["vat_number"].confidence >= 0.8
    # Without its label it may be anything.
    assert "vat_number" not in found("Cloud GmbH", "Ordine DE123456789", "Fattura n. 5/2026", *reader, "", SUM)


def test_a_number_from_abroad_is_as_sure_as_it_was_read() -> None:
    lines = ("Cloud GmbH", "VAT: DE123456789", "Fattura n. 5/2026", SUM)
    (page,) = typed(*lines)
    words = [replace(each, confidence=60) if "DE" in each.text else each for each in page.words]
    pages = [replace(page, words=words)]
    (told,) = [each for each in extraction.fields(pages, "fattura") if each.key == "vat_number"]
    assert (told.value, told.confidence < 0.8) == ("DE123456789", True)


def test_the_total_is_the_documents_and_what_is_left_to_pay_its_own() -> None:
    fields = found(
        "Imponibile 1.000,00", "IVA 22% 220,00", "Totale documento 1.220,00",
        "Ritenuta d'acconto 20% -200,00", "Netto a pagare 1.020,00",
    )  # fmt: skip
    values = {key: field.value for key, field in fields.items()}
    assert values == {"net": "100000", "vat": "22000", "total": "122000", "withholding": "20000", "due": "102000"}


@pytest.mark.parametrize(
    ("title", "sure"),
    [
        ("NOTA DI CREDITO n. 5/2026", True),
        ("Nota di accredito n. 5/2026", True),
        ("STORNO FATTURA n. 5/2026", False),
        ("Fattura n. 5/2026", None),
        ("Parcella n. 5/2026", None),
    ],
)
def test_a_credit_note_says_so_in_its_title(title: str, sure: bool | None) -> None:
    pages = typed("Fornitura Rossi Srl", title, "Imponibile 100,00", "IVA 22% 22,00", "Totale 122,00")
    assert extraction.classify(pages).kind == "fattura"
    told = {field.key: field for field in extraction.fields(pages, "fattura")}.get("type_code")
    assert (told.value, told.confidence >= 0.8) == ("TD04", sure) if told else sure is None


def test_an_invoice_that_mentions_a_credit_note_is_doubted_only() -> None:
    told = found("Fattura n. 5/2026", "Nota di credito n. 3 compensata", "Totale fattura 122,00")["type_code"]
    assert (told.value, told.confidence < 0.8) == ("TD04", True)


@pytest.mark.parametrize(
    ("total", "other", "currency", "sure"),
    [
        ("USD 1,220.00", "", "USD", True),
        ("$1,220.00", "", "USD", True),
        ("1.220,00 £", "", "GBP", True),
        ("CHF 1'220.00", "", "CHF", True),
        ("USD 1,220.00 (EUR 1.110,00)", "", "USD", False),
        ("USD 1,220.00", "Cambio: 1 EUR = 1,10 USD", "USD", False),
        ("1,220.00", "Importi in USD", "USD", False),
        ("1.220,00 €", "Carta regalo da $50", None, True),
        ("1.220,00", "Canone in euro, un tempo $50", None, True),
        ("1.220,00", "", None, True),
    ],
)
def test_a_total_is_of_the_currency_beside_it(total: str, other: str, currency: str | None, sure: bool) -> None:
    fields = found("Fattura n. 7/2026", other, "Imponibile 1.000,00", "IVA 22% 220,00", f"Totale fattura {total}")
    assert fields["total"].value == "122000"
    assert (fields["currency"].value if "currency" in fields else None) == currency
    assert {field.confidence >= 0.8 for key, field in fields.items() if key in ("currency", "total")} == {sure}


def test_a_sign_on_a_scan_may_be_another() -> None:
    lines = ("Fattura n. 7", "Imponibile 1.000,00", "IVA 22% 220,00", "Totale fattura £1.220,00")
    for other, expected in (("", ("GBP", False)), ("Importi in euro", None)):
        fields = extraction.fields(typed(*lines, other, misread="£1.220,00"), "fattura")
        told = next((field for field in fields if field.key == "currency"), None)
        assert (told and (told.value, told.confidence >= 0.8)) == expected


def test_one_of_several_days_of_payment_is_doubted() -> None:
    one = found("Fattura n. 7", "Scadenza: 30/11/2026", "Scadenza: 30/11/2026")["due_on"]
    two = found("Fattura n. 7", "Scadenza: 30/11/2026", "Scadenza: 31/12/2026")["due_on"]
    assert (one.confidence >= 0.8, two.value, two.confidence < 0.8) == (True, "2026-11-30", True)


def test_a_label_that_was_taught_counts_before_all_others() -> None:
    lines = ("P.IVA 01234560157", "Totale fattura 500,00", "Importo convenuto 450,00")
    taught = (Correction("01234560157", "total", "Importo convenuto"), Correction("00000000000", "total", "Altro"))
    assert found(*lines)["total"].value == "50000"
    told = found(*lines, corrections=taught)["total"]
    assert (told.value, told.label) == ("45000", "Importo convenuto")
    assert found(*lines, corrections=taught[1:])["total"].value == "50000"


def test_a_name_that_resembles_a_label_is_a_name() -> None:
    fields = found(
        "Forniture Rossi S.r.l.", "P.IVA 01234560157", "Spett.le Cliente", "Impianti Verdi SRL", "Fattura n. 3"
    )
    assert (fields["supplier"].value, fields["customer"].value) == ("Forniture Rossi S.r.l.", "Impianti Verdi SRL")


def test_a_document_of_identity_tells_nothing_but_its_end() -> None:
    sample = samples.sample("identity_card")
    assert [field.key for field in extraction.fields(reading.text_pages(sample.pdf), sample.kind)] == ["due_on"]


def test_pages_without_words_are_of_no_kind_and_have_no_fields() -> None:
    blank = [Page(1, 595, 842)]
    assert extraction.classify([]).kind == extraction.classify(blank).kind == "altro"
    assert extraction.fields([], "fattura") == extraction.fields(blank, "fattura") == []


def test_spoiling_keeps_the_size_of_a_picture() -> None:
    pdf = samples.sample("boxes").pdf
    assert samples.pictures(pdf, CLEAN)[0].size == samples.pictures(pdf, Spoiling(skew=4, perspective=0.03))[0].size
