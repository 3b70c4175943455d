"""WebKitGTK by WebDriver (https://www.w3.org/TR/webdriver2/), in a window on a screen that nobody sees."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from scripts import postgres
from scripts.browsers import driver

PROGRAM = "WebKitWebDriver"
SCREEN = "Xvfb"
# Debian keeps it out of the path, by the version of its interface.
BROWSERS = "usr/lib/*/webkit2gtk-*/MiniBrowser"
NUMBER = re.compile(r"^(\d+)$", re.MULTILINE)
ANSWER_WITHIN_S = 60
# A machine of CI has no graphics and no desktop. Without compositing no picture would ever come.
ENVIRONMENT = {"LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1"}
# The protocol tells nothing of what a page logs, so a script collects it from when the page is loaded.
LISTEN = """
window.qaErrors = []
window.addEventListener('error', ({ message }) => window.qaErrors.push(message))
window.addEventListener('unhandledrejection', ({ reason }) => window.qaErrors.push(String(reason)))
"""


class WebKit:
    """One window, by requests."""

    def __init__(self, client: httpx.AsyncClient, session: str, version: str) -> None:
        self._client = client
        self._session = session
        self._errors: list[str] = []
        self.version = version

    async def open(self, url: str) -> None:
        await self._post("url", {"url": url})
        await self._post("execute/sync", {"script": LISTEN, "args": []})

    async def evaluate(self, expression: str) -> Any:
        script = f"const value = ({expression}); return [value, window.qaErrors ? window.qaErrors.splice(0) : []]"
        value, errors = await self._post("execute/sync", {"script": script, "args": []})
        self._errors += errors
        return value

    async def picture(self) -> str:
        answer = await self._client.get(f"/session/{self._session}/screenshot")
        return str(_value(answer))

    def errors(self) -> list[str]:
        found, self._errors = self._errors, []
        return found

    async def end(self) -> None:
        """Close the window: the program would leave it open."""
        await self._client.delete(f"/session/{self._session}")

    async def _post(self, command: str, body: dict[str, Any]) -> Any:
        return _value(await self._client.post(f"/session/{self._session}/{command}", json=body))


def _value(answer: httpx.Response) -> Any:
    value = answer.json()["value"]
    if answer.status_code != httpx.codes.OK:
        raise driver.BrowserError(f"{value['error']}: {value['message']}")
    return value


@asynccontextmanager
async def started(folder: Path) -> AsyncIterator[WebKit]:
    """Run the browser on a screen of its own."""
    log = folder / "screen.log"
    with driver.running([SCREEN, "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], log):
        environment = {**ENVIRONMENT, "DISPLAY": f":{await driver.announced(log, NUMBER, SCREEN)}", "HOME": str(folder)}
        port = postgres.free_port()
        with driver.running([PROGRAM, f"--port={port}"], folder / "webkit.log", environment):
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=ANSWER_WITHIN_S) as client:
                webkit = await _session(client)
                try:
                    yield webkit
                finally:
                    await webkit.end()


def _binary() -> str:
    return str(min(Path("/").glob(BROWSERS)))


async def _session(client: httpx.AsyncClient) -> WebKit:
    options = {"webkitgtk:browserOptions": {"binary": _binary(), "args": ["--automation"]}}
    for _ in range(driver.START_WITHIN_S * 10):
        try:
            answer = await client.post("/session", json={"capabilities": {"alwaysMatch": options}})
            break
        except httpx.ConnectError:
            await asyncio.sleep(0.1)
    else:
        raise driver.BrowserError(f"{PROGRAM} did not start within {driver.START_WITHIN_S} s")
    value = _value(answer)
    return WebKit(client, value["sessionId"], value["capabilities"]["browserVersion"])
