"""Which provider a request means: one of the settings, or a custom one of the database."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

from backend.auth import queries, sealed, service
from backend.auth.errors import AuthError, Code
from backend.auth.providers import known
from backend.auth.providers.model import Endpoints, Provider
from backend.auth.providers.rows import CustomProvider
from backend.core import db, http
from backend.core.config import Settings
from backend.core.egress import Reach
from backend.core.hosts import is_loopback
from backend.core.resources import Resources


async def find(request: Request, name: str) -> Provider:
    """Raises AuthError oauth_provider_not_supported, provider_disabled."""
    resources, name = http.resources(request), name.lower()
    if name.startswith(known.CUSTOM_PREFIX):
        return await _custom(resources, name)
    configured = service.of(request).providers.configured.get(name)
    if configured is None and known.is_known(name):
        raise AuthError(400, Code.PROVIDER_DISABLED, "Unsupported provider: provider is not enabled")
    if configured is None:
        raise unsupported(name)
    return configured


def unsupported(name: str) -> AuthError:
    """For a name nobody here knows."""
    message = f"Unsupported provider: Provider {name[:50]} could not be found"
    return AuthError(400, Code.OAUTH_PROVIDER_NOT_SUPPORTED, message)


async def _custom(resources: Resources, name: str) -> Provider:
    async with db.connection(resources.pool) as connection:
        row = await queries.custom_providers.find(connection, name) if "\x00" not in name else None
    if row is None:
        raise unsupported(name)
    if not row.enabled:
        raise AuthError(400, Code.PROVIDER_DISABLED, "Unsupported provider: provider is not enabled")
    return from_row(row, resources)


def from_row(row: CustomProvider, resources: Resources) -> Provider:
    """A custom provider as every other. Raises InvalidTag for a secret of another installation."""
    settings = resources.settings
    oidc = row.provider_type == "oidc"
    return Provider(
        name=row.identifier,
        client_ids=(row.client_id, *row.acceptable_client_ids),
        secret=sealed.unseal(resources.keys, row.id, row.client_secret),
        redirect_uri=f"{settings.auth.external_url}/callback",
        scopes=tuple(row.scopes),
        reach=reach(settings),
        issuer=row.issuer or "" if oidc else "",
        discovery_url=row.discovery_url or "",
        endpoints=None if oidc else Endpoints(row.authorization_url or "", row.token_url or "", row.userinfo_url or ""),
        pkce=row.pkce_enabled,
        skip_nonce_check=row.skip_nonce_check,
        email_optional=row.email_optional,
        mapping=row.attribute_mapping,
        custom_claims=tuple(row.custom_claims_allowlist),
        parameters=row.authorization_params,
    )


def reach(settings: Settings) -> Reach:
    """Custom providers lie on the internet: who may add one through the API must not look into our network with it.

    Only where the product itself lives on a loopback address, which is where it is developed and tested, providers
    may too: everybody who can reach us there sits on the machine already.
    """
    ours = (settings.auth.site_url, settings.api.external_url)
    return Reach.LOOPBACK if all(is_loopback(urlsplit(url).hostname or "") for url in ours) else Reach.PUBLIC
