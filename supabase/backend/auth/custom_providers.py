"""Answer /admin/custom-providers: providers that are added while the product runs (AUTH-27)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, audit, bodies, errors, queries, sealed
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.auth.providers import directory, known
from backend.auth.providers.custom_rules import refuse_bad
from backend.auth.providers.rows import CustomProvider
from backend.core import db, http

TYPES = ("oauth2", "oidc")


@dataclass(frozen=True)
class Change:
    """The fields of a body that were named, by their column; the secret apart, for it is stored sealed."""

    fields: dict[str, Any]
    secret: str


async def list_all(request: Request) -> Response:
    """Every provider, or those of one `type`. Raises AuthError validation_failed."""
    await access.admin(request)
    wanted = request.query_params.get("type") or None
    if wanted is not None and wanted not in TYPES:
        raise errors.invalid("type must be either 'oauth2' or 'oidc'")
    async with db.connection(http.resources(request).pool) as connection:
        found = await queries.custom_providers.find_all(connection, wanted)
    return JSONResponse({"providers": [provider.public() for provider in found]})


async def get(request: Request) -> Response:
    """One provider. Raises AuthError custom_provider_not_found."""
    await access.admin(request)
    async with db.connection(http.resources(request).pool) as connection:
        return JSONResponse((await _find(connection, request)).public())


async def create(request: Request) -> Response:
    """201 with the provider. Raises AuthError validation_failed, conflict."""
    admin, resources = await access.admin(request), http.resources(request)
    body = await bodies.read(request)
    change, provider_id, now = _read(body), uuid4(), resources.now()
    if body.text("provider_type") not in TYPES:
        raise errors.invalid("provider_type must be either 'oauth2' or 'oidc'")
    if not change.secret:
        raise errors.invalid("client_secret is required")
    provider = CustomProvider(
        id=provider_id,
        provider_type=body.text("provider_type"),
        identifier=body.text("identifier"),
        client_secret=sealed.seal(resources.keys, provider_id, change.secret),
        created_at=now,
        updated_at=now,
        **change.fields,
    )
    provider = _checked(provider, request)
    async with db.transaction(resources.pool) as connection:
        if not await queries.custom_providers.insert(connection, provider):
            message = "A custom OAuth provider with this identifier already exists"
            raise AuthError(400, Code.CONFLICT, message)
        await _record(connection, request, admin, Action.PROVIDER_CREATED, provider)
    return JSONResponse(provider.public(), status_code=201)


async def update(request: Request) -> Response:
    """Changes what is named; type and identifier stay.

    Raises AuthError custom_provider_not_found, validation_failed.
    """
    admin, resources = await access.admin(request), http.resources(request)
    change = _read(await bodies.read(request))
    async with db.transaction(resources.pool) as connection:
        found = await _find(connection, request)
        provider = replace(found, updated_at=resources.now(), **change.fields)
        if change.secret:
            provider = replace(provider, client_secret=sealed.seal(resources.keys, found.id, change.secret))
        provider = _checked(provider, request)
        await queries.custom_providers.update(connection, provider)
        await _record(connection, request, admin, Action.PROVIDER_UPDATED, provider)
    return JSONResponse(provider.public())


async def delete(request: Request) -> Response:
    """204; identities of its people stay, and wait for a provider of that name. Raises custom_provider_not_found."""
    admin = await access.admin(request)
    async with db.transaction(http.resources(request).pool) as connection:
        provider = await _find(connection, request)
        await queries.custom_providers.delete(connection, provider.identifier)
        await _record(connection, request, admin, Action.PROVIDER_DELETED, provider)
    return Response(status_code=204)


async def _find(connection: db.Connection, request: Request) -> CustomProvider:
    identifier = request.path_params["identifier"]
    if not identifier.startswith(known.CUSTOM_PREFIX):
        raise errors.invalid("identifier must start with 'custom:' prefix")
    found = await queries.custom_providers.find(connection, identifier) if "\x00" not in identifier else None
    if found is None:
        raise AuthError(404, Code.CUSTOM_PROVIDER_NOT_FOUND, "Custom OAuth provider not found")
    return found


async def _record(
    connection: db.Connection, request: Request, admin: User, action: Action, provider: CustomProvider
) -> None:
    now, device = http.resources(request).now(), access.device(request)
    await audit.record(connection, action, admin, device, now, {"identifier": provider.identifier})


_TEXTS = ("name", "client_id", "issuer", "discovery_url", "authorization_url", "token_url", "userinfo_url", "jwks_uri")
_LISTS = ("acceptable_client_ids", "scopes", "custom_claims_allowlist")
_FLAGS = ("pkce_enabled", "enabled", "email_optional", "skip_nonce_check")
_OBJECTS = ("attribute_mapping", "authorization_params")


def _read(body: Body) -> Change:
    """Absent, null and '' leave a field as it is, as upstream does."""
    named: dict[str, Any] = {name: body.text(name) for name in _TEXTS if body.text(name)}
    named |= {name: values for name in _LISTS if (values := body.texts(name)) is not None}
    named |= {name: body.flag(name) for name in _FLAGS if body.content.get(name) is not None}
    named |= {name: value for name in _OBJECTS if (value := body.optional_object(name)) is not None}
    return Change(named, body.text("client_secret"))


def _checked(provider: CustomProvider, request: Request) -> CustomProvider:
    """Without the fields of the other type, and with the scope that makes OpenID of OAuth."""
    if provider.provider_type == "oidc":
        foreign: dict[str, Any] = dict.fromkeys(("authorization_url", "token_url", "userinfo_url", "jwks_uri"))
        scopes = list(dict.fromkeys(["openid", *provider.scopes]))
        provider = replace(provider, scopes=scopes, **foreign)
    else:
        provider = replace(provider, issuer=None, discovery_url=None, skip_nonce_check=False)
    refuse_bad(provider, directory.reach(http.resources(request).settings))
    return provider
