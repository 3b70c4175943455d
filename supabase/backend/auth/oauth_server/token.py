"""POST /oauth/token and GET /oauth/userinfo: what an application gets for a code, and learns about a person."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, unquote_plus
from uuid import UUID

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, audit, errors, queries, refresh_tokens, sessions
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError
from backend.auth.models import User
from backend.auth.oauth_server import rules
from backend.auth.oauth_server.rows import APPROVED, USED, Authorization, Client
from backend.auth.sessions import Granted
from backend.core import db, http
from backend.core.errors import ApiError
from backend.core.resources import Resources

CODE_LIFETIME = timedelta(minutes=5)
METHOD = "oauth_provider/authorization_code"
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


@dataclass(frozen=True)
class Refusal(Exception):
    """An error as OAuth spells it (OAuth 2.1, 3.2.4)."""

    error: str
    description: str
    status: int = 400


async def token(request: Request) -> Response:
    """Tokens without the user: the application has the scopes to ask for. Raises AuthError feature_disabled."""
    rules.enabled(request)
    try:
        values = await _read(request)
        client = await _authenticate(request, values)
        grant = values.get("grant_type", "")
        if grant not in rules.GRANTS or grant not in client.grant_types:
            raise Refusal("unsupported_grant_type", "The client may not use this grant")
        handler = _authorization_code if grant == "authorization_code" else _refresh_token
        return JSONResponse(await handler(request, client, values), headers=NO_STORE)
    except Refusal as refusal:
        body = {"error": refusal.error, "error_description": refusal.description}
        basic = {"WWW-Authenticate": 'Basic realm="oauth"'} if refusal.status == 401 else {}
        return JSONResponse(body, status_code=refusal.status, headers={**NO_STORE, **basic})


async def _read(request: Request) -> dict[str, str]:
    """A form or JSON; a parameter may not come twice."""
    if request.headers.get("content-type", "").startswith("application/json"):
        try:
            body = Body(await http.json_object(request))
            return {name: body.text(name) for name in body.content}
        except ApiError as error:
            raise Refusal("invalid_request", error.message) from error
    try:
        pairs = parse_qsl((await http.body(request)).decode(), max_num_fields=50)
    except ValueError as error:
        raise Refusal("invalid_request", "The form is malformed") from error
    values = dict(pairs)
    if len(values) != len(pairs) or any("\x00" in value for value in values.values()):
        raise Refusal("invalid_request", "The form is malformed")
    return values


async def _authenticate(request: Request, values: dict[str, str]) -> Client:
    """Who asks, and the proof of it unless it can keep no secret."""
    given, secret, status = values.get("client_id", ""), values.get("client_secret", ""), 400
    scheme, _, encoded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        status = 401
        given, secret = _basic(encoded)
    refusal = Refusal("invalid_client", "Client authentication failed", status)
    try:
        client_id = UUID(given)
    except ValueError as error:
        raise refusal from error
    async with db.connection(http.resources(request).pool) as connection:
        client = await queries.oauth_clients.find(connection, client_id)
    if client is None or (secret != "" if client.is_public else not rules.is_secret(client, secret)):
        raise refusal
    return client


def _basic(encoded: str) -> tuple[str, str]:
    try:
        name, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except ValueError:
        return "", ""
    return unquote_plus(name), unquote_plus(secret)


async def _authorization_code(request: Request, client: Client, values: dict[str, str]) -> dict[str, Any]:
    resources = http.resources(request)
    async with db.transaction(resources.pool) as connection:
        wanted = await queries.oauth_authorizations.find_by_code(connection, values.get("code", ""))
        outcome = await _exchange(connection, request, client, wanted, values)
    # Raised after the commit: what a replay ends must stay ended.
    if isinstance(outcome, Refusal):
        raise outcome
    assert wanted is not None
    return _answer(resources, outcome, wanted.nonce)


async def _exchange(
    connection: db.Connection,
    request: Request,
    client: Client,
    wanted: Authorization | None,
    values: dict[str, str],
) -> Granted | Refusal:
    resources, now = http.resources(request), http.resources(request).now()
    invalid = Refusal("invalid_grant", "Invalid authorization code")
    if wanted is None or wanted.client_id != client.id or wanted.user_id is None or wanted.approved_at is None:
        return invalid
    user = await queries.users.find(connection, wanted.user_id)
    if wanted.status == USED:
        # Somebody has a copy, and nobody knows who of the two is the right one (OAuth 2.1, 4.1.3).
        ended = await queries.oauth_authorizations.end_sessions(
            connection, wanted.user_id, client.id, wanted.approved_at
        )
        if ended and user is not None:
            traits = {"reason": "authorization_code_already_used", "client_id": str(client.id)}
            await audit.record(connection, Action.TOKEN_REVOKED, user, access.device(request), now, traits)
        return invalid
    await queries.oauth_authorizations.use(connection, wanted.id)
    if wanted.status != APPROVED or now >= wanted.approved_at + CODE_LIFETIME or user is None or user.is_banned(now):
        return invalid
    if values.get("redirect_uri", wanted.redirect_uri) != wanted.redirect_uri:
        return invalid
    if not await queries.oauth_clients.is_allowed(connection, user.id, client.id, wanted.scope):
        return invalid
    digest = hashlib.sha256(values.get("code_verifier", "").encode()).digest()
    proved = base64.urlsafe_b64encode(digest).rstrip(b"=")
    if not hmac.compare_digest(proved, wanted.code_challenge.encode()):
        return Refusal("invalid_grant", "Invalid code verifier")
    traits = {"provider": METHOD, "client_id": str(client.id)}
    await audit.record(connection, Action.LOGIN, user, access.device(request), now, traits)
    return await _start(connection, resources, request, user, wanted)


async def _start(
    connection: db.Connection, resources: Resources, request: Request, user: User, wanted: Authorization
) -> Granted:
    """A session of the application's own, beside the person's."""
    begun, refresh_token = await sessions.begin(connection, user, METHOD, access.device(request), resources.now())
    await queries.oauth_authorizations.name_session(connection, begun.id, wanted.client_id, wanted.scope)
    session = await queries.sessions.find(connection, begun.id)
    assert session is not None
    return await sessions.grant(connection, resources, user, session, refresh_token, METHOD)


async def _refresh_token(request: Request, client: Client, values: dict[str, str]) -> dict[str, Any]:
    given, resources = values.get("refresh_token", ""), http.resources(request)
    if not given:
        raise Refusal("invalid_request", "refresh_token is required")
    try:
        granted = await refresh_tokens.exchange(resources, given, access.device(request), client_id=client.id)
    except AuthError as error:
        if error.status >= 500:
            raise
        raise Refusal("invalid_grant", error.message) from error
    return _answer(resources, granted, "")


def _answer(resources: Resources, granted: Granted, nonce: str) -> dict[str, Any]:
    scope = granted.session.scopes
    body = {
        "access_token": granted.access_token,
        "token_type": "bearer",
        "expires_in": granted.expires_in,
        "refresh_token": granted.refresh_token,
        "scope": scope,
    }
    if "openid" not in scope.split():
        return body
    half = hashlib.sha256(granted.access_token.encode()).digest()[:16]
    claims = {
        "iss": resources.settings.auth.jwt_issuer,
        "aud": str(granted.session.oauth_client_id),
        "exp": granted.expires_at,
        "iat": int(resources.now().timestamp()),
        "auth_time": int(granted.session.created_at.timestamp()),
        "at_hash": base64.urlsafe_b64encode(half).rstrip(b"=").decode(),
        **({"nonce": nonce} if nonce else {}),
        **_facts(granted.user, scope),
    }
    return {**body, "id_token": resources.keys.sign(claims)}


async def userinfo(request: Request) -> Response:
    """What the scopes allow (OpenID Connect Core 1.0, 5.3). Raises AuthError as access.caller."""
    rules.enabled(request)
    caller = await access.caller(request, applications=True)
    if caller.session is None:
        raise errors.invalid("A session is required")
    # A person's own session may know everything about that person.
    scope = caller.session.scopes if caller.session.oauth_client_id else " ".join(rules.SCOPES)
    return JSONResponse(_facts(caller.user, scope), headers=NO_STORE)


def _facts(user: User, scope: str) -> dict[str, Any]:
    scopes, facts = scope.split(), user.user_metadata
    told: dict[str, Any] = {"sub": str(user.id)}
    if "email" in scopes and user.email:
        told |= {"email": user.email, "email_verified": user.email_confirmed_at is not None}
    if "phone" in scopes and user.phone:
        told |= {"phone_number": user.phone, "phone_number_verified": user.phone_confirmed_at is not None}
    if "profile" in scopes:
        named = {
            "name": facts.get("full_name") or facts.get("name"),
            "picture": facts.get("avatar_url") or facts.get("picture"),
            "preferred_username": facts.get("user_name") or facts.get("preferred_username"),
        }
        told |= {name: value for name, value in named.items() if isinstance(value, str) and value}
        told["updated_at"] = int(user.updated_at.timestamp())
    return told
