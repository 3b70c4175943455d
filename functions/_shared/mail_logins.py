"""The login of a mail account at Microsoft or Google: providers, the exchange of a code, and fresh access tokens.

OAuth 2.0 with PKCE (RFC 7636). The id token comes from the token endpoint over TLS, so its claims count without a
check of the signature (OpenID Connect Core, 3.1.3.7). Tokens rest encrypted and never reach a log.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

import jwt

from backend.edge import api
from functions._shared import smtp

RETURN_SLUG = "mail_login_return"
# What context.seal encrypts tokens for, in the row of their person.
PURPOSE = "mail tokens"
# Answers on loopback instead of the providers, for tests: its address, its SMTP port and its IMAP port.
SANDBOX_SETTING = "SOCIO_MAIL_SANDBOX"
TIMEOUT_S = 15
# Longer than a request may take; others of the same account wait for as long.
LEASE_S = 30
POLL_S = 0.1
# Longer than the longest run of a job that uses one token.
SPARE = timedelta(minutes=5)
MAX_TOKEN = 16_000
# What the token endpoint says of a login that only its owner can renew.
GONE = {"invalid_grant", "interaction_required", "login_required", "consent_required"}


@dataclass(frozen=True)
class Endpoint:
    """A mail server."""

    host: str
    port: int
    security: str


@dataclass(frozen=True)
class Provider:
    """Where people sign in, and where their mail is sent and read."""

    key: str
    name: str
    authorize_url: str
    token_url: str
    revoke_url: str | None
    issuer: str
    scopes: tuple[str, ...]
    # Those without which mail can be neither sent nor read.
    needed: tuple[str, ...]
    parameters: Mapping[str, str]
    smtp: Endpoint
    imap: Endpoint
    client_id: str = ""
    secret: str = field(default="", repr=False)


@dataclass(frozen=True)
class Tokens:
    """What the token endpoint gave; an empty refresh token: the former one goes on."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    id_token: str = field(repr=False)
    expires_at: datetime
    scopes: frozenset[str]


class Gone(Exception):
    """The provider takes the code or the refresh token no more, or we cannot decrypt it."""


class Unavailable(Exception):
    """The provider could not be asked, or the operator's client is not accepted; the message is for the log."""


class BadIdentity(Exception):
    """The id token is not about this sign-in, or names no address; the message is for the log."""


_MICROSOFT = "https://login.microsoftonline.com/common/oauth2/v2.0"
_OUTLOOK = ("https://outlook.office.com/IMAP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send")
_GMAIL = ("https://mail.google.com/",)
KNOWN = {
    "microsoft": Provider(
        key="microsoft",
        name="Outlook",
        authorize_url=f"{_MICROSOFT}/authorize",
        token_url=f"{_MICROSOFT}/token",
        revoke_url=None,
        issuer="https://login.microsoftonline.com/",
        # `profile` brings the name with which the mail servers know a person.
        scopes=("openid", "email", "profile", "offline_access", *_OUTLOOK),
        needed=_OUTLOOK,
        parameters={"prompt": "select_account", "response_mode": "query"},
        smtp=Endpoint("smtp.office365.com", 587, "starttls"),
        imap=Endpoint("outlook.office365.com", 993, "tls"),
    ),
    "google": Provider(
        key="google",
        name="Gmail",
        authorize_url="https://accounts.google.com/o/oauth2/v2/auth",
        token_url="https://oauth2.googleapis.com/token",  # noqa: S106 - an address
        revoke_url="https://oauth2.googleapis.com/revoke",
        issuer="https://accounts.google.com",
        scopes=("openid", "email", *_GMAIL),
        needed=_GMAIL,
        # Only with both a refresh token comes each time.
        parameters={"access_type": "offline", "prompt": "consent select_account"},
        smtp=Endpoint("smtp.gmail.com", 465, "tls"),
        imap=Endpoint("imap.gmail.com", 993, "tls"),
    ),
}


def provider(context: api.Context, key: str) -> Provider | None:
    """Return a provider with the operator's client; None when it is unknown or its client is not set."""
    known, prefix = KNOWN.get(key), f"SOCIO_MAIL_{key.upper()}"
    names = (f"{prefix}_CLIENT_ID", f"{prefix}_SECRET")
    if known is None or not all(context.has_secret(name) for name in names):
        return None
    client_id, secret = (context.secret(name).strip() for name in names)
    return _sandboxed(context, replace(known, client_id=client_id, secret=secret))


