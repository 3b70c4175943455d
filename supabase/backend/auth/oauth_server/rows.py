"""The rows of the OAuth server, and what admins and people see of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from backend.auth import models

PENDING, APPROVED, DENIED, USED = "pending", "approved", "denied", "expired"


@dataclass(frozen=True)
class Client:
    """An application; public ones (in a browser, on a phone) can keep no secret."""

    id: UUID
    client_secret_hash: str = field(repr=False)
    registration_type: str
    redirect_uris: list[str]
    grant_types: list[str]
    client_name: str
    client_uri: str
    logo_uri: str
    client_type: str
    token_endpoint_auth_method: str
    created_at: datetime
    updated_at: datetime

    @property
    def is_public(self) -> bool:
        return self.client_type == "public"

    def public(self, secret: str = "") -> dict[str, Any]:
        """The client as admins see it; its secret once, when it is made."""
        texts = {name: getattr(self, name) for name in ("client_name", "client_uri", "logo_uri")}
        return {
            "client_id": str(self.id),
            **({"client_secret": secret} if secret else {}),
            "client_type": self.client_type,
            "redirect_uris": self.redirect_uris,
            "token_endpoint_auth_method": self.token_endpoint_auth_method,
            "grant_types": self.grant_types,
            "response_types": ["code"],
            **{name: text for name, text in texts.items() if text},
            "registration_type": self.registration_type,
            "created_at": models.timestamp(self.created_at),
            "updated_at": models.timestamp(self.updated_at),
        }

    def introduction(self) -> dict[str, str]:
        """The client as people see it who are asked for their consent."""
        return {"id": str(self.id), "name": self.client_name, "uri": self.client_uri, "logo_uri": self.logo_uri}


@dataclass(frozen=True)
class Authorization:
    """A request of a client, and what a person said to it; `status` expired also means that the code was used."""

    id: UUID
    authorization_id: str
    client_id: UUID
    user_id: UUID | None
    redirect_uri: str
    scope: str
    state: str
    resource: str
    code_challenge: str
    nonce: str
    status: str
    created_at: datetime
    expires_at: datetime
    approved_at: datetime | None


@dataclass(frozen=True)
class Consent:
    """What somebody allowed a client for good."""

    client: Client
    scopes: list[str]
    granted_at: datetime

    def public(self) -> dict[str, Any]:
        return {
            "client": self.client.introduction(),
            "scopes": self.scopes,
            "granted_at": models.timestamp(self.granted_at),
        }
