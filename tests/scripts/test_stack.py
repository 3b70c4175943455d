"""The throw-away stack: what it shows of its log when the command on it failed."""

from __future__ import annotations

from scripts import stack


def test_only_what_may_explain_a_failure_is_shown() -> None:
    ordinary = ['backend | {"level": "info", "message": "request"}', "postgres | LOG:  checkpoint complete"]
    errors = [f'worker | {{"level": "error", "message": "job {number} failed"}}' for number in range(30)]
    assert stack.telling_lines("\n".join([*errors, *ordinary])) == errors[-stack.LOG_LINES_SHOWN :]


def test_a_long_line_does_not_push_the_failed_check_out_of_sight() -> None:
    [line] = stack.telling_lines("postgres | ERROR:  " + "x" * 10_000)
    assert line.startswith("postgres | ERROR:  x")
    assert len(line) == stack.CHARACTERS_SHOWN
