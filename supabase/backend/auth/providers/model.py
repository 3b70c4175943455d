"""What a provider is to us, and what it says about a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.core.egress import Reach


@dataclass(frozen=True)
class Endpoints:
    """Where a provider is spoken to; of an OpenID provider its discovery document says so."""

    authorization: str
    token: str
    userinfo: str = ""
    jwks: str = ""
    # How the provider names itself in tokens; '' for plain OAuth 2.
    issuer: str = ""
    # Whether its answers to the browser name it as well (RFC 9207), so that one without a name is not its own.
    names_itself: bool = False
    # Whether the secret travels in the form; otherwise in the Authorization header (RFC 6749, 2.3.1).
    secret_in_form: bool = True


@dataclass(frozen=True)
class Provider:
    """A provider ready to be used, whether the settings name it or a row of custom_oauth_providers does.

    With an `issuer` it speaks OpenID Connect and proves who somebody is by a signed token; without one it has fixed
    `endpoints`, and its answer to our own question is the proof.
    """

    name: str
    # Ours first; the others are audiences we accept too, such as the same product's mobile app.
    client_ids: tuple[str, ...]
    secret: str = field(repr=False)
    redirect_uri: str
    scopes: tuple[str, ...]
    reach: Reach
    issuer: str = ""
    discovery_url: str = ""
    endpoints: Endpoints | None = None
    pkce: bool = True
    # Whether the provider repeats our nonce in its token.
    nonce: bool = True
    # For the id_token grant, whose callers cannot always choose the nonce.
    skip_nonce_check: bool = False
    email_optional: bool = False
    # Our names of facts → theirs, dotted where nested; a value that is no text stands for itself.
    mapping: Mapping[str, Any] = field(default_factory=dict)
    # What is known of every address this provider names, where it does not say so itself.
    email_verified: bool | None = None
    # A second question for the addresses (GitHub).
    emails_url: str = ""
    userinfo_headers: Mapping[str, str] = field(default_factory=dict)
    custom_claims: tuple[str, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def client_id(self) -> str:
        return self.client_ids[0]


@dataclass(frozen=True)
class Email:
    """An address as a provider knows it, in lower case."""

    address: str
    verified: bool


@dataclass(frozen=True)
class Profile:
    """A person as a provider knows them; `email` is the one they prefer, `others` are theirs too."""

    provider: str
    subject: str
    email: Email | None
    others: tuple[Email, ...]
    # Stored with the identity, and merged into the user's metadata.
    facts: dict[str, Any]

    @property
    def proved(self) -> list[str]:
        """The addresses the provider has proof of."""
        known = (self.email, *self.others) if self.email else self.others
        return sorted({each.address for each in known if each.verified})


@dataclass(frozen=True)
class Tokens:
    """What a provider gives for a code."""

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    id_token: str = field(repr=False)
