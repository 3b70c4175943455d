"""The journey through other browsers: what it makes of a page that does not come, and a report that can be read."""

from __future__ import annotations

import asyncio
import base64
import http.server
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from functions._shared import playwright_report
from scripts import machine
from scripts.browsers import __main__ as browsers
from scripts.browsers import driver
from tests.scripts import processes

pytestmark = pytest.mark.anyio
USER = {"email": "giulia@example.com", "password": "Password-1"}
PNG = "iVBORw0KGgo="


@dataclass
class FakeBrowser:
    """A browser in which the pages of `missing` never come and those of `broken` complain."""

    missing: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    # Complaints of a page while it is left.
    late: dict[str, str] = field(default_factory=dict)
    version: str = "140.2"
    typed: list[str] = field(default_factory=list)
    _route: str = ""
    _errors: list[str] = field(default_factory=list)

    async def open(self, url: str) -> None:
        if self._route in self.late:
            self._errors.append(self.late[self._route])
        self._route = url.removeprefix("http://test")
        if self._route in self.broken:
            self._errors.append("TypeError: x is undefined")

    async def evaluate(self, expression: str) -> Any:
        if "input" in expression:
            self.typed.append(expression)
        return self._route not in self.missing

    async def picture(self) -> str:
        return PNG

    def errors(self) -> list[str]:
        found, self._errors = self._errors, []
        return found


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsers, "WAIT_S", 0)


async def test_a_page_that_does_not_come_or_complains_has_failed_with_its_picture() -> None:
    browser = FakeBrowser(missing=("/crm",), broken=("/chat",))
    items = await browsers.journey(browser, "http://test", USER)
    assert any("giulia@example.com" in text for text in browser.typed)
    report = {
        "config": {"version": "", "metadata": {"source": "WebDriver"}},
        "suites": [{"title": "x", "specs": [browsers.test_of("firefox", browser.version, items)]}],
        "stats": {"startTime": "2026-11-28T10:00:00+00:00", "duration": 1000.5},
    }
    [run] = playwright_report.read(json.loads(json.dumps(report)), playwright_report.Browser())
    assert (run.facts["source"], run.facts["browser"], run.facts["kind"]) == ("WebDriver", "firefox", "browser")
    assert len(run.items) == len(browsers.ROUTES) == 12
    failed = {item.route: (item.note, item.picture) for item in run.items if item.outcome == "failed"}
    assert failed == {
        "/crm": ("«Contatti» did not appear within 0 s", PNG),
        "/chat": ("TypeError: x is undefined", PNG),
    }


async def test_a_page_that_complains_when_it_is_left_is_told_unless_it_was_only_cut_off() -> None:
    icon = (
        "Failed to load ‘http://test/icon.svg’. "
        "A ServiceWorker intercepted the request and encountered an unexpected error."
    )
    items = await browsers.journey(FakeBrowser(late={"/chat": icon, "/crm": "x is undefined"}), "http://test", USER)
    assert {item["route"]: item["note"] for item in items if item["note"]} == {"/crm/trattative": "x is undefined"}


async def test_a_sign_in_that_leads_nowhere_is_told() -> None:
    with pytest.raises(driver.BrowserError, match="on /login"):
        await browsers.journey(FakeBrowser(missing=("/login",)), "http://test", USER)


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        # The error comes once the page is loaded.
        self.wfile.write(b"<h1>Ciao</h1><script>setTimeout(() => { window.late = 1; null.x }, 300)</script>")

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def page() -> Iterator[str]:
    """Serve a page that fails, and give its address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.long
@pytest.mark.parametrize("name", browsers.BROWSERS)
async def test_a_browser_tells_of_errors_and_shows_what_it_sees(
    name: str, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need, started = browsers.BROWSERS[name]
    if not need.present():
        pytest.skip(f"install {' '.join(need.packages)}")
    monkeypatch.setattr(browsers, "WAIT_S", 20)
    async with started(tmp_path) as browser:
        assert browser.version[0].isdigit()
        await browser.open(page)
        await browsers.until(browser, "window.late === 1", "the page does not run")
        assert await browser.evaluate("document.querySelector('h1').textContent") == "Ciao"
        assert any("null" in error for error in browser.errors())
        assert browser.errors() == []
        assert base64.b64decode(await browser.picture()).startswith(b"\x89PNG")


# A journey whose browser is a shell, which has a process of its own.
STAYS = """
import asyncio, contextlib, runpy
from scripts import machine
from scripts.browsers import driver, firefox

@contextlib.asynccontextmanager
async def started(folder):
    with driver.running({program}, folder / "log"):
        print("started", flush=True)
        await asyncio.sleep(600)
        yield

firefox.started = started
machine.FIREFOX = machine.Need((), lambda: True, "")
runpy.run_module("scripts.browsers", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("number", "program"),
    [(signal.SIGTERM, ["sh", "-c", "sleep 600 & wait"]), (signal.SIGKILL, ["sleep", "600"])],
)
async def test_no_browser_outlives_a_journey_that_is_stopped_or_killed(
    number: signal.Signals, program: list[str], tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"url": "http://test", "demo_user": USER}))
    environment = {**os.environ, "SOCIO_RUN_JSON": str(tmp_path / "run.json")}
    code = STAYS.format(program=program)
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    journey = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, env=environment, stdout=pipe, stderr=nowhere
    )
    assert journey.stdout is not None
    assert await journey.stdout.readline() == b"started\n"
    while "sleep 600 " not in (found := processes.descendants(journey.pid)).values():  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.01)
    journey.send_signal(number)
    await journey.wait()
    assert [command for pid, command in found.items() if not await asyncio.to_thread(processes.ends, pid)] == []


def test_without_a_browser_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"url": "http://test", "demo_user": USER}))
    monkeypatch.setenv("SOCIO_RUN_JSON", str(tmp_path / "run.json"))
    monkeypatch.setenv(browsers.REPORT_SETTING, str(tmp_path / "report.json"))
    absent = machine.Need(("firefox-esr",), lambda: False, "Firefox")
    monkeypatch.setitem(browsers.BROWSERS, "firefox", (absent, browsers.BROWSERS["firefox"][1]))
    assert browsers.main(["firefox"]) == 1
    assert "LEFT OUT: install firefox-esr" in capsys.readouterr().out
    assert not (tmp_path / "report.json").exists()
    assert browsers.main(["netscape"]) == 2


@pytest.mark.parametrize(("ci", "failures"), [("", 0), ("true", 1)])
async def test_only_a_pipeline_needs_both(ci: str, failures: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", ci)
    absent = machine.Need(("firefox-esr",), lambda: False, "Firefox")
    monkeypatch.setitem(browsers.BROWSERS, "firefox", (absent, browsers.BROWSERS["firefox"][1]))
    _report, found = await browsers._run(["firefox"], {"url": "http://test", "demo_user": USER})
    assert found == failures
