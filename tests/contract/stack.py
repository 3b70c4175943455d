"""What the contract tests share: the addresses and keys of the running stack, and its mailbox."""

from __future__ import annotations

import json
import os
import re
import time
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

MAIL_TIMEOUT_S = 20


@cache
def run() -> dict[str, Any]:
    """`run.json` of the stack these tests were started beside (`python -m scripts.stack -- pytest tests/contract`)."""
    content: dict[str, Any] = json.loads(Path(os.environ["SOCIO_RUN_JSON"]).read_text())
    return content


def new_address() -> str:
    """An address nobody has used."""
    return f"{uuid4().hex}@socio.example"


def mails_to(address: str, count: int = 1) -> list[str]:
    """The texts of the mails to an address, oldest first, once that many have arrived."""
    deadline = time.monotonic() + MAIL_TIMEOUT_S
    with httpx.Client(base_url=run()["mailbox_url"]) as mailbox:
        while time.monotonic() < deadline:
            listed = mailbox.get("/api/v1/messages", params={"limit": 500}).json()["messages"]
            found = [each for each in listed if any(to["Address"] == address for to in each["To"])]
            if len(found) >= count:
                newest_first = [mailbox.get(f"/api/v1/message/{each['ID']}").json()["Text"] for each in found]
                return newest_first[::-1]
            time.sleep(0.05)  # the worker sends when it sends; the mailbox cannot be waited on
    raise TimeoutError(f"{count} mails to {address}")


def token_hash(text: str) -> str:
    """The hash in the link of a mail."""
    found = re.search(r"token_hash=([\w-]+)", text)
    assert found is not None
    return found[1]


def code(text: str) -> str:
    """The code beside the link."""
    found = re.search(r"codice: (\d{6})", text)
    assert found is not None
    return found[1]
