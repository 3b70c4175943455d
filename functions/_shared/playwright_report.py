"""Read a report that Playwright's JSON reporter wrote: which routes were tested, at which width or in which browser.

A test that measures attaches what it found as JSON under the name `socio-qa` (web/e2e/support/quality.ts):

    {"browser", "version", "release", "items": [{"route", "width", "check", "outcome", "note", "picture"}]}

`picture` names an image attached to the same result. Of any other test counts whether each route that its title or the
titles of its steps name was reached without an error.

The reporter: https://playwright.dev/docs/test-reporters#json-reporter
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

ATTACHMENT = "socio-qa"
CHECKS = ("opens", "overflow", "tap_target", "keyboard", "bottom_bar")
OUTCOMES = ("passed", "failed", "skipped")
OUTCOME_OF_TEST = {"expected": "passed", "flaky": "passed", "unexpected": "failed", "skipped": "skipped"}
# The worst of several results of one check counts.
WORST_FIRST = ("failed", "passed", "skipped")
MAX_ITEMS = 3_000
MAX_PICTURES = 40
MAX_PICTURE_BYTES = 1024 * 1024
MAX_NOTE = 1_000
IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")
ROUTE = re.compile(r"(?<!\S)/[A-Za-z0-9/_:?=&.-]{0,199}(?!\S)")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
BROWSERS = ("chromium", "firefox", "webkit")


class BadReport(Exception):
    """A report that cannot be used; `sentence` says why, in Italian."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True)
class Browser:
    """The browser of the tests; without a version it is not known."""

    name: str = ""
    version: str = ""


@dataclass(frozen=True)
class Item:
    """The outcome of one check on a route, at a width or in a whole browser."""

    browser: Browser
    route: str
    width: int | None
    check: str
    outcome: str
    note: str = ""
    picture: str | None = None


@dataclass(frozen=True)
class Run:
    """Items of one kind in one browser."""

    facts: dict[str, Any]
    items: list[Item]

    def rows(self) -> list[dict[str, Any]]:
        """Return the items as private.keep_qa_run takes them."""
        return [
            {
                "route": item.route,
                "width": item.width,
                "check_name": item.check,
                "outcome": item.outcome,
                "note": item.note,
                "picture": item.picture,
            }
            for item in self.items
        ]


def read(report: Any, default: Browser) -> list[Run]:
    """Return a run for each kind and browser. `default` is the browser of tests that name none. Raises BadReport."""
    if not isinstance(report, dict) or not isinstance(report.get("suites"), list):
        raise BadReport("Non è un report JSON di Playwright: manca «suites»")
    try:
        tests = list(_tests(report["suites"], ()))
        begun = datetime.fromisoformat(report["stats"]["startTime"]).astimezone(UTC)
        ended = begun + timedelta(milliseconds=max(0.0, float(report["stats"]["duration"])))
        items = [item for titles, test in tests for item in _items(titles, test, default)]
        release = next(filter(None, (_release(test) for _, test in tests)), None)
        facts = {
            "source": _source(report["config"]),
            "release": release,
            "commit": _commit(report["config"]),
            "started_at": begun.isoformat(),
            "finished_at": ended.isoformat(),
        }
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
        raise BadReport(f"Il report di Playwright è rovinato o di una versione che non conosciamo ({error})") from error
    if not items:
        raise BadReport("Nessuna prova del report dice quale pagina ha aperto")
    if len(items) > MAX_ITEMS:
        raise BadReport(f"Il report ha più di {MAX_ITEMS} esiti: dividilo")
    return _runs(facts, items)


