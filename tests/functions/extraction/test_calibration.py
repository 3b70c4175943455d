"""What is sure is right: kinds and fields of the corpus, and what makes one doubtful."""

from __future__ import annotations

from itertools import islice

import pytest

from functions._shared import extraction
from functions._shared.extraction import SURE
from tests.functions.extraction import calibration, samples
from tests.functions.extraction import sample_corpus as corpus
from tests.functions.extraction.test_extraction import typed

LEAST_RIGHT, LEAST_COVERAGE = 0.99, 0.85
HEAD = ("Rossi S.r.l.", "P.IVA 01234560157", "", "Spett.le", "Verdi S.n.c.", "")
SUMS = ("Imponibile 1.000,00", "IVA 22% 220,00", "Totale 1.220,00", "IBAN IT60X0542811101000000123456")


def measure(cases: list[corpus.Case]) -> tuple[float, float, int]:
    """Return the share of the sure values that are right, the coverage, and the number of false debts."""
    documents = [calibration.judged(case, case.pages()) for case in cases]
    counts = calibration.counted(documents)
    right, sure = calibration.all_sure(counts)
    asked = sum(count.asked for count in counts.values())
    return right / sure, right / asked, sum(document.is_false_debt for document in documents)


def test_sure_values_of_held_out_papers_are_right() -> None:
    """Of those that have their text."""
    share, coverage, debts = measure([case for case in corpus.held_out() if case.scanner is None])
    assert (share >= LEAST_RIGHT, coverage >= LEAST_COVERAGE, debts) == (True, True, 0)


# A minute alone; the recognition of text has the processors for itself nowhere.
@pytest.mark.long
@pytest.mark.timeout(300)
def test_sure_values_of_held_out_scans_are_right() -> None:
    share, coverage, debts = measure(list(islice((case for case in corpus.held_out() if case.scanner), 20)))
    assert (share >= LEAST_RIGHT, coverage >= LEAST_COVERAGE, debts) == (True, True, 0)


def test_the_halves_share_no_layout_and_all_papers_are_there() -> None:
    tuned, held_out = list(corpus.tuned()), list(corpus.held_out())
    assert {case.layout for case in tuned}.isdisjoint(case.layout for case in held_out)
    assert {case.layout for case in held_out} == set(corpus.HELD_OUT)
    assert {case.layout for case in tuned} == set(samples.INVOICES) | set(samples.OTHERS)
    assert len(tuned) == len(held_out) == corpus.HALF
    kinds = {case.sample.kind for case in held_out}
    assert kinds == {"fattura", "preventivo", "contratto", "ricevuta", "f24", "altro"}


@pytest.mark.parametrize("layout", corpus.HELD_OUT)
def test_a_held_out_paper_is_the_same_for_the_same_seed(layout: str) -> None:
    one, again, other = (corpus.Case(layout, seed, None).sample for seed in (1, 1, 2))
    assert one == again
    assert one.pdf != other.pdf


@pytest.mark.parametrize(
    ("title", "text", "sure"),
    [
        ("Fattura n. 7/2026 del 12/11/2026", "", True),
        ("Bolletta n. 7/2026 del 12/11/2026", "", True),
        ("Conferma d'ordine n. 7/2026 del 12/11/2026", "", False),
        ("Ordine n. 7/2026", "Fattura a seguire", False),
        ("Avviso di fattura n. 7/2026", "", False),
        ("Fattura proforma n. 7/2026", "", False),
        ("Sollecito di pagamento", "Fattura n. 7/2026 del 12/11/2026, totale fattura 1.220,00", False),
        ("Preventivo n. 7/2026", "", False),
        ("D.D.T. n. 7/2026 del 12/11/2026", "Causale del trasporto: vendita", False),
        ("Ricevuta n. 7/2026 del 12/11/2026", "Dichiara di ricevere a saldo della fattura n. 3", False),
        ("Fattura n. 7/2026 del 12/11/2026", "La fattura sarà emessa al pagamento", False),
        ("Fattura n. 7/2026 del 12/11/2026", "La fattura n. 3 non risulta pagata", False),
        ("", "Totale documento 1.220,00 scadenza 12/12/2026 bonifico", False),
    ],
)
def test_only_a_paper_that_is_called_an_invoice_is_surely_a_debt(title: str, text: str, sure: bool) -> None:
    kind = extraction.classify(typed(*HEAD, title, text, *SUMS))
    assert (kind.kind == "fattura" and kind.confidence >= SURE) == sure


