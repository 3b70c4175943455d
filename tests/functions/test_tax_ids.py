"""Italian tax identifiers: the examples that client and server share, and python-stdnum as the oracle of many more."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.it import codicefiscale, iva

from backend.core import config
from functions._shared import tax_ids
from functions._shared.fatturapa.identities import is_iban

VECTORS = json.loads((config.ROOT / "tests" / "vectors" / "tax_ids.json").read_text())
CHECKS: dict[str, Callable[[str], str | None]] = {
    "vat_number": tax_ids.vat_number,
    "tax_code": tax_ids.tax_code,
    "any_tax_code": tax_ids.any_tax_code,
    "sdi_code": tax_ids.sdi_code,
    "pec": tax_ids.pec,
    "postal_code": tax_ids.postal_code,
}


@pytest.mark.parametrize("field", CHECKS)
def test_the_examples_of_both_sides_hold(field: str) -> None:
    check, examples = CHECKS[field], VECTORS[field]
    assert {typed: check(typed) for typed in examples["valid"]} == examples["valid"]
    assert {typed: check(typed) for typed in examples["invalid"]} == dict.fromkeys(examples["invalid"])


def test_the_ibans_of_both_sides_hold() -> None:
    good = set(VECTORS["iban"]["valid"].values())
    typed = [*good, *VECTORS["iban"]["valid"], *VECTORS["iban"]["invalid"]]
    assert {text: is_iban(text) for text in typed} == {text: text in good for text in typed}


digits = st.text("0123456789", min_size=10, max_size=12)


def test_a_vat_number_of_an_unknown_office_is_valid_and_can_be_warned_of() -> None:
    examples = VECTORS["vat_number"]
    unknown = {number for number in examples["valid"].values() if not tax_ids.has_known_office(number)}
    assert unknown == set(examples["unknown_office"])


@given(digits)
def test_vat_numbers_are_judged_as_the_oracle_judges_them(typed: str) -> None:
    """The oracle also refuses unknown offices, which are only worth a warning here."""
    number = tax_ids.vat_number(typed)
    assert (number is not None and tax_ids.has_known_office(number)) == iva.is_valid(typed)


@given(st.integers(1, 9_999_999), st.sampled_from([*range(1, 101), 120, 121, 888, 999]))
def test_every_vat_number_with_its_check_digit_is_good_and_with_any_other_is_not(person: int, office: int) -> None:
    good = [digit for digit in string.digits if tax_ids.vat_number(f"{person:07}{office:03}{digit}")]
    assert len(good) == 1
    assert iva.is_valid(f"{person:07}{office:03}{good[0]}")


letters = st.text(string.ascii_uppercase, min_size=6, max_size=6)
places = st.text("0123456789LMNPQRSTUV", min_size=3, max_size=3)
two = st.text("0123456789LMNPQRSTUV", min_size=2, max_size=2)


@given(letters, two, st.sampled_from(string.ascii_uppercase), two, st.sampled_from("ABHZ"), places)
def test_tax_codes_are_judged_as_the_oracle_judges_them(
    name: str, year: str, month: str, day: str, country: str, place: str
) -> None:
    """With the one letter that fits; a birthday that the oracle finds in another century only is a leap day."""
    start = f"{name}{year}{month}{day}{country}{place}"
    code = start + codicefiscale.calc_check_digit(start)
    leap_day = month == "B" and tax_ids.tax_code(code) is not None and not codicefiscale.is_valid(code)
    # stdnum takes a woman's day modulo 40, so 80 and more would be days to it; no office writes them.
    if tax_ids.tax_code(code) is None and codicefiscale.is_valid(code):
        assert _number(day) > 71
    elif not leap_day:
        assert (tax_ids.tax_code(code) == code) == codicefiscale.is_valid(code)
    wrong = random.Random(code).choice([letter for letter in string.ascii_uppercase if letter != code[-1]])
    assert tax_ids.tax_code(start + wrong) is None


def _number(characters: str) -> int:
    return int("".join(each if each.isdigit() else str("LMNPQRSTUV".index(each)) for each in characters))
