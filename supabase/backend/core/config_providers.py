"""The settings of providers (`[auth.external.<name>]`) and of our own OAuth server, by the CLI's keys."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class External:
    """One provider people may sign in with.

    `client_id` may list several, separated by commas: the first is ours, the others are audiences accepted in ID
    tokens (a mobile app's). `url` replaces the provider's address: an installation of one's own, a tenant, a realm;
    it is asked wherever it lies, by http too. `redirect_uri` defaults to /auth/v1/callback of `external_url`.
    """

    enabled: bool = True
    client_id: str = ""
    secret: str = field(default="", repr=False)
    redirect_uri: str = ""
    url: str = ""
    skip_nonce_check: bool = False
    email_optional: bool = False


@dataclass(frozen=True)
class OAuthServer:
    """Other applications signing people in with our accounts; the path is the client's page that asks for consent."""

    enabled: bool = False
    authorization_url_path: str = "/oauth/consent"
    allow_dynamic_registration: bool = False
