"""`qa_report`: what is kept of reports that Playwright wrote, and which files are refused with what sentence."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import playwright_report
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
URL = "/functions/v1/qa_report"
ADMIN = UUID("00000000-0000-4000-8000-0000000000ad")
# The checks on phones, with one failure made by a fault of the product that is mended now.
PHONES = (Path(__file__).parent / "reports" / "phones.json").read_text()
# Two tests that know nothing of the checks: the second fails on its second route of three.
WALKS = (Path(__file__).parent / "reports" / "walks.json").read_text()
CHROMIUM = playwright_report.Browser("chromium", "156.0")


@pytest.fixture
async def admin(resources: Resources) -> dict[str, str]:
    async with db.transaction(resources.pool) as connection:
        await connection.execute("insert into auth.users (id, email) values ($1, 'admin@example.com')", ADMIN)
        await connection.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", ADMIN)
    return signed_in.headers(resources, ADMIN, aal="aal2")


async def _send(client: httpx.AsyncClient, headers: dict[str, str], report: str, query: str = "") -> httpx.Response:
    return await client.post(URL + query, content=report.encode(), headers=headers)


async def _outcomes(resources: Resources, kind: str) -> dict[tuple[str, str], str]:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select route, place, state from private.qa_cells($1)", kind)
    return {(row["route"], row["place"]): row["state"] for row in rows}


async def test_a_report_of_the_service_fills_both_screens_once(client: httpx.AsyncClient, resources: Resources) -> None:
    headers = {"apikey": resources.keys.secret_key}
    answer = await _send(client, headers, PHONES)
    assert answer.status_code == 200, answer.text
    found = [(run["kind"], run["passed"], run["failed"], run["is_new"]) for run in answer.json()["runs"]]
    assert found == [("browser", 15, 0, True), ("mobile", 224, 1, True)]
    phones, browsers = await _outcomes(resources, "mobile"), await _outcomes(resources, "browser")
    assert len(phones) == 45
    assert [cell for cell, state in phones.items() if state == "failed"] == [("/crm/trattative", "768")]
    assert browsers[("/home", "chromium 156")] == "passed"
    again = await _send(client, headers, PHONES)
    assert [run["is_new"] for run in again.json()["runs"]] == [False, False]
    async with db.connection(resources.pool) as connection:
        run = await connection.fetchrow(
            "select source, release, commit, browser from private.qa_runs where kind = 'mobile'"
        )
        items = await connection.fetchrow("select count(*), count(picture) from private.qa_items")
    assert run is not None
    assert items is not None
    assert (run["source"], run["release"], run["browser"]) == ("Playwright 1.65.1", "B3yw7nHc", "chromium")
    assert len(run["commit"]) == 40
    assert tuple(items) == (240, 1)


async def test_an_admin_imports_a_report_and_it_is_logged(
    client: httpx.AsyncClient, resources: Resources, admin: dict[str, str]
) -> None:
    answer = await _send(client, admin, PHONES)
    assert answer.status_code == 200, answer.text
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select admin_id, reason from public.admin_actions where action = 'qa.import'")
    assert [tuple(row) for row in rows] == [(ADMIN, "Esito importato")] * 2


@pytest.mark.parametrize(("aal", "person", "status"), [("aal1", ADMIN, 403), ("aal2", None, 403), ("", None, 401)])
async def test_only_an_admin_with_a_second_factor_may_import(
    aal: str, person: UUID | None, status: int, client: httpx.AsyncClient, resources: Resources, admin: dict[str, str]
) -> None:
    headers = signed_in.headers(resources, person or uuid4(), aal=aal) if aal else {}
    answer = await _send(client, headers, PHONES)
    assert answer.status_code == status
    assert await _outcomes(resources, "mobile") == {}


def test_any_report_says_which_routes_of_its_titles_and_steps_were_reached() -> None:
    # As the tests of accessibility name theirs: a route after the one that failed was never opened.
    report = json.loads(WALKS.replace("walks a few pages", "walks: /roadmap /status /pricing"))
    [run] = playwright_report.read(report, CHROMIUM)
    assert run.facts["kind"] == "browser"
    found = {item.route: item.outcome for item in run.items}
    assert found == {
        "/faq": "passed",
        "/changelog": "passed",
        "/roadmap": "passed",
        "/status": "failed",
        "/pricing": "skipped",
    }
    [failed] = [item for item in run.items if item.outcome == "failed"]
    assert failed.note.startswith("Error: expect(")
    assert "\x1b" not in failed.note


def test_a_report_without_a_browser_asks_for_one() -> None:
    with pytest.raises(playwright_report.BadReport, match="browser e versione"):
        playwright_report.read(json.loads(WALKS), playwright_report.Browser())


def _attached(report: dict[str, Any], change: Callable[[dict[str, Any]], None]) -> str:
    """Change what the checks of the first test found."""
    [attachment] = [
        each
        for each in report["suites"][0]["specs"][0]["tests"][0]["results"][0]["attachments"]
        if each["name"] == playwright_report.ATTACHMENT
    ]
    found = json.loads(base64.b64decode(attachment["body"]))
    change(found)
    attachment["body"] = base64.b64encode(json.dumps(found).encode()).decode()
    return json.dumps(report)


def _with_item(**change: Any) -> Callable[[dict[str, Any]], str]:
    return lambda report: _attached(report, lambda found: found["items"][0].update(change))


BROKEN = {
    "cut": (lambda _: PHONES[: len(PHONES) // 2], 400, "bad_json", "tagliato"),
    "no report": (lambda _: '{"name": "web"}', 422, "bad_report", "suites"),
    "a list": (lambda _: "[]", 422, "bad_report", "suites"),
    "nested too deep": (lambda _: "[" * 100_000, 400, "bad_json", "JSON"),
    "no time": (lambda report: json.dumps(report | {"stats": {}}), 422, "bad_report", "startTime"),
    "suites that are none": (lambda report: json.dumps(report | {"suites": [1]}), 422, "bad_report", "rovinato"),
    "no page": (lambda report: json.dumps(report | {"suites": []}), 422, "bad_report", "Nessuna prova"),
    "unknown check": (
        _with_item(check="magic"), 422, "bad_report", "magic",
    ),
    "address instead of a route": (
        _with_item(route="https://x"), 422, "bad_report", "https://x",
    ),
    "width of no screen": (
        _with_item(width=10**9), 422, "bad_report", "width",
    ),
    "browser that is none": (
        lambda report: _attached(report, lambda found: found.update(browser="<b>")), 422, "bad_report", "browser",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "status", "code", "words"), BROKEN.values(), ids=BROKEN)
async def test_a_broken_file_is_refused_with_what_is_wrong_and_changes_nothing(
    change: Callable[[dict[str, Any]], str],
    status: int,
    code: str,
    words: str,
    client: httpx.AsyncClient,
    resources: Resources,
) -> None:
    answer = await _send(client, {"apikey": resources.keys.secret_key}, change(json.loads(PHONES)))
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert words in answer.json()["message"]
    assert await _outcomes(resources, "mobile") == {}


@pytest.mark.parametrize(
    ("body", "words"),
    [(base64.b64encode(b"<svg/>").decode(), "non è un’immagine"), ("???", "rovinata"),
     (base64.b64encode(b"\xff\xd8\xff" + bytes(2**20)).decode(), "1 MB")],
    ids=["no picture", "no base64", "too large"],
)  # fmt: skip
def test_a_picture_that_is_none_is_refused(body: str, words: str) -> None:
    report = json.loads(PHONES)
    for spec in report["suites"][0]["specs"]:
        for attachment in spec["tests"][0]["results"][0]["attachments"]:
            if attachment["contentType"] == "image/jpeg":
                attachment["body"] = body
    with pytest.raises(playwright_report.BadReport, match=words):
        playwright_report.read(report, CHROMIUM)
