"""The command that sends a report of Playwright: what it sends, and what it says where it cannot."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from functions._shared import playwright_report
from scripts import qa

REPORT = Path("tests/functions/reports/walks.json")
RUN = {"kind": "browser", "browser": "firefox", "version": "140.2", "passed": 3, "failed": 1, "is_new": True}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Every call of the installation at http://test, which keeps one run."""
    calls: list[dict[str, Any]] = []

    def post(url: str, **options: Any) -> httpx.Response:
        calls.append({"url": url, **options})
        return httpx.Response(200, json={"runs": [RUN]})

    monkeypatch.setattr(httpx, "post", post)
    monkeypatch.setenv(qa.KEY_SETTING, "sb_secret_x")
    return calls


def _answering(monkeypatch: pytest.MonkeyPatch, answer: httpx.Response) -> None:
    monkeypatch.setattr(httpx, "post", lambda *_, **__: answer)
    monkeypatch.setenv(qa.KEY_SETTING, "sb_secret_x")


def test_a_report_is_sent_with_its_key_and_its_browser(
    sent: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    status = qa.main([str(REPORT), "--url", "http://test/", "--browser", "firefox", "--version", "140.2"])
    assert status == 0
    [call] = sent
    assert (call["url"], call["params"]) == (
        "http://test/functions/v1/qa_report", {"browser": "firefox", "version": "140.2"},
    )  # fmt: skip
    assert call["headers"] == {"apikey": "sb_secret_x"}
    assert call["json"]["suites"] == json.loads(REPORT.read_text())["suites"]
    assert capsys.readouterr().out == "browser, firefox 140.2: 3 passed, 1 failed\n"


def test_pictures_that_a_report_names_go_with_it(tmp_path: Path) -> None:
    (tmp_path / "shot.png").write_bytes(b"\x89PNG")
    (tmp_path / "large.png").write_bytes(bytes(playwright_report.MAX_PICTURE_BYTES + 1))
    attachments = [
        {"name": name, "contentType": kind, "path": str(tmp_path / name)}
        for name, kind in (
            ("shot.png", "image/png"),
            ("gone.png", "image/png"),
            ("large.png", "image/png"),
            ("notes.md", "text/markdown"),
        )
    ]  # fmt: skip
    file = tmp_path / "report.json"
    file.write_text(json.dumps({"suites": [{"specs": [{"tests": [{"results": [{"attachments": attachments}]}]}]}]}))
    found = qa.content(file)["suites"][0]["specs"][0]["tests"][0]["results"][0]["attachments"]
    assert [each.get("body") for each in found] == [base64.b64encode(b"\x89PNG").decode(), None, None, None]


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "No such file"), (REPORT.read_text()[:500], "may have been cut"), ("[]", "no report of Playwright")],
    ids=["missing", "cut", "something else"],
)
def test_a_file_that_is_no_report_is_told_and_not_sent(
    text: str | None,
    words: str,
    tmp_path: Path,
    sent: list[dict[str, Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "report.json"
    if text is not None:
        file.write_text(text)
    assert qa.main([str(file), "--url", "http://test"]) == 1
    assert words in capsys.readouterr().err
    assert sent == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(422, json={"code": "bad_report", "message": "Manca"}), "bad_report: Manca"),
        (httpx.Response(404, text="<html>"), "is this the address of the API?"),
    ],
)
def test_a_refusal_is_told_as_it_was_said(
    answer: httpx.Response, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _answering(monkeypatch, answer)
    assert qa.main([str(REPORT), "--url", "http://test"]) == 1
    assert words in capsys.readouterr().err


def test_without_a_key_or_a_running_stack_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(qa.KEY_SETTING, raising=False)
    assert qa.main([str(REPORT), "--url", "http://test"]) == 1
    assert "backend keys" in capsys.readouterr().err
    monkeypatch.setenv("SOCIO_RUN_JSON", str(tmp_path / "run.json"))
    assert qa.main([str(REPORT)]) == 1
    assert "make run" in capsys.readouterr().err
