"""Measure what the assistant answers in local mode: the questions on a made-up business whose answers are known."""

from __future__ import annotations

from collections import Counter

from scripts.bench.goals import Result
from tests.business import measure
from tests.business.judge import Verdict

LEAST_RIGHT = 0.9
WHAT = {
    "tuned": "the questions that rules were made with",
    "practice": "questions of a second set, which were read too",
    "held_out": "questions kept out of tuning",
}


async def answered() -> list[Result]:
    """Measure each set on an installation of its own: how many answers are right, and how many are wrong."""
    results = []
    for name in measure.SETS:
        found = await measure.run(name)
        counts = Counter(each.verdict for each in found)
        details = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
        right = counts[Verdict.RIGHT] / len(found)
        results += [
            Result("right", f"{WHAT[name]}: right", right, LEAST_RIGHT, f"{details}, of {len(found)}", at_least=True),
            Result("right", f"{WHAT[name]}: wrong", counts[Verdict.WRONG], 0, f"of {len(found)}"),
        ]
    return results
