"""Who answers when nobody was chosen: what is to be written goes to the Esecutore, the rest to whom it suits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from functions._shared.assistant import agents_data

PHRASES: dict[str, list[str]] = json.loads((Path(__file__).parents[2] / "vectors" / "agents.json").read_text("utf-8"))
TEXTS = {
    "nothing": "",
    "one letter": "a" * 20_000,
    "one wish": "crea " * 4000,
    "politeness": "per favore, " * 2000,
    "agreement": "ok ok " * 3000 + "x",
    "questions": "?" * 5000,
}


@pytest.mark.parametrize("agent", sorted(agents_data.BY_ID))
def test_a_question_finds_its_agent(agent: str) -> None:
    wrong = {phrase: chosen for phrase in PHRASES[agent] if (chosen := agents_data.choose(phrase)) != agent}
    assert not wrong
    assert [agents_data.choose(f"  {phrase.upper()} ") for phrase in PHRASES[agent]] == [agent] * len(PHRASES[agent])


def test_there_are_phrases_enough() -> None:
    assert set(PHRASES) == set(agents_data.BY_ID)
    assert sum(map(len, PHRASES.values())) >= 60


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_is_chosen_for_at_once(text: str) -> None:
    assert agents_data.choose(text) in agents_data.BY_ID
