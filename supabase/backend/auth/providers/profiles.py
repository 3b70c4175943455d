"""From what a provider answers to what we keep: the facts under OpenID's names, bounded and storable."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from backend.auth import emails
from backend.auth.errors import AuthError
from backend.auth.providers import id_tokens
from backend.auth.providers.model import Email, Profile, Provider

# OpenID Connect Core 1.0, 5.1, as far as upstream keeps them; and the names upstream adds.
_TEXTS = (
    *("iss", "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile"),
    *("picture", "website", "gender", "birthdate", "zoneinfo", "locale", "user_name"),
)
MAX_TEXT = 1024
# The facts travel in every access token (see user_metadata).
MAX_CUSTOM_BYTES = 2048
MAX_EMAILS = 50


class NoSubject(Exception):
    """The provider did not say who it is."""


def read(provider: Provider, answered: dict[str, Any], listed: Iterable[Any] = ()) -> Profile:
    """The person behind claims or an answer of a userinfo endpoint; `listed` are GitHub's addresses.

    Raises NoSubject.
    """
    claims = _mapped(answered, provider.mapping)
    subject = claims.get("sub")
    if isinstance(subject, int) and not isinstance(subject, bool):
        subject = str(subject)
    if not isinstance(subject, str) or not _storable(subject) or not 0 < len(subject) <= id_tokens.MAX_SUBJECT:
        raise NoSubject
    others = _listed(listed)
    email = _email(claims.get("email"), id_tokens.is_email_verified(claims, provider))
    if email is None and others:
        email = others.pop(0)
    facts = {name: claims[name] for name in _TEXTS if _keepable(claims.get(name))}
    full_name, picture = facts.get("name"), facts.get("picture")
    facts |= {
        "sub": subject,
        "provider_id": subject,
        **({"full_name": full_name} if full_name else {}),
        **({"avatar_url": picture} if picture else {}),
        **({"email": email.address} if email else {}),
        "email_verified": email is not None and email.verified,
        "phone_verified": False,
        **_custom(answered, provider.custom_claims),
    }
    return Profile(provider.name, subject, email, tuple(others), facts)


def with_apple_name(profile: Profile, user: str) -> Profile:
    """Apple tells the name once, beside the code and unsigned: good enough for a greeting, and for nothing else."""
    try:
        name = json.loads(user)["name"]
        parts = {"given_name": name["firstName"], "family_name": name["lastName"]}
    except (ValueError, RecursionError, KeyError, TypeError):
        return profile
    if not all(_keepable(part) for part in parts.values()):
        return profile
    full_name = " ".join(parts.values())
    return replace(profile, facts={**profile.facts, **parts, "name": full_name, "full_name": full_name})


def _mapped(answered: dict[str, Any], mapping: Mapping[str, Any]) -> dict[str, Any]:
    claims = dict(answered)
    for ours, theirs in mapping.items():
        claims[ours] = _at(answered, theirs) if isinstance(theirs, str) else theirs
    return claims


def _at(answered: Any, path: str) -> Any:
    """The value at a dotted path; a number counts into a list."""
    found = answered
    for step in path.split("."):
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found


def _email(address: Any, verified: bool) -> Email | None:
    """None for what is no address: providers answer all sorts of things here."""
    if not isinstance(address, str):
        return None
    try:
        return Email(emails.normalise(address), verified)
    except AuthError:
        return None


def _listed(listed: Iterable[Any]) -> list[Email]:
    """Addresses of a list, the primary one first."""
    entries = [entry for entry in listed if isinstance(entry, dict)][:MAX_EMAILS]
    entries.sort(key=lambda entry: entry.get("primary") is not True)
    found = (_email(entry.get("email"), entry.get("verified") is True) for entry in entries)
    return [email for email in found if email is not None]


def _custom(answered: dict[str, Any], allowed: Iterable[str]) -> dict[str, Any]:
    chosen = {name: answered[name] for name in allowed if name in answered}
    text = json.dumps(chosen, ensure_ascii=False)
    if not chosen or not _storable(text) or "\\u0000" in text or len(text.encode()) > MAX_CUSTOM_BYTES:
        return {}
    return {"custom_claims": chosen}


def _keepable(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_TEXT and _storable(value)


def _storable(text: str) -> bool:
    """Postgres keeps neither NUL nor halves of characters."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
