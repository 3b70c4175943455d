"""GET /oauth/authorize, /oauth/authorizations/{id} and /user/oauth/grants: an application asks, a person answers."""

from __future__ import annotations

import re
import secrets
from datetime import timedelta
from urllib.parse import urlencode
from uuid import UUID, uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from backend.auth import access, audit, bodies, errors, queries, redirects
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.auth.oauth_server import rules
from backend.auth.oauth_server.clients import NO_STORE
from backend.auth.oauth_server.rows import APPROVED, DENIED, PENDING, Authorization, Client
from backend.core import callers, db, http
from backend.core.resources import Resources

LIFETIME = timedelta(minutes=10)
# Longest values the table takes.
_LENGTHS = {"state": 4096, "nonce": 255, "resource": 2048}
_CHALLENGE = re.compile(r"[A-Za-z0-9._~-]{43,128}")


class BadRequest(Exception):
    """A request that its application is told about, at its own address (OAuth 2.1, 4.1.2.1)."""


async def authorize(request: Request) -> Response:
    """On to the page that asks for consent; without a known client and address nobody is sent anywhere.

    Raises AuthError feature_disabled, validation_failed, oauth_client_not_found.
    """
    settings, resources, query = rules.enabled(request), http.resources(request), request.query_params
    redirect_uri = query.get("redirect_uri", "")
    async with db.transaction(resources.pool) as connection:
        client = await _client(connection, query.get("client_id", ""))
        if redirect_uri not in client.redirect_uris:
            raise errors.invalid("invalid redirect_uri")
        try:
            wanted = _read(request, client)
        except BadRequest as error:
            problem, _, description = str(error).partition(": ")
            state = query.get("state", "")[: _LENGTHS["state"]].replace("\x00", "")
            return _redirect(_error(resources, redirect_uri, state, problem, description))
        await queries.oauth_authorizations.insert(connection, wanted)
    page = f"{resources.settings.auth.site_url}/{settings.authorization_url_path.lstrip('/')}"
    return _redirect(f"{page}?{urlencode({'authorization_id': wanted.authorization_id})}")


async def _client(connection: db.Connection, given: str) -> Client:
    try:
        client = await queries.oauth_clients.find(connection, UUID(given))
    except ValueError:
        client = None
    if client is None:
        raise AuthError(400, Code.OAUTH_CLIENT_NOT_FOUND, "invalid client_id")
    return client


def _read(request: Request, client: Client) -> Authorization:
    """Raises BadRequest."""
    query, now = request.query_params, http.resources(request).now()
    if query.get("response_type", "code") != "code":
        raise BadRequest("unsupported_response_type: Only response_type=code is supported")
    if "authorization_code" not in client.grant_types:
        raise BadRequest("unauthorized_client: The client may not use authorization codes")
    if query.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(query.get("code_challenge", "")):
        raise BadRequest("invalid_request: PKCE with code_challenge_method S256 is required")
    for name, length in _LENGTHS.items():
        if len(query.get(name, "")) > length or "\x00" in query.get(name, ""):
            raise BadRequest(f"invalid_request: {name} is too long or malformed")
    scopes = (query.get("scope") or rules.DEFAULT_SCOPE).split()
    if not scopes or any(scope not in rules.SCOPES for scope in scopes):
        raise BadRequest(f"invalid_scope: Supported scopes are {' '.join(rules.SCOPES)}")
    return Authorization(
        id=uuid4(),
        authorization_id=secrets.token_urlsafe(24),
        client_id=client.id,
        user_id=None,
        redirect_uri=query["redirect_uri"],
        scope=" ".join(dict.fromkeys(scopes)),
        state=query.get("state", ""),
        resource=query.get("resource", ""),
        code_challenge=query["code_challenge"],
        nonce=query.get("nonce", ""),
        status=PENDING,
        created_at=now,
        expires_at=now + LIFETIME,
        approved_at=None,
    )


async def get(request: Request) -> Response:
    """Who asks for what; or where to go at once, when the person allowed as much before.

    Raises AuthError oauth_authorization_not_found, validation_failed.
    """
    rules.enabled(request)
    user, resources = await _person(request), http.resources(request)
    async with db.transaction(resources.pool) as connection:
        wanted, client = await _claim(connection, request, user)
        if await queries.oauth_clients.is_allowed(connection, user.id, client.id, wanted.scope):
            return JSONResponse({"redirect_url": await _approve(connection, request, wanted)}, headers=NO_STORE)
    body = {
        "authorization_id": wanted.authorization_id,
        "redirect_uri": wanted.redirect_uri.partition("?")[0],
        "client": client.introduction(),
        "user": {"id": str(user.id), "email": user.email},
        "scope": wanted.scope,
    }
    return JSONResponse(body, headers=NO_STORE)


