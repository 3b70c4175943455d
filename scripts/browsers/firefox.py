"""Firefox by WebDriver BiDi, which it speaks itself (https://w3c.github.io/webdriver-bidi/)."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import websockets

from scripts.browsers import driver

PROGRAM = "firefox-esr"
ANSWER_WITHIN_S = 60
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
MAX_MESSAGE_BYTES = 16 * 1024 * 1024


class Firefox:
    """One window, by a connection that answers commands and tells of events."""

    def __init__(self, connection: websockets.ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)
        self._errors: list[str] = []
        self._context = ""
        self.version = ""

    async def begin(self) -> None:
        """Open a session and subscribe to what the page logs."""
        session = await self._call("session.new", {"capabilities": {}})
        self.version = session["capabilities"]["browserVersion"]
        await self._call("session.subscribe", {"events": ["log.entryAdded"]})
        tree = await self._call("browsingContext.getTree", {})
        self._context = tree["contexts"][0]["context"]

    async def open(self, url: str) -> None:
        await self._call("browsingContext.navigate", {"context": self._context, "url": url, "wait": "complete"})

    async def evaluate(self, expression: str) -> Any:
        answer = await self._call(
            "script.evaluate", {"expression": expression, "target": {"context": self._context}, "awaitPromise": True}
        )
        if answer["type"] != "success":
            raise driver.BrowserError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    async def picture(self) -> str:
        answer = await self._call("browsingContext.captureScreenshot", {"context": self._context})
        return str(answer["data"])

    def errors(self) -> list[str]:
        found, self._errors = self._errors, []
        return found

    async def _call(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        await self._connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        async with asyncio.timeout(ANSWER_WITHIN_S):
            while True:
                message = json.loads(await self._connection.recv())
                if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                    self._errors.append(message["params"]["text"])
                if message.get("id") == number:
                    if message["type"] == "error":
                        raise driver.BrowserError(f"{method}: {message['message']}")
                    result: dict[str, Any] = message["result"]
                    return result


@asynccontextmanager
async def started(folder: Path) -> AsyncIterator[Firefox]:
    """Run Firefox without a window, with a profile that is thrown away."""
    profile = driver.made(folder / "profile")
    log = folder / "firefox.log"
    command = [PROGRAM, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    with driver.running([*command, "about:blank"], log):
        address = await driver.announced(log, LISTENING, PROGRAM)
        async with websockets.connect(f"{address}/session", max_size=MAX_MESSAGE_BYTES) as connection:
            firefox = Firefox(connection)
            await firefox.begin()
            yield firefox
