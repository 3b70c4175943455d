"""Quick-add: the phrases that browser and assistant must read alike, and what holds for any line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core import config
from functions._shared.quick_add.parse import parse

VECTORS = config.ROOT / "tests" / "vectors"
GOLDEN = json.loads((VECTORS / "quick_add.json").read_text("utf-8"))
UNSEEN = json.loads((VECTORS / "quick_add_unseen.json").read_text("utf-8"))
NOW = datetime.fromisoformat(GOLDEN["now"])
SAID = {
    "due": None,
    "rrule": None,
    "repeat_from": "scadenza",
    "priority": 0,
    "contact": None,
    "project": None,
    "someday": False,
}


def expected(phrase: dict[str, Any]) -> dict[str, Any]:
    """The answer that a phrase of the file stands for; what it does not say is as usual."""
    said = {"title": phrase["text"]} | SAID | phrase
    return {name: said[name] for name in ("title", *SAID)} | {"all_day": "T" not in (said["due"] or "")}


def read(text: str) -> dict[str, Any]:
    return {name: value for name, value in parse(text, NOW).items() if name != "parts"}


@pytest.mark.parametrize("phrase", GOLDEN["phrases"], ids=lambda phrase: phrase["text"])
def test_the_phrases_that_the_browser_reads_alike(phrase: dict[str, Any]) -> None:
    assert read(phrase["text"]) == expected(phrase)
    parts = parse(phrase["text"], NOW)["parts"]
    assert [[part["kind"], part["text"]] for part in parts] == phrase.get("parts", [])


def test_phrases_that_nobody_tuned_the_rules_for() -> None:
    wrong = [phrase["text"] for phrase in UNSEEN["phrases"] if read(phrase["text"]) != expected(phrase)]
    assert len(wrong) <= len(UNSEEN["phrases"]) * 0.05, wrong


def test_offsets_count_as_the_browser_counts() -> None:
    parts = parse("🎉 festa domani", NOW)["parts"]
    assert parts == [{"kind": "date", "start": 9, "end": 15, "text": "domani"}]


def test_a_part_turned_back_into_text_stays_in_the_title_whole() -> None:
    answer = parse("il 5 dicembre con Rossi alle 15", NOW, [0])
    assert (answer["title"], answer["due"]) == ("il 5 dicembre con Rossi", "2026-11-20T15:00")


def test_what_is_said_shortly_after_midnight_in_rome_is_said_on_that_day() -> None:
    assert parse("domani", datetime(2026, 6, 30, 22, 30, tzinfo=UTC))["due"] == "2026-07-02"


def test_an_hour_takes_an_hour_also_in_the_night_when_clocks_change() -> None:
    assert parse("tra un'ora", datetime(2026, 3, 29, 0, 30, tzinfo=UTC))["due"] == "2026-03-29T03:30"


def test_beyond_five_hundred_characters_there_is_only_title() -> None:
    long = "parola " * 1500
    assert parse(f"domani {long} venerdì", NOW)["due"] == "2026-11-21"
    assert parse(f"{long} domani", NOW)["parts"] == []


words = st.sampled_from(sorted({word for phrase in GOLDEN["phrases"] for word in phrase["text"].split()}))
lines = st.lists(words | st.text(max_size=4) | st.sampled_from([*"«»\"“”'’!@#,()"]), max_size=12).map(" ".join)


def letters(text: str) -> str:
    return "".join(each for each in text if each.isalnum())


@given(lines | st.text(st.characters(exclude_categories=()), max_size=60))
def test_parts_and_title_hold_every_word_of_any_line(text: str) -> None:
    answer = parse(text, NOW)
    units = text.encode("utf-16-le", "surrogatepass")
    rest, at = "", 0
    for part in answer["parts"]:
        assert at <= part["start"] < part["end"]
        assert units[part["start"] * 2 : part["end"] * 2].decode("utf-16-le", "surrogatepass") == part["text"]
        rest += units[at * 2 : part["start"] * 2].decode("utf-16-le", "surrogatepass")
        at = part["end"]
        assert letters(part["text"]) in letters(parse(text, NOW, [part["start"]])["title"])
    assert letters(answer["title"]) == letters(rest + units[at * 2 :].decode("utf-16-le", "surrogatepass"))
