"""`python -m scripts.stack -- python -m scripts.browsers`: the main pages in Firefox ESR and WebKitGTK.

Signs in as the demo user and opens twelve pages. The report goes where SOCIO_QA_REPORT names a file, in the shape of
Playwright's JSON reporter, for `python -m scripts.qa`. A browser that is not installed is left out, but not in CI.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import websockets

from scripts import machine
from scripts.browsers import driver, firefox, webkit
from scripts.paths import ROOT

REPORT_SETTING = "SOCIO_QA_REPORT"
REPORT = ROOT / "web" / "test-results" / "browsers.json"
WAIT_S = 20
FAILURES = (driver.BrowserError, httpx.HTTPError, websockets.WebSocketException, TimeoutError)

Started = Callable[[Path], AbstractAsyncContextManager[driver.Driver]]
BROWSERS: dict[str, tuple[machine.Need, Started]] = {
    "firefox": (machine.FIREFOX, firefox.started),
    "webkit": (machine.WEBKIT, webkit.started),
}
# A word of each heading, which is there when the page has its data.
ROUTES = {
    "/home": "Giulia",
    "/chat": "Nuova conversazione",
    "/crm": "Contatti",
    "/crm/trattative": "Trattative",
    "/documents": "Documenti",
    "/documents/fatture": "Fatture",
    "/projects": "Attività e progetti",
    "/notifications": "Notifiche",
    "/settings": "Impostazioni",
    "/settings/credits": "Crediti",
    "/settings/channels": "Canali",
    "/store": "Ricarica i tuoi crediti",
}
ARRIVED = """
[...document.querySelectorAll('h1, h2')].some(({ textContent }) => textContent.includes(%s))
  && !document.querySelector('[aria-busy="true"]')
"""
# Firefox says so of what a page still loads through its service worker, such as its icon, while it is left.
CUT_OFF = "A ServiceWorker intercepted the request and encountered an unexpected error"
# As React sees it when a person types.
TYPE = """
(() => {
  const field = document.querySelector(%s)
  if (!field) return false
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, %s)
  return field.dispatchEvent(new Event('input', { bubbles: true }))
})()
"""


async def journey(browser: driver.Driver, url: str, user: dict[str, str]) -> list[dict[str, Any]]:
    """Sign in and open every page; return what was found on each."""
    await browser.open(f"{url}/login")
    for field, value in (("input[type=email]", user["email"]), ("input[type=password]", user["password"])):
        await until(browser, TYPE % (json.dumps(field), json.dumps(value)), f"no {field} on /login")
    await browser.evaluate("document.querySelector('input[type=password]').form.requestSubmit()")
    # The page itself, not only its address: another navigation would cut this one off.
    await until(browser, ARRIVED % json.dumps(ROUTES["/home"]), "the sign-in did not lead to /home")
    browser.errors()
    return [await _page(browser, url, route, heading) for route, heading in ROUTES.items()]


async def _page(browser: driver.Driver, url: str, route: str, heading: str) -> dict[str, Any]:
    # Away from the page before, which may still complain.
    await browser.open("about:blank")
    late = [error for error in browser.errors() if CUT_OFF not in error]
    await browser.open(url + route)
    try:
        await until(browser, ARRIVED % json.dumps(heading), f"«{heading}» did not appear within {WAIT_S} s")
        note = ""
    except driver.BrowserError as error:
        note = str(error)
    note = "; ".join(filter(None, [*late, note, *browser.errors()]))
    if not note:
        return {"route": route, "check": "opens", "outcome": "passed", "note": ""}
    return {
        "route": route,
        "check": "opens",
        "outcome": "failed",
        "note": note,
        "picture": route,
        "png": await browser.picture(),
    }


async def until(browser: driver.Driver, condition: str, complaint: str) -> None:
    """Wait until an expression is true in the page. Raises BrowserError with the complaint."""
    end_s = time.monotonic() + WAIT_S
    while not await browser.evaluate(condition):
        if time.monotonic() > end_s:
            raise driver.BrowserError(complaint)
        await asyncio.sleep(0.1)


def test_of(name: str, version: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what one browser did as a spec of Playwright's report."""
    pictures = [
        {"name": item["picture"], "contentType": "image/png", "body": item.pop("png")}
        for item in items
        if "png" in item
    ]
    found = json.dumps({"browser": name, "version": version, "items": items}).encode()
    attachment = {
        "name": "socio-qa",
        "contentType": "application/json",
        "body": base64.b64encode(found).decode(),
    }
    is_failed = any(item["outcome"] == "failed" for item in items)
    result = {"attachments": [*pictures, attachment], "steps": []}
    return {
        "title": f"the main pages open in {name}",
        "tests": [{"projectName": name, "status": "unexpected" if is_failed else "expected", "results": [result]}],
    }


async def _run(names: list[str], facts: dict[str, Any]) -> tuple[dict[str, Any], int]:
    began, began_s = datetime.now(UTC), time.monotonic()
    specs = []
    failures = 0
    for name in names:
        need, started = BROWSERS[name]
        if not need.present():
            print(f"    {name} LEFT OUT: install {' '.join(need.packages)}", flush=True)
            # A pipeline without one proves too little.
            failures += bool(os.environ.get("CI"))
            continue
        with tempfile.TemporaryDirectory(prefix="socio-") as folder:
            try:
                async with started(Path(folder)) as browser:
                    items = await journey(browser, facts["url"], facts["demo_user"])
            except FAILURES as error:
                print(f"error: {name}: {error}", file=sys.stderr)
                failures += 1
                continue
        failed = [item for item in items if item["outcome"] == "failed"]
        failures += len(failed)
        print(f"{name} {browser.version}: {len(items) - len(failed)} of {len(items)} pages open", flush=True)
        for item in failed:
            print(f"    {item['route']}: {item['note']}", flush=True)
        specs.append(test_of(name, browser.version, items))
    report = {
        "config": {"version": "", "metadata": {"source": "WebDriver"}},
        "suites": [{"title": "scripts/browsers", "specs": specs}],
        "stats": {"startTime": began.isoformat(), "duration": (time.monotonic() - began_s) * 1000},
    }
    return report, failures


def main(arguments: list[str]) -> int:
    """Open the pages in the named browsers, all by default. Exit status 1 when a page or none of the browsers opens."""
    names = arguments or list(BROWSERS)
    if unknown := set(names) - set(BROWSERS):
        print(f"Unknown: {', '.join(sorted(unknown))}; there are {', '.join(BROWSERS)}", file=sys.stderr)
        return 2
    facts = json.loads(Path(os.environ["SOCIO_RUN_JSON"]).read_text(encoding="utf-8"))
    report, failures = asyncio.run(_run(names, facts))
    if not report["suites"][0]["specs"]:
        return 1
    path = Path(os.environ.get(REPORT_SETTING) or REPORT)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    # The stack stops with SIGTERM: end the browsers, which have process groups of their own.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