def _sandboxed(context: api.Context, provider: Provider) -> Provider:
    if not context.has_secret(SANDBOX_SETTING):
        return provider
    url, smtp_port, imap_port = context.secret(SANDBOX_SETTING).split()
    host = urlsplit(url).hostname or ""
    if not context.http.is_own_machine(host):
        # Tokens go only to this machine, and only where the product itself is not reached by https.
        return provider
    return replace(
        provider,
        authorize_url=f"{url}/{provider.key}/authorize",
        token_url=f"{url}/{provider.key}/token",
        revoke_url=provider.revoke_url and f"{url}/{provider.key}/revoke",
        issuer=url,
        smtp=Endpoint(host, int(smtp_port), "starttls"),
        imap=Endpoint(host, int(imap_port), "starttls"),
    )


def return_address(context: api.Context) -> str:
    """Return the only address to which providers send people back."""
    return f"{context.api_url}/functions/v1/{RETURN_SLUG}"


def authorize_url(context: api.Context, provider: Provider, state: str, address: str | None) -> str:
    """Return where a person signs in; `address` is the mailbox to choose, if known."""
    challenge = hashlib.sha256(_derived(context, "verifier", state).encode()).digest()
    asked = {
        **provider.parameters,
        "client_id": provider.client_id,
        "redirect_uri": return_address(context),
        "response_type": "code",
        "scope": " ".join(provider.scopes),
        "state": state,
        "nonce": _derived(context, "nonce", state),
        "code_challenge": _plain(challenge),
        "code_challenge_method": "S256",
        **({"login_hint": address} if address else {}),
    }
    return f"{provider.authorize_url}?{urlencode(asked)}"


