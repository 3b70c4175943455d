"""What a custom provider must be before it is stored: whole, reachable without looking into our network, and unable to
say anything in our name.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from backend.auth import errors
from backend.auth.providers.rows import CustomProvider
from backend.core import egress
from backend.core.egress import EgressError, Reach

_IDENTIFIER = re.compile(r"custom:[a-z0-9:-]{0,41}[a-z0-9]")
MAX_URL = 2048
MAX_ITEMS = 50
MAX_ITEM = 512

# Ours to say: who we are, where to come back to, what belongs to one flow.
_OUR_PARAMETERS = frozenset(
    (
        *("client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "state", "scope", "nonce"),
        *("code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri"),
    )
)
# Ours to decide: no provider makes somebody an admin, or vouches for an address by a mapping.
_OUR_FIELDS = frozenset(
    (
        *("id", "aud", "role", "app_metadata", "created_at", "updated_at", "confirmed_at", "email_confirmed_at"),
        *("phone_confirmed_at", "email_verified", "phone_verified", "banned_until", "is_super_admin", "iss"),
    )
)
_REQUIRED = {
    "oidc": ("name", "client_id", "issuer"),
    "oauth2": ("name", "client_id", "authorization_url", "token_url", "userinfo_url"),
}
_URLS = ("issuer", "discovery_url", "authorization_url", "token_url", "userinfo_url", "jwks_uri")


def refuse_bad(provider: CustomProvider, reach: Reach) -> None:
    """Raises AuthError validation_failed."""
    if not _IDENTIFIER.fullmatch(provider.identifier):
        raise errors.invalid("identifier must be 'custom:' and up to 42 of a-z, 0-9, ':' and '-'")
    for name in _REQUIRED[provider.provider_type]:
        if not getattr(provider, name):
            raise errors.invalid(f"{name} is required for {provider.provider_type} providers")
    if len(provider.name) > 100 or len(provider.client_id) > MAX_ITEM:
        raise errors.invalid("name and client_id are limited to 100 and 512 characters")
    for name in _URLS:
        _refuse_bad_url(name, getattr(provider, name), reach)
    _refuse_too_much(provider)
    _refuse_ours("authorization parameter", provider.authorization_params, _OUR_PARAMETERS)
    _refuse_ours("field", provider.attribute_mapping, _OUR_FIELDS)
    if not all(isinstance(value, str) for value in provider.authorization_params.values()):
        raise errors.invalid("Authorization parameters must be strings")


def _refuse_bad_url(name: str, url: str | None, reach: Reach) -> None:
    if url is None:
        return
    try:
        # Loopback or not, the table keeps https addresses only.
        if len(url) > MAX_URL or not url.startswith("https://"):
            raise EgressError("The address must begin with https://")
        egress.refuse_bad_url(url, reach)
    except EgressError as error:
        raise errors.invalid(f"{name}: {error}") from error


def _refuse_too_much(provider: CustomProvider) -> None:
    lists = (provider.acceptable_client_ids, provider.scopes, provider.custom_claims_allowlist)
    tables = (provider.attribute_mapping, provider.authorization_params)
    if any(len(each) > MAX_ITEMS for each in (*lists, *tables)):
        raise errors.invalid(f"Lists and objects are limited to {MAX_ITEMS} entries")
    if any(len(str(item)) > MAX_ITEM for item in chain(*lists, *tables, *(table.values() for table in tables))):
        raise errors.invalid(f"Entries are limited to {MAX_ITEM} characters")


def _refuse_ours(kind: str, given: dict[str, Any], ours: frozenset[str]) -> None:
    for name in given:
        if name in ours:
            raise errors.invalid(f"The {kind} {name} cannot be set")
