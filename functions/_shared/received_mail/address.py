"""The address to which a person forwards mails, `u+<token>@<domain>`: making, showing and recognising it."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets

from backend.edge import api

PURPOSE = "mail address"
DOMAIN_SETTING = "SOCIO_INBOUND_DOMAIN"
TOKEN_BYTES = 20
TOKEN = re.compile(r"[a-z2-7]{32}")


def domain(context: api.Context) -> str | None:
    """Return the domain of these addresses in lower case; None when the operator has set none."""
    return context.secret(DOMAIN_SETTING).lower() if context.has_secret(DOMAIN_SETTING) else None


def new_token() -> str:
    """Make a token of 160 random bits, in base32 and lower case: mail servers may change the case."""
    return base64.b32encode(secrets.token_bytes(TOKEN_BYTES)).decode().lower()


def digest(token: str) -> bytes:
    """Return what the database knows of a token."""
    return hashlib.sha256(token.encode()).digest()


def written(token: str, at_domain: str) -> str:
    """Write the address with this token."""
    return f"u+{token}@{at_domain}"


def token_of(address: str, at_domain: str) -> str | None:
    """Return the token in an address; None for any other address."""
    local, _, host = address.strip().lower().rpartition("@")
    found = local.removeprefix("u+")
    is_ours = host == at_domain and local.startswith("u+") and TOKEN.fullmatch(found) is not None
    return found if is_ours else None
