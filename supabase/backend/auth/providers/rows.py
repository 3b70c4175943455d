"""The rows behind providers: a custom provider, and a sign-in under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from backend.auth import models


@dataclass(frozen=True)
class CustomProvider:
    """One row of auth.custom_oauth_providers; the secret is sealed."""

    id: UUID
    provider_type: str
    identifier: str
    client_secret: str = field(repr=False)
    created_at: datetime
    updated_at: datetime
    name: str = ""
    client_id: str = ""
    acceptable_client_ids: list[str] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)
    pkce_enabled: bool = True
    # Our names of facts → the provider's, dotted where nested; a value that is no text stands for itself.
    attribute_mapping: dict[str, Any] = field(default_factory=dict)
    custom_claims_allowlist: list[str] = field(default_factory=list)
    authorization_params: dict[str, str] = field(default_factory=dict)
    enabled: bool = True
    email_optional: bool = False
    issuer: str | None = None
    discovery_url: str | None = None
    skip_nonce_check: bool = False
    authorization_url: str | None = None
    token_url: str | None = None
    userinfo_url: str | None = None
    jwks_uri: str | None = None

    def public(self) -> dict[str, Any]:
        """The provider as admins see it: never its secret, and no addresses of the other type."""
        shown = {name: value for name, value in vars(self).items() if name != "client_secret" and value is not None}
        moments = {name: models.timestamp(getattr(self, name)) for name in ("created_at", "updated_at")}
        return {**shown, "id": str(self.id), **moments}


@dataclass(frozen=True)
class ProviderFlow:
    """Somebody on the way to a provider and back."""

    id: UUID
    provider: str
    created_at: datetime
    # '' where the client wants its tokens in the fragment.
    code_challenge: str
    auth_code: str = field(repr=False)
    redirect_to: str
    invite_token: str = field(repr=False)
    linking_target_id: UUID | None
    # Whose linking it is; None for a sign-in, and for a token without a session.
    session_id: UUID | None
    # None once somebody came back with this state.
    verifier: str | None = field(repr=False)
