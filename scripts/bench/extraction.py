"""Measure what is sure of a document: the held-out half of the corpus, by field and confidence."""

from __future__ import annotations

import asyncio

from scripts.bench.goals import Result
from tests.functions.extraction import calibration, sample_corpus
from tests.functions.extraction.calibration import Count, Judged

LEAST_RIGHT, LEAST_OF_A_FIELD = 0.99, 0.95


async def calibrated() -> list[Result]:
    """Measure how many sure values are right, how many there are, and how many papers would be false debts."""
    documents = await asyncio.to_thread(_documents)
    counts = calibration.counted(documents)
    right, sure = calibration.all_sure(counts)
    asked = sum(count.asked for count in counts.values())
    debts = sum(document.is_false_debt for document in documents)
    details = f"{right} of {sure}, {right / asked:.1%} of {asked} fields"
    return [
        Result("sure", "sure values that are right", right / sure, LEAST_RIGHT, details, at_least=True),
        Result("sure", "other papers that are surely invoices", debts, 0, f"{debts} of {len(documents)} papers"),
        *(_row(key, count) for key, count in counts.items() if count.sure[1]),
    ]


def _documents() -> list[Judged]:
    return [calibration.judged(case, case.pages()) for case in sample_corpus.held_out()]


def _row(key: str, count: Count) -> Result:
    right, sure = count.sure
    details = f"{calibration.row(count)}; sure of {right / count.asked:.0%} of {count.asked}"
    return Result("sure", f"sure and right: {key}", right / sure, LEAST_OF_A_FIELD, details, at_least=True)
