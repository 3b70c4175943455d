"""The conversation with one provider: where to send the browser, what a code is worth, who came back."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from backend.auth.providers import id_tokens, known, profiles
from backend.auth.providers.documents import Documents
from backend.auth.providers.model import Endpoints, Profile, Provider, Tokens
from backend.core.config import Auth
from backend.core.egress import Answer, Egress


class BadAnswer(Exception):
    """The provider answered something that proves nobody; the message is for the log."""


class Providers:
    """The providers the settings switch on, and the way to ask any. Raises ConfigError when made."""

    def __init__(self, settings: Auth) -> None:
        self.configured = known.configured(settings)
        self.out = Egress()
        self.documents = Documents(self.out)

    async def authorization_url(
        self, provider: Provider, state: str, verifier: str, scopes: list[str], parameters: dict[str, str]
    ) -> str:
        """Where the browser goes (RFC 6749, 4.1.1); what we say wins over `parameters`. Raises EgressError."""
        endpoints = await self.documents.endpoints(provider)
        asked = {
            **provider.parameters,
            **parameters,
            "client_id": provider.client_id,
            "redirect_uri": provider.redirect_uri,
            "response_type": "code",
            "scope": " ".join(dict.fromkeys([*provider.scopes, *scopes])),
            "state": state,
        }
        if provider.pkce:
            asked |= {"code_challenge": s256(verifier), "code_challenge_method": "S256"}
        if provider.issuer and provider.nonce:
            asked["nonce"] = nonce_of(verifier)
        parts = urlsplit(endpoints.authorization)
        query = [(name, value) for name, value in parse_qsl(parts.query) if name not in asked]
        return urlunsplit(parts._replace(query=urlencode([*query, *asked.items()], quote_via=quote)))

    async def exchange(self, provider: Provider, code: str, verifier: str) -> Tokens:
        """The tokens for a code (RFC 6749, 4.1.3). Raises EgressError, BadAnswer."""
        endpoints = await self.documents.endpoints(provider)
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": provider.redirect_uri}
        if provider.pkce:
            form["code_verifier"] = verifier
        headers = {}
        if endpoints.secret_in_form or not provider.secret:
            form["client_id"] = provider.client_id
            if provider.secret:
                form["client_secret"] = provider.secret
        else:
            pair = f"{quote(provider.client_id, safe='')}:{quote(provider.secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        answer = await self.out.post(endpoints.token, provider.reach, form, headers)
        content = _object(answer)
        # GitHub answers 200 to a bad code.
        if answer.status != 200 or "error" in content or not _text(content, "access_token"):
            raise BadAnswer(f"The token endpoint answered {answer.status} {_text(content, 'error')[:100]!r}")
        return Tokens(*(_text(content, name) for name in ("access_token", "refresh_token", "id_token")))

    async def profile(self, provider: Provider, tokens: Tokens, verifier: str, now: datetime) -> Profile:
        """Who came back. Raises EgressError, BadAnswer, BadIdToken."""
        endpoints = await self.documents.endpoints(provider)
        if provider.issuer:
            return self._read(provider, await self._claims(provider, endpoints, tokens, verifier, now), [])
        answered = await self._ask(provider, endpoints.userinfo, tokens)
        if not isinstance(answered, dict):
            raise BadAnswer("The userinfo endpoint answered no object")
        listed = await self._ask(provider, provider.emails_url, tokens) if provider.emails_url else []
        return self._read(provider, answered, listed if isinstance(listed, list) else [])

    async def _claims(
        self, provider: Provider, endpoints: Endpoints, tokens: Tokens, verifier: str, now: datetime
    ) -> dict[str, Any]:
        """The signed claims; an address they leave out is asked for, as the same person."""
        if not tokens.id_token:
            raise BadAnswer("The token endpoint gave no ID token")
        claims: dict[str, Any] = await id_tokens.verify(tokens.id_token, provider, endpoints, self.documents, now)
        if provider.nonce:
            id_tokens.check_nonce(claims, nonce_of(verifier))
        id_tokens.check_access_token(claims, tokens.id_token, tokens.access_token)
        if claims.get("email") or not endpoints.userinfo:
            return claims
        answered = await self._ask(provider, endpoints.userinfo, tokens)
        if not isinstance(answered, dict) or answered.get("sub") != claims["sub"]:
            raise BadAnswer("The userinfo endpoint answered about somebody else")
        # An address and its proof come from one place.
        return {**claims, **answered} if answered.get("email") else {**answered, **claims}

    async def from_id_token(
        self, provider: Provider, token: str, access_token: str, now: datetime
    ) -> tuple[Profile, str | None]:
        """Who a token that an app brought along is about, and its nonce. Raises EgressError, BadIdToken."""
        if not provider.issuer:
            provider = replace(provider, issuer=known.PLAIN[provider.name].issuer, endpoints=None, mapping={})
        endpoints = await self.documents.endpoints(provider)
        claims = await id_tokens.verify(token, provider, endpoints, self.documents, now)
        if access_token:
            id_tokens.check_access_token(claims, token, access_token)
        return self._read(provider, claims, []), claims.get("nonce")

    def _read(self, provider: Provider, answered: dict[str, Any], listed: list[Any]) -> Profile:
        try:
            return profiles.read(provider, answered, listed)
        except profiles.NoSubject as error:
            raise BadAnswer("The provider did not say who it is") from error

    async def _ask(self, provider: Provider, url: str, tokens: Tokens) -> Any:
        headers = {"Authorization": f"Bearer {tokens.access_token}", **provider.userinfo_headers}
        answer = await self.out.get(url, provider.reach, headers)
        if answer.status != 200:
            raise BadAnswer(f"The userinfo endpoint answered {answer.status}")
        return answer.json()


def s256(verifier: str) -> str:
    """The challenge of a verifier (RFC 7636, 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def nonce_of(verifier: str) -> str:
    """The nonce of a flow follows from its secret, so that one secret is all there is to keep."""
    return s256(f"nonce {verifier}")


def _object(answer: Answer) -> dict[str, Any]:
    try:
        content = json.loads(answer.body)
    except (ValueError, RecursionError):
        # Some old OAuth 2 servers answer a form.
        content = dict(parse_qsl(answer.body.decode("utf-8", "replace")))
    return content if isinstance(content, dict) else {}


def _text(content: dict[str, Any], name: str) -> str:
    value = content.get(name)
    return value if isinstance(value, str) and "\x00" not in value else ""
