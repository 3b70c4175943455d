"""Meta's Graph API for one WhatsApp number (developers.facebook.com, WhatsApp Cloud API).

`WHATSAPP_API_BASE` is another address of it, with its version. `WHATSAPP_SANDBOX` is the fake Meta of `make run`, for
numbers whose token says so; the way out refuses one on this machine wherever the product itself is reached by https.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from backend.edge import api

API_BASE = "https://graph.facebook.com/v25.0"
# How the tokens of the fake Meta begin, and the secret of its app (tests/fakes/meta/server.py).
SANDBOX_TOKEN = "prova-"  # noqa: S105
SANDBOX_SECRET = "segreto-di-prova"  # noqa: S105
# Meta's code for a token that is over.
BAD_TOKEN = 190
TIMEOUT_S = 30.0
MAX_BYTES = 2 * 1024 * 1024
FILE_TIMEOUT_S = 90.0
# Where Meta keeps files; the token goes nowhere else.
FILE_HOSTS = (".fbsbx.com", ".fbcdn.net", ".whatsapp.net", ".facebook.com")


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


class TooLarge(Exception):
    """A file is larger than it may be."""


@dataclass(frozen=True)
class Graph:
    """The way to Meta with a token."""

    context: api.Context
    token: str = field(repr=False)

    async def request(
        self, method: str, path: str, json: Any = None, *, data: Any = None, timeout_s: float = TIMEOUT_S
    ) -> dict[str, Any]:
        """Ask Meta. Raises Refused, Unreachable and Uncertain.

        An empty token could not be decrypted: it is refused as Meta refuses one that is over.
        """
        if not self.token:
            raise Refused(BAD_TOKEN, "the token cannot be decrypted")
        try:
            answer = await self.context.http.request(
                method, f"{base(self.context, self.token)}/{path}", json=json, data=data,
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

    async def upload(self, phone_number_id: str, name: str, mime: str, content: bytes) -> str:
        """Give Meta a file; return its id, good for 30 days. Raises Refused and Unreachable: nothing was sent."""
        form = aiohttp.FormData({"messaging_product": "whatsapp", "type": mime})
        form.add_field("file", content, filename=name, content_type=mime)
        try:
            answer = await self.request("POST", f"{phone_number_id}/media", data=form, timeout_s=FILE_TIMEOUT_S)
        except Uncertain as error:
            raise Unreachable(str(error)) from error
        if not isinstance(answer.get("id"), str):
            raise Unreachable("The file got no id")
        return str(answer["id"])

    async def download(self, url: str, max_bytes: int) -> bytes:
        """Fetch a file from where Meta says it is, for five minutes. Raises TooLarge and Unreachable."""
        host, own = urlsplit(url).hostname or "", urlsplit(base(self.context, self.token)).hostname
        if host != own and not host.endswith(FILE_HOSTS):
            raise Unreachable(f"{host} is not Meta's")
        content = bytearray()
        headers = {"Authorization": f"Bearer {self.token}"}
        try:
            async with self.context.http.stream("GET", url, headers=headers, timeout_s=FILE_TIMEOUT_S) as answer:
                if answer.status != 200:
                    raise Unreachable(f"status {answer.status}")
                async for piece in answer.content.iter_chunked(64 * 1024):
                    content += piece
                    if len(content) > max_bytes:
                        raise TooLarge
        except api.OutwardError as error:
            raise Unreachable(str(error)) from error
        return bytes(content)


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
