"""The providers the settings can name (`[auth.external.<name>]`), as data.

OpenID providers need their issuer only; the others are a row of addresses and the names they give to facts. `url`
of the settings replaces the provider's own address, for an installation of one's own (GitLab, Keycloak, a tenant of
Azure, GitHub Enterprise). What an operator wrote there may lie in their own network, so that address is asked
wherever it is; the providers' public ones only where the internet is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.auth.providers.model import Endpoints, Provider
from backend.core.config import Auth, ConfigError
from backend.core.config_providers import External
from backend.core.egress import Reach

AZURE = "azure"
# Of providers that an operator added.
CUSTOM_PREFIX = "custom:"
APPLE = "apple"
_OPENID = ("openid", "email", "profile")


@dataclass(frozen=True)
class OpenId:
    """A provider with a discovery document; `issuer` is '' where only the settings can say it."""

    issuer: str
    scopes: tuple[str, ...] = _OPENID
    # Appended to `url`: Azure names the tenant before the version.
    suffix: str = ""
    pkce: bool = True
    nonce: bool = True
    email_verified: bool | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plain:
    """A provider of OAuth 2 without OpenID; paths are appended to `url`, or else to the two bases."""

    base: str
    api: str
    authorization: str
    token: str
    userinfo: str
    scopes: tuple[str, ...]
    mapping: Mapping[str, Any]
    emails: str = ""
    email_verified: bool | None = None
    # Where the API lies on an installation of one's own.
    own_api: str = ""
    pkce: bool = False
    # The header that repeats the client's id to the API.
    client_id_header: str = ""
    # Set where the provider also issues tokens for the id_token grant.
    issuer: str = ""


OPEN_ID: Mapping[str, OpenId] = {
    # Answers by POST as soon as a name or an address is asked for.
    APPLE: OpenId(
        "https://appleid.apple.com",
        scopes=("openid", "email", "name"),
        pkce=False,
        parameters={"response_mode": "form_post"},
    ),
    AZURE: OpenId("https://login.microsoftonline.com/common/v2.0", suffix="/v2.0"),
    "gitlab": OpenId("https://gitlab.com"),
    "google": OpenId("https://accounts.google.com"),
    "kakao": OpenId("https://kauth.kakao.com", scopes=("openid", "account_email", "profile_nickname", "profile_image")),
    "keycloak": OpenId(""),
    # Knows no nonce, and takes PKCE only from native apps at another address.
    "linkedin_oidc": OpenId("https://www.linkedin.com/oauth", pkce=False, nonce=False),
    "slack_oidc": OpenId("https://slack.com"),
}

PLAIN: Mapping[str, Plain] = {
    "discord": Plain(
        base="https://discord.com",
        api="https://discord.com",
        authorization="/api/oauth2/authorize",
        token="/api/oauth2/token",  # noqa: S106 - a path
        userinfo="/api/users/@me",
        scopes=("email", "identify"),
        mapping={"sub": "id", "email_verified": "verified", "name": "global_name", "user_name": "username"},
        pkce=True,
    ),
    "facebook": Plain(
        base="https://www.facebook.com",
        api="https://graph.facebook.com",
        authorization="/dialog/oauth",
        token="https://graph.facebook.com/oauth/access_token",  # noqa: S106 - an address
        userinfo="/me?fields=id,email,first_name,last_name,name,picture",
        scopes=("email",),
        mapping={
            "sub": "id",
            "given_name": "first_name",
            "family_name": "last_name",
            "picture": "picture.data.url",
        },
        # Facebook names no address it has not checked.
        email_verified=True,
        issuer="https://www.facebook.com",
    ),
    "github": Plain(
        base="https://github.com",
        api="https://api.github.com",
        own_api="/api/v3",
        authorization="/login/oauth/authorize",
        token="/login/oauth/access_token",  # noqa: S106 - a path
        userinfo="/user",
        emails="/user/emails",
        scopes=("user:email",),
        # The address on the profile page is a public one of their choice, without proof: `emails` knows better.
        mapping={"sub": "id", "email": "", "picture": "avatar_url", "user_name": "login"},
        pkce=True,
    ),
    "spotify": Plain(
        base="https://accounts.spotify.com",
        api="https://api.spotify.com",
        authorization="/authorize",
        token="/api/token",  # noqa: S106 - a path
        userinfo="/v1/me",
        scopes=("user-read-email",),
        mapping={"sub": "id", "name": "display_name", "picture": "images.0.url"},
        # Its documentation warns that nobody has checked the address.
        email_verified=False,
        pkce=True,
    ),
    "twitch": Plain(
        base="https://id.twitch.tv",
        api="https://api.twitch.tv",
        authorization="/oauth2/authorize",
        token="/oauth2/token",  # noqa: S106 - a path
        userinfo="/helix/users",
        scopes=("user:read:email",),
        mapping={
            "sub": "data.0.id",
            "email": "data.0.email",
            "name": "data.0.display_name",
            "picture": "data.0.profile_image_url",
            "user_name": "data.0.login",
        },
        # Twitch names no address it has not checked.
        email_verified=True,
        client_id_header="Client-Id",
    ),
}

# How people know the providers whose identifier does not say it.
TITLES: Mapping[str, str] = {
    AZURE: "Microsoft",
    "github": "GitHub",
    "gitlab": "GitLab",
    "linkedin_oidc": "LinkedIn",
    "slack_oidc": "Slack",
}

# Whose tokens an app may bring along instead of being redirected (AUTH-22).
WITH_ID_TOKEN_GRANT = frozenset({"apple", "azure", "facebook", "google", "kakao", "keycloak"})


def title(provider: str) -> str:
    """Return the name of a provider as people write it; one that an operator added goes by its own identifier."""
    own = provider.removeprefix(CUSTOM_PREFIX)
    return own if own != provider else TITLES.get(provider, provider.capitalize())


def configured(settings: Auth) -> dict[str, Provider]:
    """Every provider that is switched on. Raises ConfigError for one we cannot speak to or that lacks its id."""
    found = {}
    for name, external in settings.external.items():
        if not external.enabled:
            continue
        key = f"auth.external.{name}"
        client_ids = tuple(part.strip() for part in external.client_id.split(",") if part.strip())
        if not is_known(name):
            raise ConfigError(f"{key} is not a provider this backend can speak to")
        if not client_ids:
            raise ConfigError(f"{key}.client_id is missing")
        if name in OPEN_ID and not (external.url or OPEN_ID[name].issuer):
            raise ConfigError(f"{key}.url is missing")
        build = _open_id if name in OPEN_ID else _plain
        found[name] = build(name, external, client_ids, external.redirect_uri or f"{settings.external_url}/callback")
    return found


def is_known(name: str) -> bool:
    """Whether the settings could switch it on."""
    return name in OPEN_ID or name in PLAIN


def _open_id(name: str, external: External, client_ids: tuple[str, ...], redirect_uri: str) -> Provider:
    entry, url = OPEN_ID[name], external.url.rstrip("/")
    return Provider(
        name=name,
        client_ids=client_ids,
        secret=external.secret,
        redirect_uri=redirect_uri,
        scopes=entry.scopes,
        reach=_reach(external),
        issuer=f"{url}{entry.suffix}" if url else entry.issuer,
        pkce=entry.pkce,
        nonce=entry.nonce,
        skip_nonce_check=external.skip_nonce_check,
        email_optional=external.email_optional,
        email_verified=entry.email_verified,
        parameters=entry.parameters,
    )


def _plain(name: str, external: External, client_ids: tuple[str, ...], redirect_uri: str) -> Provider:
    entry, url = PLAIN[name], external.url.rstrip("/")
    base, api = (url, f"{url}{entry.own_api}") if url else (entry.base, entry.api)
    return Provider(
        name=name,
        client_ids=client_ids,
        secret=external.secret,
        redirect_uri=redirect_uri,
        scopes=entry.scopes,
        reach=_reach(external),
        endpoints=Endpoints(
            authorization=f"{base}{entry.authorization}",
            token=entry.token if entry.token.startswith("https:") else f"{base}{entry.token}",
            userinfo=f"{api}{entry.userinfo}",
        ),
        issuer="",
        pkce=entry.pkce,
        nonce=False,
        skip_nonce_check=external.skip_nonce_check,
        email_optional=external.email_optional,
        mapping=entry.mapping,
        email_verified=entry.email_verified,
        emails_url=f"{api}{entry.emails}" if entry.emails else "",
        userinfo_headers={entry.client_id_header: client_ids[0]} if entry.client_id_header else {},
    )


def _reach(external: External) -> Reach:
    return Reach.ANYWHERE if external.url else Reach.PUBLIC
