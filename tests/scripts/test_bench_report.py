"""The writer of docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from scripts.bench import __main__ as bench
from scripts.bench import report
from scripts.bench.goals import Result

OLD = "| user | P1 | old | ≤ 1 | 1.00 | – | 2026-01-01 | – | 4 cores |\n"
KEPT = "| spends | P7 | kept | ≥ 1 | 1.00 | – | 2026-01-01 | – | 4 cores |\n"
GONE = "| forgotten | P0 | gone | ≤ 1 | 1.00 | – | 2026-01-01 | – | 4 cores |\n"
EMPTY = f"# Before\n{report.BEGIN}{report.END}after\n"


def test_a_run_replaces_the_rows_it_measured_and_keeps_the_others() -> None:
    text = report.merged(EMPTY, {"user": [OLD], "spends": [KEPT]})
    new = report.row("user", Result("P1", "GET /user", 2.5, 2.2, "250 us to 100"), "2026-11-23", "0a1b2c3", 2)
    merged = report.merged(text, {"user": [new]})
    assert new == "| user | P1 | GET /user | ≤ 2.2 | **2.50** | 250 us to 100 | 2026-11-23 | 0a1b2c3 | 2 cores |\n"
    assert merged == text.replace(OLD, new)
    assert KEPT in merged
    assert merged.startswith("# Before\n")
    assert merged.endswith("after\n")


def test_rows_of_a_measurement_that_is_gone_are_dropped() -> None:
    text = EMPTY.replace(report.END, f"{GONE}{report.END}")
    assert GONE not in report.merged(text, {})


def test_a_goal_that_must_be_reached_says_so() -> None:
    line = report.row("logins", Result("P2", "sign-ins", 0.9, 0.8, "", at_least=True), "2026-11-23", "0a1b2c3", 2)
    assert "| ≥ 0.8 | 0.90 |" in line


def test_every_measurement_has_an_area_and_every_row_a_measurement() -> None:
    assert sorted(name for names in report.AREAS.values() for name in names) == sorted(bench.MEASUREMENTS)
    text = report.OUTPUT.read_text()
    assert report.merged(text, {}) == text


@pytest.mark.anyio
async def test_a_measurement_that_cannot_run_says_so_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_stage: object, _facts: object) -> Result:
        raise KeyError("calm0")

    async def whole(_stage: object, _facts: object) -> Result:
        return Result("P1", "GET /user", 1, 2, "")

    @asynccontextmanager
    async def stage(_facts: object) -> AsyncIterator[None]:
        yield

    recorded: list[str] = []
    monkeypatch.setattr(bench, "stage", stage)
    monkeypatch.setattr(bench, "run_facts", lambda _settings: {})
    monkeypatch.setattr(bench, "MEASUREMENTS", {"broken": broken, "whole": whole})
    monkeypatch.setattr(report, "record", lambda name, _results: recorded.append(name))
    assert await bench.measure(["broken", "whole"]) == 1
    assert recorded == ["whole"]
    assert "broken could not be measured" in caplog.text
