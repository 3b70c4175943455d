"""Answers word for word: what the assistant without a provider makes of what tools return, on a Monday in November.

Read answers.json as an Italian would; it is what people see.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from backend.core import config
from functions._shared.assistant.local import turns
from functions._shared.assistant.local.match import WRITES
from functions._shared.assistant.local.plans.all import PLANS, advance
from functions._shared.assistant.local.steps import Answer, Call, Scene
from functions._shared.assistant.tools import registry, writes

CASES = json.loads((config.ROOT / "tests" / "vectors" / "assistant" / "answers.json").read_text("utf-8"))
NOW = datetime.fromisoformat("2026-11-23T10:00")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_answers_read_well(case: dict[str, Any]) -> None:
    found = turns.understood([(asked, said) for asked, said in case.get("before", [])], case["question"], NOW)
    changes = frozenset(writes.WRITES) if case["agent"] in ("automatico", "esecutore") else frozenset[str]()
    scene = Scene(
        now=NOW,
        said=found.said,
        before=found.before,
        listed=found.listed,
        choice=found.choice,
        question=case["question"],
        agent=case["agent"],
        tools=frozenset(registry.READS) | changes,
    )
    steps = [advance(scene, case["results"][:count]) for count in range(len(case["results"]) + 1)]
    calls, answer = steps[:-1], steps[-1]
    assert [{"tool": call.tool, "args": call.args} for call in calls if isinstance(call, Call)] == case["calls"]
    assert isinstance(answer, Answer)
    assert answer.text.split("\n") == case["answer"]


def test_every_write_has_a_plan() -> None:
    assert PLANS.keys() >= WRITES


def test_what_is_too_long_to_be_written_is_refused_not_cut() -> None:
    long = "ricordami di " + "telefonare " * 40
    said = turns.understood([], long, NOW).said
    step = advance(Scene(now=NOW, said=said, question=long, tools=WRITES), [])
    assert isinstance(step, Answer)
    assert "al massimo 200 caratteri" in step.text
