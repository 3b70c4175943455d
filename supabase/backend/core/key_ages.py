"""Which keys and secrets this installation uses, each by a digest that changes with it and does not reveal it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from urllib.parse import urlsplit

from backend.core.config import Settings
from backend.core.jwt import KeyRing

# How the settings name those of `[edge_runtime.secrets]` that are secret; the others are addresses and models.
SECRET_SUFFIXES = ("_KEY", "_SECRET", "_SECRETS")


@dataclass(frozen=True)
class UsedKey:
    """One of them; `made_at` is None where it is not known."""

    name: str
    digest: str
    made_at: datetime | None = None


def used_keys(settings: Settings, keys: KeyRing) -> list[UsedKey]:
    """Return those that are set."""
    digest_key = keys.derive("key ages")
    # Made with the file; those that the operator brought are older or newer.
    made = {name for name in ("jwt_secret", "secret_key") if not getattr(settings.own_keys, name)}
    return [
        UsedKey(
            name,
            hmac.new(digest_key, f"{name} {secret}".encode(), hashlib.sha256).hexdigest()[:32],
            keys.created_at if name in made else None,
        )
        for name, secret in _secrets(settings, keys)
        if secret
    ]


def _secrets(settings: Settings, keys: KeyRing) -> Iterator[tuple[str, str]]:
    yield from keys.secret_parts().items()
    password = urlsplit(settings.database_url).password or ""
    # That of the embedded Postgres never leaves this machine.
    yield "database_password", "" if password == keys.postgres_password else password
    yield "storage_s3", urlsplit(settings.storage_s3).password or ""
    yield "metrics_token", settings.metrics_token
    if settings.auth.email.smtp.enabled:
        yield "smtp_password", settings.auth.email.smtp.password
    if settings.auth.sms.twilio.enabled:
        yield "twilio_auth_token", settings.auth.sms.twilio.auth_token
    for provider, external in settings.auth.external.items():
        if external.enabled:
            yield f"login_{provider}", external.secret
    for hook in fields(settings.auth.hook):
        yield f"hook_{hook.name}", getattr(settings.auth.hook, hook.name).secrets
    for name, value in settings.edge_runtime.secrets.items():
        if name.endswith(SECRET_SUFFIXES):
            yield name, value
