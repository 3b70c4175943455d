"""Names as they are compared and amounts as they are typed: the cases that Python, SQL and the browser share."""

from __future__ import annotations

import json

import pytest

from backend.core import config
from functions._shared import names
from functions._shared.assistant.tools import wording

VECTORS = config.ROOT / "tests" / "vectors"
CASES = json.loads((VECTORS / "names.json").read_text("utf-8"))
AMOUNTS: dict[str, int | None] = json.loads((VECTORS / "amounts.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "folded"), CASES["folded"].items())
def test_accents_and_capitals_are_folded(text: str, folded: str) -> None:
    assert names.fold(text) == folded


@pytest.mark.parametrize(("text", "words"), CASES["words"].items())
def test_words_have_no_punctuation_and_company_forms_are_one_word(text: str, words: str) -> None:
    assert names.words(text) == words
    assert names.words(words) == words


@pytest.mark.parametrize(("one", "other"), CASES["same"])
def test_names_that_are_written_differently_are_the_same(one: str, other: str) -> None:
    assert names.same(one, other)


@pytest.mark.parametrize(("one", "other"), CASES["different"])
def test_different_names_stay_different(one: str, other: str) -> None:
    assert not names.same(one, other)


@pytest.mark.parametrize(("typed", "cents"), AMOUNTS.items())
def test_an_amount_is_read_as_the_browser_reads_it(typed: str, cents: int | None) -> None:
    assert wording.cents(typed) == cents


@pytest.mark.parametrize(
    ("typed", "cents"), [("3k", 300_000), ("1,234k", 123_400), ("tremila euro", 300_000), ("-20", None)]
)
def test_the_chat_also_reads_amounts_in_words(typed: str, cents: int | None) -> None:
    assert wording.cents(typed) == cents
