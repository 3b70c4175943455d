"""Periods and past days: what questions say of time, and how long any line takes."""

from __future__ import annotations

import json
import time
from datetime import date
from typing import Any

import pytest

from backend.core import config
from functions._shared.quick_add import past_days, periods

CASES = json.loads((config.ROOT / "tests" / "vectors" / "periods.json").read_text("utf-8"))
TODAY = date.fromisoformat(CASES["today"])


@pytest.mark.parametrize("phrase", CASES["phrases"], ids=lambda phrase: phrase["text"])
def test_a_period_is_read_by_its_first_and_last_day(phrase: dict[str, Any]) -> None:
    found = periods.read(phrase["text"].split(), TODAY, phrase.get("aim", "past"))
    wanted = tuple(date.fromisoformat(phrase[end]) if end in phrase else None for end in ("from", "to"))
    assert (found.period if found else (None, None)) == wanted


@pytest.mark.parametrize("phrase", CASES["past_days"], ids=lambda phrase: phrase["text"])
def test_a_past_day_is_read_at_the_end_of_a_line(phrase: dict[str, Any]) -> None:
    found = past_days.read(phrase["text"], TODAY)
    if "begins" not in phrase:
        assert found is None
        return
    day = phrase["day"] and date.fromisoformat(phrase["day"])
    assert found == (phrase["text"].index(phrase["begins"]), day)


def test_the_rest_of_a_line_is_what_the_period_does_not_hold() -> None:
    found = periods.read(["nel", "2025", "quanto", "ho", "fatturato", "a", "ottobre", "e", "a", "marzo"], TODAY)
    assert found is not None
    assert found.rest == ("quanto", "ho", "fatturato", "a", "e", "a", "marzo")


@pytest.mark.parametrize("word", ["dal", "entro", "ottobre", "3", "del", "ultimi 3", "gennaio e", "dal 3 al"])
def test_the_time_for_a_line_grows_with_its_length(word: str) -> None:
    def seconds(count: int) -> float:
        words = (f"{word} " * count).split()
        best = float("inf")
        for _ in range(3):
            begun = time.process_time()
            periods.read(words, TODAY)
            best = min(best, time.process_time() - begun)
        return best

    assert seconds(400) < 40 * max(seconds(50), 0.001)
