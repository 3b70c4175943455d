"""The fake Meta's Embedded Signup: the app of the operator, codes that are used once, and what a token is for."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web

from tests.fakes.meta.business import Business, Payload

PATHS = ("oauth/access_token", "debug_token")
SCOPES = ("whatsapp_business_management", "whatsapp_business_messaging")


@dataclass(frozen=True)
class Grant:
    """What a person agreed to in the dialog."""

    business: Business
    redirect_uri: str
    is_expired: bool


@dataclass
class Signups:
    """The app, its codes, and the businesses of its tokens."""

    app_id: str = "5000"
    secret: str = "operator-secret"
    scopes: tuple[str, ...] = SCOPES
    codes: dict[str, Grant] = field(default_factory=dict)
    tokens: dict[str, Business] = field(default_factory=dict)

    def grant(self, business: Business, redirect_uri: str, *, is_expired: bool = False) -> str:
        """Answer the code that the dialog gives."""
        code = secrets.token_urlsafe(24)
        self.codes[code] = Grant(business, redirect_uri, is_expired)
        return code

    def answer(self, path: str, query: Mapping[str, str], authorization: str) -> web.Response:
        """Answer a request of the app itself."""
        if authorization != f"Bearer {self.app_id}|{self.secret}":
            return failure(190, "Invalid OAuth access token", 401)
        return self._exchange(query) if path == "oauth/access_token" else self._describe(query["input_token"])

    def _exchange(self, query: Mapping[str, str]) -> web.Response:
        if (query["client_id"], query["client_secret"]) != (self.app_id, self.secret):
            return failure(101, "Error validating client secret")
        grant = self.codes.pop(query["code"], None)
        if grant is None or grant.is_expired or grant.redirect_uri != query["redirect_uri"]:
            return failure(100, "This authorization code has expired or has been used")
        self.tokens[grant.business.token] = grant.business
        return web.json_response({"access_token": grant.business.token, "token_type": "bearer"})

    def _describe(self, token: str) -> web.Response:
        business = self.tokens.get(token)
        told: Payload = {"app_id": self.app_id, "is_valid": business is not None}
        if business is not None:
            told["granular_scopes"] = [{"scope": scope, "target_ids": [business.waba_id]} for scope in self.scopes]
        return web.json_response({"data": told})


def failure(code: int, message: str, status: int = 400) -> web.Response:
    """Answer an error as the Graph API does."""
    return web.json_response(
        {"error": {"message": message, "code": code, "error_data": {"details": message}}}, status=status
    )