async def exchange(context: api.Context, provider: Provider, code: str, state: str) -> Tokens:
    """Exchange a code for tokens. Raises Gone, Unavailable."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": return_address(context),
        "code_verifier": _derived(context, "verifier", state),
    }
    return await _ask(context, provider, form)


def identity(context: api.Context, provider: Provider, tokens: Tokens, state: str) -> str:
    """Return the mailbox that signed in. Raises BadIdentity."""
    try:
        claims = jwt.decode(
            tokens.id_token,
            options={
                "verify_signature": False,
                "verify_aud": True,
                "verify_exp": True,
                "require": ["exp", "aud", "iss"],
            },
            audience=provider.client_id,
            leeway=60,
        )
    except jwt.InvalidTokenError as error:
        raise BadIdentity(f"id token: {error}") from error
    if not str(claims["iss"]).startswith(provider.issuer) and f"https://{claims['iss']}" != provider.issuer:
        raise BadIdentity("id token of another issuer")
    if not hmac.compare_digest(str(claims.get("nonce", "")), _derived(context, "nonce", state)):
        raise BadIdentity("id token of another sign-in")
    if provider.key == "google" and claims.get("email_verified") is not True:
        raise BadIdentity("address not verified")
    # Microsoft's mail servers know a person by this name; `email` may be written by anybody there.
    names = ("preferred_username", "email") if provider.key == "microsoft" else ("email",)
    address = next((str(claims[name]) for name in names if claims.get(name)), "")
    if not smtp.ADDRESS.fullmatch(address) or len(address) > 254:
        raise BadIdentity("id token without an address")
    return address


async def access_token(context: api.Context, user_id: UUID) -> str:
    """Return an access token of a person's account that lasts for five minutes, refreshed by one worker at a time.

    Raises smtp.Failure: `auth` when the person must sign in again, `disconnected`, or a temporary `unreachable`.
    """
    ends_at = time.monotonic() + LEASE_S
    while (token := await _kept_token(context, user_id)) is None:
        lease = await context.call("private.take_lease", user_id, "mail token", LEASE_S)
        if lease is not None:
            try:
                # Somebody may have refreshed it right before.
                return await _kept_token(context, user_id) or await _refresh(context, user_id)
            finally:
                await asyncio.shield(context.call("private.end_lease", lease))
        if time.monotonic() > ends_at:
            raise smtp.Failure("unreachable", is_temporary=True)
        await asyncio.sleep(POLL_S)
    return token


async def password(context: api.Context, user_id: UUID, row: Mapping[str, Any]) -> str:
    """Return the password of a row of private.mail_account_of or mail_inbox_of, or a token. Raises smtp.Failure."""
    if row["provider"] is not None:
        return await access_token(context, user_id)
    kept = context.unseal_if_possible(smtp.PURPOSE, user_id, row["sealed"])
    if kept is None:
        # As a password that the server refuses: its person writes it again.
        raise smtp.Failure("auth")
    return kept


async def revoke(context: api.Context, provider: Provider, token: str) -> None:
    """Have a provider revoke a token; one that it does not know is revoked. Raises Unavailable."""
    if provider.revoke_url is None:
        return
    try:
        answer = await context.http.request(
            "POST", provider.revoke_url, data={"token": token}, timeout_s=TIMEOUT_S, max_bytes=64 * 1024
        )
    except api.OutwardError as error:
        raise Unavailable(str(error)) from error
    if answer.status not in (200, 400):
        raise Unavailable(f"revocation answered {answer.status}")


async def _stored(context: api.Context, user_id: UUID) -> dict[str, Any]:
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.mail_token_of($1)", user_id)
    if row is None:
        raise smtp.Failure("disconnected")
    if row["is_expired"]:
        raise smtp.Failure("auth")
    return dict(row)


async def _kept_token(context: api.Context, user_id: UUID) -> str | None:
    """Return the kept access token; None when it ends soon or cannot be decrypted."""
    row = await _stored(context, user_id)
    if row["access_sealed"] is None or row["access_expires_at"] < context.now() + SPARE:
        return None
    return context.unseal_if_possible(PURPOSE, user_id, row["access_sealed"])


async def _refresh(context: api.Context, user_id: UUID) -> str:
    row = await _stored(context, user_id)
    known = provider(context, row["provider"])
    if known is None:
        context.log.error("no client for mail logins", extra={"provider": row["provider"]})
        raise smtp.Failure("unreachable", is_temporary=True)
    refresh_token = context.unseal_if_possible(PURPOSE, user_id, row["sealed"])
    try:
        if refresh_token is None:
            raise Gone("the refresh token cannot be decrypted")
        tokens = await _ask(context, known, {"grant_type": "refresh_token", "refresh_token": refresh_token})
    except Gone as error:
        await context.call("private.expire_mail_login", user_id, row["sealed"])
        context.log.warning("mail login expired", extra={"provider": known.key})
        raise smtp.Failure("auth") from error
    except Unavailable as error:
        context.log.warning("mail token not refreshed", extra={"provider": known.key, "cause": str(error)})
        raise smtp.Failure("unreachable", is_temporary=True) from error
    sealed = context.seal(PURPOSE, user_id, tokens.refresh) if tokens.refresh else row["sealed"]
    # A new refresh token may have ended the former one: keep it even if the job is told to stop.
    kept = await asyncio.shield(
        context.call(
            "private.keep_mail_token", user_id, row["sealed"], sealed,
            context.seal(PURPOSE, user_id, tokens.access), tokens.expires_at,
        )
    )  # fmt: skip
    if not kept:
        raise smtp.Failure("unreachable", is_temporary=True)
    return tokens.access


async def _ask(context: api.Context, provider: Provider, form: Mapping[str, str]) -> Tokens:
    """Ask the token endpoint. Raises Gone, Unavailable."""
    client = {"client_id": provider.client_id, "client_secret": provider.secret}
    try:
        answer = await context.http.request(
            "POST", provider.token_url, headers={"Accept": "application/json"}, data={**form, **client},
            timeout_s=TIMEOUT_S, max_bytes=256 * 1024,
        )  # fmt: skip
        content = answer.json()
    except api.OutwardError as error:
        raise Unavailable(str(error)) from error
    if not isinstance(content, dict):
        raise Unavailable("the token endpoint answered no object")
    code = str(content.get("error", ""))[:60]
    if answer.status == 400 and code in GONE:
        raise Gone(code)
    access, refresh, id_token = (content.get(name) or "" for name in ("access_token", "refresh_token", "id_token"))
    tokens = (access, refresh, id_token)
    if answer.status != 200 or not access or any(not isinstance(each, str) or len(each) > MAX_TOKEN for each in tokens):
        raise Unavailable(f"the token endpoint answered {answer.status} {code!r}")
    return Tokens(
        access=access,
        refresh=refresh,
        id_token=id_token,
        expires_at=context.now() + timedelta(seconds=_seconds(content.get("expires_in"))),
        scopes=frozenset(str(content.get("scope") or " ".join(provider.scopes)).split()),
    )


def _seconds(value: Any) -> int:
    """Read how long a token lasts; an hour when that is not said."""
    try:
        return max(0, min(int(value), 24 * 3600))
    except (TypeError, ValueError):
        return 3600


def _derived(context: api.Context, purpose: str, state: str) -> str:
    """Derive a secret of one sign-in, which needs no row of its own: 43 characters."""
    return _plain(hmac.digest(context.key(f"mail login {purpose}"), state.encode(), hashlib.sha256))


def _plain(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
