"""Meta's Graph API for one WhatsApp number (developers.facebook.com, WhatsApp Cloud API).

`WHATSAPP_API_BASE` is another address of it, with its version. `WHATSAPP_SANDBOX` is the fake Meta of `make run`, for
numbers whose token says so; the way out refuses one on this machine wherever the product itself is reached by https.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import aiohttp

from backend.edge import api

API_BASE = "https://graph.facebook.com/v25.0"
# How the tokens of the fake Meta begin, and the secret of its app (tests/fakes/meta/server.py).
SANDBOX_TOKEN = "prova-"  # noqa: S105
SANDBOX_SECRET = "segreto-di-prova"  # noqa: S105
TIMEOUT_S = 30.0
MAX_BYTES = 2 * 1024 * 1024


class Refused(Exception):
    """Meta refused, with a code of its own."""

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class Unreachable(Exception):
    """Meta was not reached: nothing was sent."""


class Uncertain(Exception):
    """The request left, and no usable answer came."""


@dataclass(frozen=True)
class Graph:
    """The way to Meta with a token."""

    context: api.Context
    token: str = field(repr=False)

    async def request(
        self, method: str, path: str, json: Any = None, *, timeout_s: float = TIMEOUT_S
    ) -> dict[str, Any]:
        """Ask Meta. Raises Refused, Unreachable and Uncertain."""
        try:
            answer = await self.context.http.request(
                method, f"{base(self.context, self.token)}/{path}", json=json,
                headers={"Authorization": f"Bearer {self.token}"},
                timeout_s=timeout_s, max_bytes=MAX_BYTES,
            )  # fmt: skip
            body = answer.json()
        except api.OutwardError as error:
            if error.__cause__ is None or isinstance(error.__cause__, aiohttp.ClientConnectorError):
                raise Unreachable(str(error)) from error
            raise Uncertain(str(error)) from error
        if not isinstance(body, dict):
            raise Uncertain("The answer is no object")
        if isinstance(body.get("error"), dict):
            raise refusal(body["error"])
        if answer.status >= 400:
            raise Uncertain(f"status {answer.status}")
        return body


def base(context: api.Context, token: str) -> str:
    """Return where the Graph API of a token is."""
    if token.startswith(SANDBOX_TOKEN) and context.has_secret("WHATSAPP_SANDBOX"):
        return context.secret("WHATSAPP_SANDBOX") + "/graph"
    return context.secret("WHATSAPP_API_BASE") if context.has_secret("WHATSAPP_API_BASE") else API_BASE


def refusal(error: dict[str, Any]) -> Refused:
    """Read an error; its title is not used, because Meta takes titles away."""
    code = error.get("code")
    details = error.get("error_data")
    detail = details.get("details") if isinstance(details, dict) else None
    return Refused(code if isinstance(code, int) else -1, str(detail or error.get("message") or "")[:500])
