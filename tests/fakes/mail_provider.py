"""A fake Microsoft and Google for mail logins on loopback: the page that asks, tokens that rotate, and who may sign in.

`mode` says how the token endpoint answers: `good`, `error` (503), `gone` (invalid_grant), `garbage`, or `slow`, which
waits for `over`. A mail server of the tests asks `lets_in` about the token it is shown.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import jwt
from aiohttp import web
from aiosmtpd.smtp import SMTP, AuthResult

# Of the environment: its address, and the ports of its SMTP and IMAP (functions/_shared/mail_logins.py reads it).
SETTING = "SOCIO_MAIL_SANDBOX"
CLIENT_ID, SECRET = "socio-di-prova", "segreto-di-prova"
ADDRESS = "anna@outlook.example"
PAGE = """<!doctype html><html lang="it"><meta charset="utf-8"><title>Accesso di prova</title>
<h1>Accesso di prova</h1><form method="post">{hidden}
<p><label>Casella <input name="address" value="{address}"></label></p>
<p><button name="answer" value="yes">Consenti</button> <button name="answer" value="no">Rifiuta</button></p></form>"""


@dataclass
class Provider:
    """Both providers; tokens say whose they are."""

    url: str = ""
    mode: str = "good"
    # What a person leaves ticked; None: all that is asked for.
    granted: set[str] | None = None
    expires_in: int = 3600
    # Claims in place of those of the id token.
    claims: dict[str, Any] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    revoked: list[str] = field(default_factory=list)
    # Set when a request waits.
    waits: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    # Puts a mail into the mailbox, for browser tests.
    deliver: Callable[[bytes], object] | None = None
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)
    _refresh_tokens: dict[str, dict[str, str]] = field(default_factory=dict)
    _access_tokens: dict[str, str] = field(default_factory=dict)

    def lets_in(self, shown: bytes) -> bool:
        """Check an answer to AUTH XOAUTH2: `user=…^Aauth=Bearer …^A^A`."""
        parts = shown.decode().split("\x01")
        user, token = parts[0].removeprefix("user="), parts[1].removeprefix("auth=Bearer ") if len(parts) == 4 else ""
        return bool(token) and self._access_tokens.get(token) == user

    def end_access(self) -> None:
        """End all access tokens before their time."""
        self._access_tokens.clear()

    def refreshes(self) -> int:
        """Count how often a refresh token was used."""
        return sum(form["grant_type"] == "refresh_token" for form in self.asked)

    async def page(self, request: web.Request) -> web.StreamResponse:
        """Show who asks for what."""
        told = "".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
            for name, value in request.query.items()
        )
        address = html.escape(request.query.get("login_hint", ADDRESS))
        return web.Response(text=PAGE.format(hidden=told, address=address), content_type="text/html")

    async def decide(self, request: web.Request) -> web.StreamResponse:
        """Send the person back with a code, or with the refusal."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        problem = self._problem(form)
        if problem:
            return web.Response(status=400, text=problem)
        answer = {"state": form["state"], "error": "access_denied"}
        if form["answer"] == "yes":
            code = secrets.token_urlsafe(16)
            self._codes[code] = form
            answer = {"state": form["state"], "code": code}
        raise web.HTTPFound(f"{form['redirect_uri']}?{urlencode(answer)}")

    def _problem(self, form: dict[str, str]) -> str | None:
        if form.get("client_id") != CLIENT_ID or form.get("response_type") != "code":
            return "bad client"
        if form.get("code_challenge_method") != "S256" or len(form.get("code_challenge", "")) != 43:
            return "bad challenge"
        return None if form.get("state") and form.get("nonce") and form.get("redirect_uri") else "bad request"

    async def token(self, request: web.Request) -> web.StreamResponse:
        """Exchange a code or a refresh token."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.asked.append(form)
        mode = self.mode
        if mode == "slow":
            self.waits.set()
            await self.over.wait()
        if mode == "error":
            return web.json_response({"error": "temporarily_unavailable"}, status=503)
        if mode == "garbage":
            return web.Response(text="<html>", content_type="text/html")
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, SECRET):
            return web.json_response({"error": "invalid_client"}, status=401)
        grant = self._grant(form) if mode != "gone" else None
        if grant is None:
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response(self._tokens(grant))

    def _grant(self, form: dict[str, str]) -> dict[str, str] | None:
        if form["grant_type"] == "refresh_token":
            # Each refresh token is used once.
            return self._refresh_tokens.pop(form["refresh_token"], None)
        grant = self._codes.pop(form["code"], None)
        if grant is None or grant["redirect_uri"] != form["redirect_uri"]:
            return None
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        fits = base64.urlsafe_b64encode(digest).decode().rstrip("=") == grant["code_challenge"]
        return grant if fits else None

    def _tokens(self, grant: dict[str, str]) -> dict[str, Any]:
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._access_tokens[access] = grant["address"]
        self._refresh_tokens[refresh] = grant
        claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "exp": int(time.time()) + 600,
            "nonce": grant["nonce"],
            "email": grant["address"],
            "email_verified": True,
            **self.claims,
        }
        scopes = set(grant["scope"].split()) if self.granted is None else self.granted
        return {
            "access_token": access,
            "refresh_token": refresh,
            "expires_in": self.expires_in,
            "scope": " ".join(sorted(scopes)),
            "id_token": jwt.encode(claims, "of the fake provider, whose signature nobody checks", "HS256"),
        }

    async def introspect(self, request: web.Request) -> web.StreamResponse:
        """Say whose an access token is (RFC 7662, as Dovecot asks)."""
        address = self._access_tokens.get(request.query.get("token", ""))
        return web.json_response({"active": address is not None, "email": address})

    async def mail(self, request: web.Request) -> web.StreamResponse:
        """Put a mail into the mailbox."""
        assert self.deliver is not None
        self.deliver(await request.read())
        return web.Response()

    async def revoke(self, request: web.Request) -> web.StreamResponse:
        """Forget a token."""
        if self.mode == "error":
            return web.json_response({}, status=503)
        token = str((await request.post())["token"])
        self.revoked.append(token)
        known = self._refresh_tokens.pop(token, None)
        return web.json_response({}, status=200 if known else 400)


class TokenAuth:
    """For aiosmtpd's handlers: lets in whoever shows a token of the provider; counts refusals that were answered."""

    provider: Provider
    closed_challenges = 0

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802 - aiosmtpd's name
        """Check the token; a refusal is a challenge that the client must answer with an empty line."""
        if self.provider.lets_in(base64.b64decode(args[1])):
            return AuthResult(success=True)
        if await server.challenge_auth('{"status":"401"}') == b"":
            self.closed_challenges += 1
        return AuthResult(success=False, handled=False)


def application(provider: Provider) -> web.Application:
    """Make the pages and endpoints of both providers."""
    app = web.Application()
    app.router.add_get("/{provider}/authorize", provider.page)
    app.router.add_post("/{provider}/authorize", provider.decide)
    app.router.add_post("/{provider}/token", provider.token)
    app.router.add_post("/{provider}/revoke", provider.revoke)
    app.router.add_post("/mail", provider.mail)
    app.router.add_get("/introspect", provider.introspect)
    return app


@asynccontextmanager
async def serving(port: int = 0) -> AsyncIterator[Provider]:
    """Serve while the block lasts."""
    provider = Provider()
    runner = web.AppRunner(application(provider), shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    provider.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield provider
    finally:
        provider.over.set()
        await runner.cleanup()