@pytest.mark.parametrize(
    "paper",
    [
        (
            "Tra Rossi S.r.l., con sede in Roma, di seguito denominata «Fornitore»",
            "e Verdi S.n.c., di seguito «Cliente»",
        ),
        ("Verdi S.n.c. (di seguito, il «Committente»)", "e Rossi S.r.l., P.IVA 01234560157, d'ora in poi «Consulente»"),
        ("TRA", "Rossi S.r.l., detta anche «Appaltatore»,", "E", "Verdi S.n.c., con sede a Lodi, detta «Appaltante»"),
    ],
)
def test_the_parties_of_a_contract_are_known_by_their_roles(paper: tuple[str, ...]) -> None:
    pages = typed("CONTRATTO DI APPALTO", "", *paper, "Art. 1 - Oggetto", "Le parti convengono quanto segue.")
    found = {field.key: field for field in extraction.fields(pages, "contratto")}
    assert (found["supplier"].value, found["customer"].value) == ("Rossi S.r.l.", "Verdi S.n.c.")
    assert min(found[key].confidence for key in ("supplier", "customer")) >= SURE


def test_a_contract_without_roles_names_nobody_for_sure() -> None:
    pages = typed("Rossi S.r.l.", "P.IVA 01234560157", "CONTRATTO", "Spett.le", "Verdi S.n.c.", "Art. 1 - Oggetto")
    found = [field for field in extraction.fields(pages, "contratto") if field.key in ("supplier", "customer")]
    assert all(field.confidence < SURE for field in found)


@pytest.mark.parametrize(
    ("lines", "sure"),
    [
        (("Rossi S.r.l.", "P.IVA 01234560157"), True),
        (("Ferramenta Rossi", "P.IVA 01234560157"), True),
        (("Rossi S.r.l.", "", "Fattura n. 1", "", "Rossi S.r.l. iscritta al registro imprese"), True),
        (("Rossi S.r.l.",), False),
        (("Ferramenta Rossi",), False),
        (("Contrada Fontanelle snc", "P.IVA 01234560157"), None),
    ],
)
def test_a_letterhead_is_sure_when_two_signs_agree(lines: tuple[str, ...], sure: bool | None) -> None:
    found = {field.key: field for field in extraction.fields(typed(*lines, "", "Totale 122,00"), "fattura")}
    assert (found["supplier"].confidence >= SURE if "supplier" in found else None) == sure


@pytest.mark.parametrize(
    ("kind", "lines", "sure"),
    [
        ("ricevuta", ("DOCUMENTO COMMERCIALE", "12-11-2026 14:32"), True),
        ("ricevuta", ("12-11-2026 14:32", "Offerta fino al 30/11/2026"), False),
        ("contratto", ("CONTRATTO", "Durata dal 01/01/2026 al 31/12/2026", "", "Roma, lì 12 novembre 2026"), True),
        ("fattura", ("Fattura n. 3", "12 novembre 2026"), False),
    ],
)
def test_a_day_without_a_label_is_sure_where_it_can_be_no_other(kind: str, lines: tuple[str, ...], sure: bool) -> None:
    found = {field.key: field for field in extraction.fields(typed(*lines), kind)}
    assert (found["issued_on"].value, found["issued_on"].confidence >= SURE) == ("2026-11-12", sure)


def test_a_total_that_is_paid_below_it_is_sure() -> None:
    found = {
        lines[1]: next(each for each in extraction.fields(typed(*lines), "ricevuta") if each.key == "total")
        for lines in (("TOTALE 60,00", "CONTANTE 60,00"), ("TOTALE 60,00", "CONTANTE 70,00"))
    }
    assert [field.confidence >= SURE for field in found.values()] == [True, False]
