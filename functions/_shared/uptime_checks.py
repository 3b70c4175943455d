"""Ask the installation from outside, as its worker and a second machine do: each part, and the synthetic journey.

In the journey an account of the server (db/schemas/07_probes.sql) logs in, reads, writes and deletes a row of its own,
with no more rights than any person. The caller brings the way to send: the client of the worker or of scripts/watch.py.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

TIMEOUT_S = 10.0
JOURNEY = "journey"
# How often it is made; the database counts one for so many minutes.
JOURNEY_MINUTES = 5
# Through the gateway, as everybody asks.
ROUTES = {
    "site": ("GET", "/"),
    "api": ("GET", "/ready"),
    "auth": ("GET", "/auth/v1/health"),
    "storage": ("GET", "/storage/v1/health"),
    "functions": ("POST", "/functions/v1/ip_hash"),
}
TAG = "Percorso di prova"
MAX_ERROR_CHARS = 200

Check = dict[str, Any]


class Unreachable(Exception):
    """No answer came."""


@dataclass(frozen=True)
class Reply:
    """An answer, whatever its status."""

    status: int
    body: bytes = b""


@dataclass(frozen=True)
class Login:
    """The account of one journey; its password is made for this journey."""

    email: str
    password: str = field(repr=False)


# Method, path, headers and the JSON of the body. Raises Unreachable.
Send = Callable[[str, str, Mapping[str, str], Any], Awaitable[Reply]]


async def check_routes(send: Send) -> list[Check]:
    """Ask the parts that answer over HTTP, all at the same time."""
    return list(await asyncio.gather(*(check(part, _asks(send, *route)) for part, route in ROUTES.items())))


async def check(part: str, ask: Callable[[], Awaitable[bool]]) -> Check:
    """Ask one part; a part that cannot be reached has failed."""
    started_s = time.perf_counter()
    try:
        is_up = await ask()
    except Unreachable:
        is_up = False
    return {"part": part, "is_up": is_up, "took_ms": _since_ms(started_s)}


def _asks(send: Send, method: str, path: str) -> Callable[[], Awaitable[bool]]:
    async def ask() -> bool:
        return (await send(method, path, {}, None)).status == 200

    return ask


def _since_ms(started_s: float) -> int:
    return round((time.perf_counter() - started_s) * 1000)


def journey_check(steps: list[dict[str, Any]]) -> Check:
    """Sum the steps up as the check of one part."""
    return {
        "part": JOURNEY,
        "is_up": not any(step["error"] for step in steps),
        "took_ms": sum(step["took_ms"] for step in steps),
        "minutes": JOURNEY_MINUTES,
    }


def not_begun(error: str) -> list[dict[str, Any]]:
    """Return the steps of a journey for which there was no login."""
    return [{"step": "login", "took_ms": 0, "error": error[:MAX_ERROR_CHARS]}]


async def make_journey(send: Send, login: Login) -> list[dict[str, Any]]:
    """Log in, read, write, delete; after a step that fails the others are not made. The session ends in any case."""
    journey = _Journey(send, login)
    steps: list[dict[str, Any]] = []
    for name, go in (
        ("login", journey.log_in),
        ("read", journey.read),
        ("write", journey.write),
        ("delete", journey.delete),
    ):
        started_s = time.perf_counter()
        try:
            await go()
            error = ""
        except (_Failed, Unreachable) as failure:
            error = str(failure)[:MAX_ERROR_CHARS]
        steps.append({"step": name, "took_ms": _since_ms(started_s), "error": error})
        if error:
            break
    await journey.log_out()
    return steps


class _Failed(Exception):
    """An answer is not the right one; the message is for admins."""


class _Journey:
    """One journey: its steps hand on the session, and the row that is written."""

    def __init__(self, send: Send, login: Login) -> None:
        self._send = send
        self._login = login
        self._token = ""
        self._row_id = ""

    async def log_in(self) -> None:
        content = await self._ask(
            "POST",
            "/auth/v1/token?grant_type=password",
            {"email": self._login.email, "password": self._login.password},
        )
        token = content.get("access_token") if isinstance(content, dict) else None
        if not isinstance(token, str):
            raise _Failed("La risposta non contiene una sessione")
        self._token = token

    async def read(self) -> None:
        if await self._ask("GET", "/rest/v1/tags?select=id&limit=10") != []:
            raise _Failed("L’account legge righe che non ha")

    async def write(self) -> None:
        self._row_id = self._id_of(await self._ask("POST", "/rest/v1/tags?select=id", {"name": TAG}))

    async def delete(self) -> None:
        gone = await self._ask("DELETE", f"/rest/v1/tags?id=eq.{self._row_id}&select=id")
        if self._id_of(gone) != self._row_id:
            raise _Failed("È stata eliminata un’altra riga")

    async def log_out(self) -> None:
        """End the session; what fails here is cleared before the next journey."""
        if self._token:
            try:
                await self._send("POST", "/auth/v1/logout?scope=global", self._headers(), None)
            except Unreachable:
                return

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        reply = await self._send(method, path, self._headers(), body)
        try:
            content = json.loads(reply.body)
        except ValueError:
            content = None
        if reply.status not in (200, 201):
            code = content.get("error_code") or content.get("code") if isinstance(content, dict) else None
            raise _Failed(f"Risposta {reply.status}" + (f" ({code})" if code else ""))
        return content

    def _headers(self) -> dict[str, str]:
        return {
            "Prefer": "return=representation",
            **({"Authorization": f"Bearer {self._token}"} if self._token else {}),
        }

    @staticmethod
    def _id_of(rows: Any) -> str:
        if isinstance(rows, list) and len(rows) == 1 and isinstance(rows[0], dict) and rows[0].get("id"):
            return str(rows[0]["id"])
        raise _Failed("La risposta non contiene la riga")
