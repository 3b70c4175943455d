"""learned.json, read once: what each sign says for each answer, and each word for the slot it may belong to."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("learned.json")
# Weights are written as hundredths.
SCALE = 100
# A sign's weights: places of answers and what it says for each, in turn.
Rows = Mapping[str, list[int]]


@dataclass(frozen=True)
class Choice:
    """One question with few answers: which intent, which state, which field."""

    answers: tuple[str, ...]
    rows: Rows

    def scores(self, signs: Iterable[str]) -> list[float]:
        """What these signs say together for each answer."""
        scores = [0.0] * len(self.answers)
        for sign in signs:
            row = self.rows.get(sign, ())
            for at in range(0, len(row), 2):
                scores[row[at]] += row[at + 1]
        return scores

    def shares(self, signs: Mapping[str, float]) -> dict[str, float]:
        """How likely each answer is; the shares add up to one."""
        scores = [0.0] * len(self.answers)
        for sign, value in signs.items():
            row = self.rows.get(sign, ())
            for at in range(0, len(row), 2):
                scores[row[at]] += row[at + 1] * value
        best = max(scores)
        shares = [math.exp((score - best) / SCALE) for score in scores]
        total = sum(shares)
        return {answer: share / total for answer, share in zip(self.answers, shares, strict=True)}


@dataclass(frozen=True)
class Learned:
    """All that was learned; `sentences` is a digest of what from."""

    sentences: str
    intents: Choice
    # By intent and setting: «invoices state».
    settings: Mapping[str, Choice]
    # The marks of words («B-contact», «I-contact», «O») and what each sign of a word says for them.
    marks: Choice


@cache
def learned() -> Learned:
    """What stands in learned.json."""
    stored: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    return Learned(
        stored["sentences"],
        _choice(stored["intents"]),
        {name: _choice(each) for name, each in stored["settings"].items()},
        _choice(stored["marks"]),
    )


def _choice(stored: dict[str, Any]) -> Choice:
    return Choice(tuple(stored["answers"]), stored["rows"])
