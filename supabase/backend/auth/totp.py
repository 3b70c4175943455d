"""Time-based one-time codes (RFC 6238): SHA-1, six digits, steps of 30 seconds, as every authenticator app has them."""

from __future__ import annotations

import base64
import binascii
import hmac
import io
import secrets
from datetime import datetime
from urllib.parse import quote, urlencode

import segno

DIGITS = 6
PERIOD_S = 30
SECRET_BYTES = 20
# A code counts one step early and one step late: clocks differ, people type slowly (RFC 6238, 5.2).
SKEW_STEPS = 1


def new_secret() -> str:
    """160 bits in base32, the length RFC 4226 recommends."""
    return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()


def uri(secret: str, issuer: str, account: str) -> str:
    """What the QR code says (Google Authenticator's key URI format)."""
    label = f"{quote(issuer, safe='')}:{quote(account, safe='@')}"
    query = {"algorithm": "SHA1", "digits": DIGITS, "issuer": issuer, "period": PERIOD_S, "secret": secret}
    return f"otpauth://totp/{label}?{urlencode(query, quote_via=quote)}"


def qr_code(text: str) -> str:
    """The text as SVG. Raises ValueError when it is too long."""
    drawn = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        drawn, kind="svg", scale=4, light="white", xmldecl=False, nl=False, svgclass=None, lineclass=None
    )
    # Clients put it into a data URI as it stands, where # would begin the fragment.
    return drawn.getvalue().decode().replace("#000", "black").replace("#fff", "white")


def step_of(secret: str, code: str, now: datetime, after: int) -> int | None:
    """The time step this code belongs to, None for a wrong one or one of a step that is not later than `after`."""
    typed = "".join(code.split())
    current = int(now.timestamp()) // PERIOD_S
    steps = range(max(current - SKEW_STEPS, after + 1), current + SKEW_STEPS + 1)
    return next((step for step in steps if hmac.compare_digest(_code(secret, step), typed.encode())), None)


def _code(secret: str, step: int) -> bytes:
    """RFC 4226, 5.3."""
    try:
        key = base64.b32decode(secret + "=" * (-len(secret) % 8), casefold=True)
    except binascii.Error as error:
        raise ValueError("A stored TOTP secret is not base32") from error
    digest = hmac.digest(key, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return str(number % 10**DIGITS).zfill(DIGITS).encode()
