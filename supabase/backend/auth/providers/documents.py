"""What OpenID providers publish about themselves: discovery documents and keys, fetched once and kept for a while.

Bounded in number and age. A token that names an unknown key makes us look again, but only once a minute for each
provider: whoever sends tokens chooses how often that happens (FAULT-20).
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jwt as pyjwt

from backend.auth.providers.model import Endpoints, Provider
from backend.core import egress
from backend.core.egress import Egress, EgressError, Reach

MAX_ENTRIES = 128
MAX_AGE_S = 3600.0
RELOAD_INTERVAL_S = 60.0
MAX_KEYS = 100

# Signatures that only the holder of a private key can make, with the kinds of key each is made with.
ALGORITHMS = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}


@dataclass
class _Entry:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    document: dict[str, Any] | None = None
    fetched_s: float = 0.0


class Documents:
    """The published documents of one process."""

    def __init__(self, out: Egress, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        self._entries: OrderedDict[tuple[str, Reach], _Entry] = OrderedDict()

    async def endpoints(self, provider: Provider) -> Endpoints:
        """Where the provider is spoken to (OpenID Connect Discovery 1.0, 4). Raises EgressError."""
        if provider.endpoints is not None:
            return provider.endpoints
        url = provider.discovery_url or f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration"
        return _endpoints(await self._document(url, provider.reach, MAX_AGE_S), provider)

    async def key(self, url: str, reach: Reach, header: dict[str, Any]) -> pyjwt.PyJWK | None:
        """The key that a token's header means; None when the provider has no such key. Raises EgressError."""
        found = _matching(await self._document(url, reach, MAX_AGE_S), header)
        if found is None:
            found = _matching(await self._document(url, reach, RELOAD_INTERVAL_S), header)
        return found

    async def _document(self, url: str, reach: Reach, max_age_s: float) -> dict[str, Any]:
        entry = self._entries.setdefault((url, reach), _Entry())
        self._entries.move_to_end((url, reach))
        while len(self._entries) > MAX_ENTRIES:
            self._entries.popitem(last=False)
        async with entry.lock:
            if entry.document is None or self._clock() >= entry.fetched_s + max_age_s:
                entry.document = await self._fetch(url, reach)
                entry.fetched_s = self._clock()
            return entry.document

    async def _fetch(self, url: str, reach: Reach) -> dict[str, Any]:
        answer = await self._out.get(url, reach)
        document = answer.json() if answer.status == 200 else None
        if not isinstance(document, dict):
            raise EgressError(f"{url} answered {answer.status} and no document")
        return document


def _endpoints(document: dict[str, Any], provider: Provider) -> Endpoints:
    issuer = _text(document, "issuer")
    # Azure's document of all tenants names them by a placeholder; which one it was stands in the token.
    if issuer != provider.issuer and not (provider.name == "azure" and "{tenantid}" in issuer):
        raise EgressError(f"The document of {provider.issuer} is about {issuer[:200]!r}")
    methods = document.get("token_endpoint_auth_methods_supported")
    endpoints = Endpoints(
        authorization=_text(document, "authorization_endpoint"),
        token=_text(document, "token_endpoint"),
        userinfo=_text(document, "userinfo_endpoint"),
        jwks=_text(document, "jwks_uri"),
        issuer=issuer,
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
        secret_in_form=isinstance(methods, list) and "client_secret_post" in methods,
    )
    # The browser is sent there: it must be an address, and no script.
    egress.refuse_bad_url(endpoints.authorization, provider.reach)
    return endpoints


def _text(document: dict[str, Any], name: str) -> str:
    value = document.get(name, "")
    return value if isinstance(value, str) else ""


def _matching(document: dict[str, Any], header: dict[str, Any]) -> pyjwt.PyJWK | None:
    """By key id; a token without one is fine where only one key could be meant."""
    algorithm, kid = header.get("alg"), header.get("kid")
    kind = ALGORITHMS.get(algorithm) if isinstance(algorithm, str) else None
    keys = document.get("keys")
    if kind is None or not isinstance(keys, list):
        return None
    usable = [key for key in keys[:MAX_KEYS] if _fits(key, kind, str(algorithm)) and kid in (None, key.get("kid"))]
    if len(usable) != 1:
        return None
    try:
        return pyjwt.PyJWK(usable[0], algorithm=str(algorithm))
    except pyjwt.PyJWTError:
        return None


def _fits(key: Any, kind: str, algorithm: str) -> bool:
    return (
        isinstance(key, dict)
        and key.get("kty") == kind
        and key.get("use") in (None, "sig")
        and key.get("alg") in (None, algorithm)
    )
