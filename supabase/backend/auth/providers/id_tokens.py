"""ID tokens of providers (OpenID Connect Core 1.0, 3.1.3.7): which of them prove anything to us.

Everything a token says about how to check it is ignored but the names of its key and algorithm, and those count only
as far as the provider's published keys agree: no `none`, no shared secret, no `jku` or `jwk` (RFC 8725).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Collection
from datetime import datetime
from typing import Any

import jwt as pyjwt

from backend.auth.providers import known
from backend.auth.providers.documents import Documents
from backend.auth.providers.model import Endpoints, Provider
from backend.core import jwt

# Digests of the at_hash claim: half of the hash that the signature uses (3.1.3.6); EdDSA with Ed25519 uses SHA-512.
_DIGESTS = {"256": hashlib.sha256, "384": hashlib.sha384, "512": hashlib.sha512, "EdDSA": hashlib.sha512}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MAX_SUBJECT = 255


class BadIdToken(Exception):
    """A token that proves nothing to us; the message may be shown."""


async def verify(token: str, provider: Provider, endpoints: Endpoints, documents: Documents, now: datetime) -> Any:
    """The claims of a token of this provider for one of our clients, valid now.

    Raises BadIdToken, EgressError.
    """
    header = _header(token)
    key = await documents.key(endpoints.jwks, provider.reach, header)
    if key is None:
        raise BadIdToken("The ID token is signed with an unknown key")
    try:
        claims = pyjwt.decode(token, key, algorithms=[header["alg"]], options=jwt.SIGNATURE_ONLY)
    except pyjwt.PyJWTError as error:
        raise BadIdToken("The signature of the ID token is wrong") from error
    _check_issuer(claims, endpoints.issuer)
    _check_audience(claims, provider.client_ids)
    _check_times(claims, now)
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
        raise BadIdToken("Missing sub claim in id_token")
    return claims


def _header(token: str) -> dict[str, Any]:
    if len(token) > jwt.MAX_TOKEN_BYTES:
        raise BadIdToken("The ID token is too long")
    try:
        return pyjwt.get_unverified_header(token)
    except pyjwt.PyJWTError as error:
        raise BadIdToken("The ID token is malformed") from error


def _check_issuer(claims: dict[str, Any], expected: str) -> None:
    if "{tenantid}" in expected:
        tenant = claims.get("tid")
        if not isinstance(tenant, str) or not _UUID.fullmatch(tenant):
            raise BadIdToken("The ID token names no tenant")
        expected = expected.replace("{tenantid}", tenant)
    if claims.get("iss") != expected:
        raise BadIdToken("The ID token was issued by somebody else")


def _check_audience(claims: dict[str, Any], ours: Collection[str]) -> None:
    audience = claims.get("aud")
    named = [audience] if isinstance(audience, str) else audience
    if not isinstance(named, list) or not any(isinstance(each, str) and each in ours for each in named):
        raise BadIdToken("Unacceptable audience in id_token")
    if len(named) > 1 and claims.get("azp") not in ours:
        raise BadIdToken("Unacceptable authorized party in id_token")


def _check_times(claims: dict[str, Any], now: datetime) -> None:
    moment = now.timestamp()
    times: dict[str, Any] = {name: claims[name] for name in ("exp", "iat", "nbf") if name in claims}
    if any(type(value) not in (int, float) for value in times.values()) or "exp" not in times:
        raise BadIdToken("The ID token has no valid times")
    if times["exp"] + jwt.LEEWAY_S <= moment:
        raise BadIdToken("The ID token is expired")
    if max(times.get("nbf", 0), times.get("iat", 0)) - jwt.LEEWAY_S > moment:
        raise BadIdToken("The ID token is not valid yet")


def check_nonce(claims: dict[str, Any], expected: str) -> None:
    """Raises BadIdToken for a token that was not made for this sign-in."""
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), expected.encode()):
        raise BadIdToken("Nonces mismatch")


def check_access_token(claims: dict[str, Any], token: str, access_token: str) -> None:
    """Raises BadIdToken for an access token that another ID token came with."""
    expected = claims.get("at_hash")
    if expected is None:
        return
    algorithm = _header(token)["alg"]
    digest = _DIGESTS.get(algorithm) or _DIGESTS[algorithm[-3:]]
    half = digest(access_token.encode()).digest()
    half = half[: len(half) // 2]
    if expected != base64.urlsafe_b64encode(half).rstrip(b"=").decode():
        raise BadIdToken("The access token does not belong to the ID token")


def is_email_verified(claims: dict[str, Any], provider: Provider) -> bool:
    """Whether the provider has proof of the address in these claims.

    Azure says so in a claim of its own. Without it, a tenant's own administrators vouch for the addresses of a single
    tenant, while in the directory of all tenants anybody may have written any address into theirs.
    """
    if provider.email_verified is not None:
        return provider.email_verified
    if provider.name == known.AZURE and "email_verified" not in claims:
        owner_verified = claims.get("xms_edov")
        if owner_verified is None:
            return not re.search(r"/(common|organizations|consumers)/", provider.issuer)
        return owner_verified in (True, 1, "1", "true", "True")
    # Apple writes the boolean as a text.
    return claims.get("email_verified") in (True, "true")
