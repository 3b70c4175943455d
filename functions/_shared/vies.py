"""VIES, the European Commission's register of VAT numbers for trade between member states.

`GET {base}/ms/{country}/vat/{number}` answers {isValid, userError, name, …}
(https://ec.europa.eu/taxation_customs/vies/rest-api). `VIES_API_BASE` is another address of it: for the fake of the
tests only; the way out refuses one on this machine wherever the product itself is reached by https.
"""

from __future__ import annotations

from dataclasses import dataclass

from backend.edge import api

API_BASE = "https://ec.europa.eu/taxation_customs/vies/rest-api"
# A person waits for it.
TIMEOUT_S = 10.0
MAX_BYTES = 64 * 1024
NAME_LENGTH = 500
# `userError` of an answer that was given; all others say why there is none.
ANSWERED = {"VALID", "INVALID"}
# What stands for a name or address that the country does not tell.
UNTOLD = "---"


class Unavailable(Exception):
    """VIES or the register of the country behind it gave no answer; the message is for the log."""


@dataclass(frozen=True)
class Entry:
    """What VIES says about a number; `name` is None where the country does not tell it."""

    registered: bool
    name: str | None


async def ask(context: api.Context, country: str, number: str) -> Entry:
    """Asks about a number without its country's letters. Raises Unavailable."""
    base = context.secret("VIES_API_BASE") if context.has_secret("VIES_API_BASE") else API_BASE
    try:
        answer = await context.http.request(
            "GET", f"{base}/ms/{country}/vat/{number}", timeout_s=TIMEOUT_S, max_bytes=MAX_BYTES
        )
        body = answer.json()
    except api.OutwardError as error:
        raise Unavailable(str(error)) from error
    if answer.status != 200 or not isinstance(body, dict):
        raise Unavailable(f"status {answer.status}")
    if body.get("userError") not in ANSWERED or not isinstance(body.get("isValid"), bool):
        raise Unavailable(f"userError {str(body.get('userError'))[:50]}")
    return Entry(body["isValid"], _told(body.get("name")) if body["isValid"] else None)


def _told(name: object) -> str | None:
    """A name on one line, if there is one."""
    if not isinstance(name, str):
        return None
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())[:NAME_LENGTH]
    return None if line in ("", UNTOLD) else line
