"""/admin/oauth/clients and POST /oauth/clients/register: the applications."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, audit, bodies, errors, paging, queries
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.auth.oauth_server import rules
from backend.auth.oauth_server.rows import Client
from backend.core import db, http

NO_STORE = {"Cache-Control": "no-store"}


async def list_all(request: Request) -> Response:
    """A page of the clients, with X-Total-Count and Link."""
    await _admin(request)
    page = paging.read(request)
    async with db.connection(http.resources(request).pool) as connection:
        total = await queries.oauth_clients.count(connection)
        found = await queries.oauth_clients.page(connection, page.size, page.offset)
    body = {"clients": [client.public() for client in found], "aud": access.AUDIENCE}
    return JSONResponse(body, headers=paging.headers(request, page, total))


async def create(request: Request) -> Response:
    """201 with the client, and its secret for the only time. Raises AuthError validation_failed."""
    admin = await _admin(request)
    return await _create(request, "manual", admin)


async def register(request: Request) -> Response:
    """The same for whoever asks (RFC 7591). Raises AuthError oauth_dynamic_client_registration_disabled."""
    if not rules.enabled(request).allow_dynamic_registration:
        message = "Dynamic client registration is not enabled"
        raise AuthError(403, Code.OAUTH_DYNAMIC_CLIENT_REGISTRATION_DISABLED, message)
    return await _create(request, "dynamic", access.nobody_but("anon", http.resources(request).now()))


async def get(request: Request) -> Response:
    """One client. Raises AuthError oauth_client_not_found."""
    await _admin(request)
    async with db.connection(http.resources(request).pool) as connection:
        return JSONResponse((await _find(connection, request)).public())


async def update(request: Request) -> Response:
    """Changes what is named. Raises AuthError validation_failed, oauth_client_not_found."""
    admin = await _admin(request)
    changes = _read(await bodies.read(request))
    if not changes:
        raise errors.invalid("No fields provided for update")
    async with db.transaction(http.resources(request).pool) as connection:
        client = replace(await _find(connection, request), updated_at=http.resources(request).now(), **changes)
        rules.refuse_bad(client)
        await queries.oauth_clients.put(connection, client)
        await _record(connection, request, admin, Action.OAUTH_CLIENT_UPDATED, client)
    return JSONResponse(client.public())


async def delete(request: Request) -> Response:
    """204; whoever is signed in to the application is signed out. Raises AuthError oauth_client_not_found."""
    admin = await _admin(request)
    async with db.transaction(http.resources(request).pool) as connection:
        client = await _find(connection, request)
        await queries.oauth_clients.delete(connection, client.id, http.resources(request).now())
        await _record(connection, request, admin, Action.OAUTH_CLIENT_DELETED, client)
    return Response(status_code=204)


async def regenerate_secret(request: Request) -> Response:
    """A new secret; the old one ends. Raises AuthError validation_failed for a public client."""
    admin = await _admin(request)
    secret = rules.new_secret()
    async with db.transaction(http.resources(request).pool) as connection:
        client = await _find(connection, request)
        if client.is_public:
            raise errors.invalid("Cannot regenerate secret for public client")
        client = replace(client, client_secret_hash=rules.digest(secret), updated_at=http.resources(request).now())
        await queries.oauth_clients.put(connection, client)
        await _record(connection, request, admin, Action.OAUTH_CLIENT_UPDATED, client)
    return JSONResponse(client.public(secret), headers=NO_STORE)


async def _admin(request: Request) -> User:
    rules.enabled(request)
    return await access.admin(request)


async def _create(request: Request, registration_type: str, actor: User) -> Response:
    body, now = await bodies.read(request), http.resources(request).now()
    method, client_type = rules.method_and_type(body.text("token_endpoint_auth_method"), body.text("client_type"))
    secret = "" if client_type == "public" else rules.new_secret()
    blank = Client(
        id=uuid4(),
        client_secret_hash=rules.digest(secret) if secret else "",
        registration_type=registration_type,
        redirect_uris=[],
        grant_types=list(rules.GRANTS),
        client_name="",
        client_uri="",
        logo_uri="",
        client_type=client_type,
        token_endpoint_auth_method=method,
        created_at=now,
        updated_at=now,
    )
    client = replace(blank, **{**_read(body), "token_endpoint_auth_method": method})
    rules.refuse_bad(client)
    async with db.transaction(http.resources(request).pool) as connection:
        await queries.oauth_clients.put(connection, client)
        await _record(connection, request, actor, Action.OAUTH_CLIENT_CREATED, client)
    return JSONResponse(client.public(secret), status_code=201, headers=NO_STORE)


def _read(body: Body) -> dict[str, Any]:
    texts = ("client_name", "client_uri", "logo_uri", "token_endpoint_auth_method")
    named: dict[str, Any] = {name: body.text(name) for name in texts if body.content.get(name) is not None}
    lists = {name: body.texts(name) for name in ("redirect_uris", "grant_types")}
    return named | {name: values for name, values in lists.items() if values is not None}


async def _find(connection: db.Connection, request: Request) -> Client:
    try:
        client_id = UUID(request.path_params["client_id"])
    except ValueError as error:
        raise errors.invalid("invalid client_id format") from error
    client = await queries.oauth_clients.find(connection, client_id)
    if client is None:
        raise AuthError(404, Code.OAUTH_CLIENT_NOT_FOUND, "OAuth client not found")
    return client


async def _record(connection: db.Connection, request: Request, actor: User, action: Action, client: Client) -> None:
    now, device = http.resources(request).now(), access.device(request)
    await audit.record(connection, action, actor, device, now, {"client_id": str(client.id)})