def _tests(suites: list[Any], titles: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    for suite in suites:
        above = (*titles, suite["title"])
        for spec in suite.get("specs", []):
            for test in spec["tests"]:
                yield (*above, spec["title"]), test
        yield from _tests(suite.get("suites", []), above)


def _items(titles: tuple[str, ...], test: dict[str, Any], default: Browser) -> Iterator[Item]:
    if not test["results"]:
        return
    # The last attempt, as Playwright counts it.
    result = test["results"][-1]
    measured = [attachment for attachment in result["attachments"] if attachment["name"] == ATTACHMENT]
    if measured:
        for attachment in measured:
            yield from _measured(json.loads(base64.b64decode(attachment["body"])), result)
        return
    browser = default if default.name else Browser(_browser_of_project(test))
    outcome = OUTCOME_OF_TEST[test["status"]]
    picture = next((name for name in _pictures(result) if name.startswith("screenshot")), None)
    note = _text(result.get("error", {}).get("message", "")) if outcome == "failed" else ""
    opened = [step for step in result.get("steps", []) if ROUTE.fullmatch(step["title"])]
    reached = {step["title"]: "failed" if step.get("error") else "passed" for step in opened}
    for route in ROUTE.findall(titles[-1]) or list(reached):
        # A step after the one that failed was never begun.
        found = reached.get(route, "skipped") if reached and outcome == "failed" else outcome
        is_failed = found == "failed"
        yield Item(
            browser, route, None, "opens", found, note * is_failed, _picture(result, picture) if is_failed else None
        )


def _measured(found: dict[str, Any], result: dict[str, Any]) -> Iterator[Item]:
    browser = Browser(str(found["browser"]), str(found["version"]))
    for item in found["items"]:
        width = item.get("width")
        if item["check"] not in CHECKS or item["outcome"] not in OUTCOMES or not ROUTE.fullmatch(item["route"]):
            raise ValueError(f"{item['route']} {item['check']} {item['outcome']}")
        if width is not None and not (type(width) is int and 200 <= width <= 4000):
            raise ValueError(f"width {width}")
        picture = _picture(result, item.get("picture")) if item["outcome"] == "failed" else None
        yield Item(
            browser, item["route"], width, item["check"], item["outcome"], _text(item.get("note") or ""), picture
        )


def _pictures(result: dict[str, Any]) -> list[str]:
    return [
        attachment["name"]
        for attachment in result["attachments"]
        if attachment["contentType"].startswith("image/") and attachment.get("body")
    ]


def _picture(result: dict[str, Any], name: str | None) -> str | None:
    """Return the base64 of an attached image. Raises BadReport for what is none or too large."""
    if name is None or name not in _pictures(result):
        return None
    body = next(attachment["body"] for attachment in result["attachments"] if attachment["name"] == name)
    try:
        content = base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise BadReport(f"L’immagine «{name}» è rovinata") from error
    if not content.startswith(IMAGES):
        raise BadReport(f"«{name}» non è un’immagine PNG, JPEG o WebP")
    if len(content) > MAX_PICTURE_BYTES:
        raise BadReport(f"L’immagine «{name}» supera 1 MB")
    return str(body)


def _text(text: str) -> str:
    return CONTROLS.sub("", COLOURS.sub("", text)).strip()[:MAX_NOTE]


def _browser_of_project(test: dict[str, Any]) -> str:
    project = str(test.get("projectName", "")).lower()
    return next((name for name in BROWSERS if name in project), "")


def _release(test: dict[str, Any]) -> str | None:
    for result in test["results"]:
        for attachment in result["attachments"]:
            if attachment["name"] == ATTACHMENT:
                return str(json.loads(base64.b64decode(attachment["body"])).get("release") or "")[:40] or None
    return None


def _source(config: dict[str, Any]) -> str:
    # Other programs write the same shape (scripts/browsers).
    return str(config.get("metadata", {}).get("source") or f"Playwright {config['version']}")[:60]


def _commit(config: dict[str, Any]) -> str | None:
    found = config.get("metadata", {}).get("gitCommit", {}).get("hash")
    return str(found)[:40] if found else None


def _runs(facts: dict[str, Any], items: list[Item]) -> list[Run]:
    groups: dict[tuple[str, Browser], dict[tuple[str, int | None, str], Item]] = {}
    for item in items:
        if not re.fullmatch(r"[a-z][a-z0-9 ]{0,29}", item.browser.name) or not re.fullmatch(
            r"[0-9.]{1,30}", item.browser.version
        ):
            raise BadReport("Il report non dice in quale browser e versione: indicali")
        _add(groups.setdefault(("browser" if item.width is None else "mobile", item.browser), {}), item)
        if item.width is not None and item.check == "opens":
            # A route that opens says something about the browser as well.
            _add(groups.setdefault(("browser", item.browser), {}), replace(item, width=None))
    runs = []
    pictures = 0
    for (kind, browser), found in sorted(groups.items(), key=lambda group: str(group[0])):
        kept = []
        for item in found.values():
            pictures += item.picture is not None
            kept.append(item if pictures <= MAX_PICTURES else replace(item, picture=None))
        known = f"{facts['started_at']} {facts['finished_at']} {kind} {browser.name} {browser.version}"
        named = {"kind": kind, "browser": browser.name, "browser_version": browser.version}
        runs.append(Run({"id": hashlib.sha256(known.encode()).hexdigest()[:32], **named, **facts}, kept))
    return runs


def _add(group: dict[tuple[str, int | None, str], Item], item: Item) -> None:
    key = (item.route, item.width, item.check)
    known = group.get(key)
    if known is None or WORST_FIRST.index(item.outcome) < WORST_FIRST.index(known.outcome):
        group[key] = item
