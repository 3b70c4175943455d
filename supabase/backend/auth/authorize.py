"""GET /authorize: off to a provider. What must come back with its answer waits in auth.flow_state, under the id that
is the `state`.
"""

from __future__ import annotations

import re
import secrets
from datetime import timedelta
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from backend.auth import access, errors, flow_states, one_time_tokens, queries, redirects, service
from backend.auth.access import Caller
from backend.auth.errors import AuthError, Code
from backend.auth.providers import directory
from backend.auth.providers.model import Provider
from backend.auth.providers.rows import ProviderFlow
from backend.core import db, http
from backend.core.egress import EgressError

# Time to sign in at the provider, second factor included.
STATE_LIFETIME = timedelta(minutes=10)
NO_STORE = {"Cache-Control": "no-store"}

# What we say to the provider ourselves, and what is meant for us; everything else in the query goes along.
_OURS = frozenset(
    (
        *("client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "state", "nonce", "scope"),
        *("code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri"),
        *("provider", "scopes", "redirect_to", "invite_token", "skip_http_redirect", "apikey", "access_token"),
    )
)
MAX_PARAMETERS = 20
MAX_LENGTH = 2048


async def authorize(request: Request) -> Response:
    """Redirects to the provider. Raises AuthError as `begin`."""
    return RedirectResponse(await begin(request, None), status_code=302, headers=NO_STORE)


async def begin(request: Request, linking: Caller | None) -> str:
    """The provider's address for a sign-in, or for joining its identity to the account of `linking`.

    Raises AuthError validation_failed, oauth_provider_not_supported, provider_disabled, user_not_found,
    session_not_found, unexpected_failure.
    """
    resources, query = http.resources(request), request.query_params
    if any("\x00" in value or len(value) > MAX_LENGTH for value in query.values()):
        raise errors.invalid("A parameter is too long or contains a character that cannot be stored")
    provider = await directory.find(request, query.get("provider", ""))
    challenge = flow_states.challenge(query.get("code_challenge", ""), query.get("code_challenge_method", ""))
    flow = ProviderFlow(
        id=uuid4(),
        provider=provider.name,
        created_at=resources.now(),
        code_challenge=challenge.value if challenge else "",
        auth_code=str(uuid4()) if challenge else "",
        redirect_to=redirects.target(request, resources.settings.auth),
        invite_token=query.get("invite_token", ""),
        linking_target_id=linking.user.id if linking else None,
        session_id=linking.session_id if linking else None,
        verifier=secrets.token_urlsafe(48),
    )
    location = await _location(request, provider, flow)
    async with db.transaction(resources.pool) as connection:
        if linking:
            await access.hold(connection, linking.user.id, flow.session_id)
        if flow.invite_token and not await one_time_tokens.is_known(connection, flow.invite_token):
            raise AuthError(404, Code.USER_NOT_FOUND, "User identified by token not found")
        await queries.provider_flows.forget_old(connection, resources.now() - 2 * STATE_LIFETIME)
        await queries.provider_flows.insert(
            connection, flow, challenge.method if challenge else "", provider.email_optional
        )
    return location


async def _location(request: Request, provider: Provider, flow: ProviderFlow) -> str:
    query = request.query_params
    # Clients separate scopes by spaces, older ones by commas.
    scopes = [scope for scope in re.split(r"[ ,]+", query.get("scopes", "")) if scope]
    parameters = {name: value for name, value in query.items() if name not in _OURS}
    if len(parameters) > MAX_PARAMETERS:
        raise errors.invalid(f"At most {MAX_PARAMETERS} parameters are passed on to a provider")
    assert flow.verifier is not None
    try:
        return await service.of(request).providers.authorization_url(
            provider, str(flow.id), flow.verifier, scopes, parameters
        )
    except EgressError as error:
        raise AuthError(500, Code.UNEXPECTED_FAILURE, "The provider cannot be reached", cause=error) from error
