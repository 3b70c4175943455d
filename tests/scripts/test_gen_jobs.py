"""docs/jobs.md says what the code says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scripts import gen_jobs


def test_the_table_of_periodic_jobs_is_fresh() -> None:
    assert gen_jobs.OUTPUT.read_text() == gen_jobs.generate(), "stale: run `make types`"


@pytest.mark.parametrize(
    ("every", "text"),
    [
        (timedelta(minutes=1), "every minute"),
        (timedelta(minutes=90), "every 90 minutes"),
        (timedelta(hours=1), "every hour"),
        (timedelta(days=7), "every 7 days"),
    ],
)
def test_a_period_is_said_in_its_largest_whole_unit(every: timedelta, text: str) -> None:
    assert gen_jobs.period(every) == text
