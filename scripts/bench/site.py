"""Measure the client as a phone meets it (GOAL-P15, GOAL-P16): what the landing page loads, what Lighthouse says."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from scripts import machine, postgres
from scripts.bench.goals import Result
from scripts.bench.stage import PASSWORD, Stage
from scripts.paths import NODE_MODULES
from scripts.setup import BIN

VISITS = 3
ATTEMPTS = 3
PUBLIC = ("/", "/pricing", "/store", "/faq", "/privacy-policy")
HOME = "/home"
KB = 1024
JS_KB = 90
PERFORMANCE = 95
FULL = 100
LCP_MS = 1800
CLS = 0.02
TBT_MS = 150
CHROMIUM_START_S = 20
# Longer than anything on the page waits for: what it loads by then, it loads without anybody doing something.
UNTOUCHED_MS = 5000
LOADED_SCRIPTS = f"""
new Promise((resolve) => setTimeout(resolve, {UNTOUCHED_MS})).then(() =>
  performance.getEntriesByType('resource').map(({{name}}) => name).filter((name) => name.endsWith('.js')))
"""


@dataclass(frozen=True)
class Visit:
    """One run of Lighthouse, of a simulated mid-range phone: scores of 100, and the audits that cost some."""

    scores: Mapping[str, int]
    failed: frozenset[str]
    lcp_ms: float
    tbt_ms: float
    cls: float


async def javascript(stage: Stage) -> Result:
    """Measure GOAL-P15: the code that the landing page loads while nobody does anything, as it travels."""
    async with chromium() as port:
        scripts = await evaluate(stage, port, "/", LOADED_SCRIPTS)
    size = 0
    # Nothing here reads brotli, and nothing has to.
    async with aiohttp.ClientSession(auto_decompress=False, headers={"Accept-Encoding": "br"}) as client:
        for url in {url for url in scripts if "/assets/" in url}:
            async with client.get(url) as file:
                size += len(await file.read())
    return Result("P15", f"landing JavaScript, brotli, to {JS_KB} KB", size / KB / JS_KB, 1, f"{size / KB:.1f} KB")


async def lighthouse(stage: Stage) -> list[Result]:
    """Measure GOAL-P16: the public pages for a visitor, then /home for a member; medians of several visits."""
    async with chromium() as port:
        rows = [row for path in PUBLIC for row in _rows(path, await _visits(port, stage.url + path), public=True)]
        await become_member(stage, port)
        return [*rows, *_rows(HOME, await _visits(port, stage.url + HOME), public=False)]


def _rows(path: str, visits: list[Visit], *, public: bool) -> list[Result]:
    def median(values: list[float]) -> float:
        return statistics.median(values)

    performance = median([visit.scores["performance"] for visit in visits])
    lcp_ms, cls = median([visit.lcp_ms for visit in visits]), median([visit.cls for visit in visits])
    tbt_ms = median([visit.tbt_ms for visit in visits])
    # Nobody searches for what lies behind the login.
    others = ("accessibility", "best-practices", "seo") if public else ("accessibility", "best-practices")
    least = min(visit.scores[name] for visit in visits for name in others)
    # The reason, where there is one.
    failed = (
        ", ".join(sorted({name for visit in visits for name in visit.failed})) if least < FULL else ", ".join(others)
    )
    return [
        Result("P16", f"{path} performance of 100", performance, PERFORMANCE, f"{performance:.0f}", at_least=True),
        Result("P16", f"{path} largest paint to 1.8 s", lcp_ms / LCP_MS, 1, f"{lcp_ms / 1000:.2f} s"),
        Result("P16", f"{path} layout shift to {CLS}", cls / CLS, 1, f"{cls:.3f}"),
        Result("P16", f"{path} blocked to {TBT_MS} ms", tbt_ms / TBT_MS, 1, f"{tbt_ms:.0f} ms"),
        Result("P16", f"{path} least of the others, of 100", least, FULL, failed, at_least=True),
    ]


@asynccontextmanager
async def chromium() -> AsyncIterator[int]:
    """Start a browser without a window; yield the port that controls it."""
    binary = os.environ.get("CHROMIUM_BIN") or shutil.which("chromium")
    if binary is None:
        raise machine.SetupError("Lighthouse needs Chromium: install it, or name it by CHROMIUM_BIN.")
    port = postgres.free_port()
    with tempfile.TemporaryDirectory(prefix="socio-chromium-", ignore_cleanup_errors=True) as profile:
        browser = await asyncio.create_subprocess_exec(
            *(binary, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-component-update", "about:blank"),
            *(f"--remote-debugging-port={port}", f"--user-data-dir={profile}"),
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(CHROMIUM_START_S):
                await _listening(port)
            yield port
        finally:
            browser.terminate()
            await browser.wait()


async def _listening(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return


async def _visits(port: int, url: str) -> list[Visit]:
    return [await _visit(port, url) for _ in range(VISITS)]


async def _visit(port: int, url: str) -> Visit:
    """Judge a page, again if a busy machine lost the trace. Raises RuntimeError after ATTEMPTS."""
    for _ in range(ATTEMPTS):
        process = await asyncio.create_subprocess_exec(
            *(str(NODE_MODULES / ".bin" / "lighthouse"), url, f"--port={port}", "--disable-storage-reset"),
            *("--output=json", "--quiet", "--no-enable-error-reporting"),
            stdout=asyncio.subprocess.PIPE,
            env=machine.npm_environment(BIN),
        )
        output, _ = await process.communicate()
        if process.returncode == 0:
            return _read(json.loads(output))
    raise RuntimeError(f"Lighthouse could not judge {url}")


def _read(report: Mapping[str, Any]) -> Visit:
    categories, audits = report["categories"], report["audits"]
    weighed = [
        audit["id"]
        for name in ("accessibility", "best-practices", "seo")
        for audit in categories[name]["auditRefs"]
        if audit["weight"] > 0
    ]
    return Visit(
        scores={name: round(category["score"] * FULL) for name, category in categories.items()},
        failed=frozenset(name for name in weighed if audits[name]["score"] not in (None, 1)),
        lcp_ms=audits["largest-contentful-paint"]["numericValue"],
        tbt_ms=audits["total-blocking-time"]["numericValue"],
        cls=audits["cumulative-layout-shift"]["numericValue"],
    )


async def become_member(stage: Stage, port: int, number: int = 0) -> None:
    """Sign somebody in, as far as the browser can tell: the session and what is asked only once lie in its storage."""
    body = {"email": stage.people[number].email, "password": PASSWORD}
    async with stage.client.post(f"{stage.url}/auth/v1/token?grant_type=password", json=body) as answer:
        session = await answer.json()
    url = f"{stage.url}/rest/v1/profiles?user_id=eq.{session['user']['id']}"
    async with stage.client.patch(url, json={"onboarding_completed": True}, headers=stage.headers(number)) as answer:
        answer.raise_for_status()
    host = urlsplit(stage.url).hostname or ""
    entries = {
        f"sb-{host.split('.')[0]}-auth-token": json.dumps(session),
        "cookie_consent": "rejected",
        "cookie_consent_date": datetime.now(UTC).isoformat(),
        "tour_completed": "true",
    }
    # A page without scripts of its own.
    await evaluate(stage, port, "/robots.txt", f"Object.assign(localStorage, {json.dumps(entries)})")


async def evaluate(stage: Stage, port: int, path: str, script: str) -> Any:
    """Return the value or promise of a script, run when a page of our origin has loaded."""
    async with stage.client.put(f"http://127.0.0.1:{port}/json/new") as answer:
        page = await answer.json(content_type=None)
    async with stage.client.ws_connect(page["webSocketDebuggerUrl"]) as channel:

        async def call(method: str, done: Mapping[str, object], **params: object) -> Any:
            await channel.send_json({"id": 1, "method": method, "params": params})
            async for message in channel:
                said = message.json()
                if done.items() <= said.items():
                    return said
            raise ConnectionError("Chromium has closed the channel")

        await call("Page.enable", {"id": 1})
        # The timers of a page that nobody sees run once a second.
        await call("Page.bringToFront", {"id": 1})
        await call("Page.navigate", {"method": "Page.loadEventFired"}, url=stage.url + path)
        said = await call("Runtime.evaluate", {"id": 1}, expression=script, awaitPromise=True, returnByValue=True)
    async with stage.client.get(f"http://127.0.0.1:{port}/json/close/{page['id']}") as answer:
        await answer.read()
    return said["result"]["result"]["value"]
