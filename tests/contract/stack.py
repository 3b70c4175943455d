"""What the contract tests share: the addresses and keys of the running stack, and its mailbox."""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from supabase_auth.errors import AuthApiError

MAIL_TIMEOUT_S = 20


@cache
def run() -> dict[str, Any]:
    """`run.json` of the stack these tests were started beside (`python -m scripts.stack -- pytest tests/contract`)."""
    content: dict[str, Any] = json.loads(Path(os.environ["SOCIO_RUN_JSON"]).read_text())
    return content


def new_address() -> str:
    """An address nobody has used."""
    return f"{uuid4().hex}@socio.example"


def new_number() -> str:
    """A telephone number nobody has used, as far as chance allows."""
    return f"39333{secrets.randbelow(9_000_000) + 1_000_000}"


def answer_of(path: str, token: str) -> httpx.Response:
    """What the stack says to whoever has this token."""
    headers = {"apikey": run()["publishable_key"], "Authorization": f"Bearer {token}"}
    return httpx.get(f"{run()['url']}{path}", headers=headers)


@contextmanager
def refused(status: int, code: str) -> Iterator[None]:
    """A call that the server refuses."""
    with pytest.raises(AuthApiError) as error:
        yield
    assert (error.value.status, error.value.code) == (status, code)


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


def sms_code(number: str, count: int = 1) -> str:
    """The code in the latest of so many SMS: they land in the same mailbox."""
    found = re.search(r"\d{6}", mails_to(f"{number}@sms.socio.example", count)[-1])
    assert found is not None
    return found[0]