async def decide(request: Request) -> Response:
    """The person's answer. Raises AuthError validation_failed, oauth_authorization_not_found."""
    rules.enabled(request)
    user, resources = await _person(request), http.resources(request)
    action = (await bodies.read(request)).text("action")
    if action not in ("approve", "deny"):
        raise errors.invalid("action must be 'approve' or 'deny'")
    async with db.transaction(resources.pool) as connection:
        wanted, client = await _claim(connection, request, user)
        traits = {"client_id": str(client.id), "scope": wanted.scope}
        now, device = resources.now(), access.device(request)
        if action == "approve":
            await queries.oauth_clients.consent(connection, user.id, client.id, wanted.scope.split(), now)
            location = await _approve(connection, request, wanted)
            await audit.record(connection, Action.OAUTH_CONSENT_GRANTED, user, device, now, traits)
        else:
            await queries.oauth_authorizations.answer(connection, wanted.id, DENIED, "", now)
            await audit.record(connection, Action.OAUTH_CONSENT_DENIED, user, device, now, traits)
            location = _error(resources, wanted.redirect_uri, wanted.state, "access_denied", "User denied the request")
    return JSONResponse({"redirect_url": location}, headers=NO_STORE)


async def grants(request: Request) -> Response:
    """The applications the caller allows in."""
    rules.enabled(request)
    caller = await access.caller(request)
    async with db.connection(http.resources(request).pool) as connection:
        found = await queries.oauth_clients.consents(connection, caller.user.id)
    return JSONResponse([each.public() for each in found])


async def revoke(request: Request) -> Response:
    """204; the application is out. Raises AuthError validation_failed, oauth_consent_not_found."""
    rules.enabled(request)
    caller, resources = await access.caller(request), http.resources(request)
    try:
        client_id = UUID(request.query_params.get("client_id", ""))
    except ValueError as error:
        raise errors.invalid("client_id is required") from error
    async with db.transaction(resources.pool) as connection:
        now, device = resources.now(), access.device(request)
        if not await queries.oauth_clients.revoke(connection, caller.user.id, client_id, now):
            raise AuthError(404, Code.OAUTH_CONSENT_NOT_FOUND, "No active grant found for this client")
        # After the line above, which waited for a code just being exchanged: its session is to be seen here.
        await queries.oauth_authorizations.end_sessions(connection, caller.user.id, client_id)
        traits = {"client_id": str(client_id)}
        await audit.record(connection, Action.OAUTH_CONSENT_REVOKED, caller.user, device, now, traits)
    return Response(status_code=204)


async def _person(request: Request) -> User:
    """Who answers. Raises AuthError insufficient_aal: an application that is let in is never asked for the factor."""
    caller = await access.caller(request)
    if callers.is_halfway(caller.claims):
        raise AuthError(403, Code.INSUFFICIENT_AAL, "AAL2 session is required to let an application in.")
    return caller.user


async def _claim(connection: db.Connection, request: Request, user: User) -> tuple[Authorization, Client]:
    """The request in the path, the caller's from now on; another person's does not exist."""
    given = request.path_params["authorization_id"]
    wanted = None
    if "\x00" not in given:
        wanted = await queries.oauth_authorizations.claim(connection, given, user.id)
    client = await queries.oauth_clients.find(connection, wanted.client_id) if wanted else None
    if wanted is None or client is None or http.resources(request).now() >= wanted.expires_at:
        raise AuthError(404, Code.OAUTH_AUTHORIZATION_NOT_FOUND, "authorization not found")
    if wanted.status != PENDING:
        raise errors.invalid("authorization request cannot be processed")
    return wanted, client


async def _approve(connection: db.Connection, request: Request, wanted: Authorization) -> str:
    resources, code = http.resources(request), secrets.token_urlsafe(32)
    await queries.oauth_authorizations.answer(connection, wanted.id, APPROVED, code, resources.now())
    return _answer(resources, wanted.redirect_uri, wanted.state, {"code": code})


def _answer(resources: Resources, redirect_uri: str, state: str, values: dict[str, str]) -> str:
    """With our name, so that no other server's answer is taken for ours (RFC 9207)."""
    values |= {"iss": resources.settings.auth.jwt_issuer, **({"state": state} if state else {})}
    return redirects.with_query(redirect_uri, values)


def _error(resources: Resources, redirect_uri: str, state: str, error: str, description: str) -> str:
    return _answer(resources, redirect_uri, state, {"error": error, "error_description": description})


def _redirect(location: str) -> Response:
    return RedirectResponse(location, status_code=302, headers=NO_STORE)
