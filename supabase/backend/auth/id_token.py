"""Answer POST /token?grant_type=id_token: sign in with the token that a provider gave to an app (AUTH-22)."""

from __future__ import annotations

import hashlib
import hmac

from starlette.requests import Request
from starlette.responses import Response

from backend.auth import access, errors, identities, linking, queries, service, sessions
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.linking import Arrival
from backend.auth.providers import directory, known
from backend.auth.providers.id_tokens import BadIdToken
from backend.auth.providers.model import Profile, Provider
from backend.auth.providers.talk import BadAnswer
from backend.core import db, http
from backend.core.egress import EgressError


async def grant(request: Request, body: Body) -> Response:
    """A session for whoever the token is about; with `link_identity` for the caller, whose identity it becomes.

    Raises AuthError validation_failed, provider_disabled, and as linking.
    """
    token, name = body.text("id_token"), body.text("provider").lower()
    if not token:
        raise errors.invalid("id_token required")
    if not name:
        raise errors.invalid("provider or client_id and issuer required")
    target = await identities.linking_caller(request) if body.flag("link_identity") else None
    provider = await _provider(request, name, body.text("issuer"))
    profile = await _profile(request, provider, body, token)
    resources = http.resources(request)
    arrival = Arrival(resources, service.post(request), profile, access.device(request), provider.email_optional)
    async with db.transaction(resources.pool) as connection:
        if target:
            user = await linking.link(connection, arrival, target.user.id, target.session_id)
        else:
            user = await linking.sign_in(connection, arrival)
        if not isinstance(user, AuthError):
            granted = await sessions.start(
                connection, resources, user, queries.provider_flows.METHOD, arrival.device, provider=provider.name
            )
    # Raised after the commit: the account and its mail must outlive the refusal that reports them.
    if isinstance(user, AuthError):
        raise user
    return sessions.response(granted)


async def _provider(request: Request, name: str, issuer: str) -> Provider:
    """Only providers of the settings: a token of any issuer for any client would prove nothing."""
    if name not in known.WITH_ID_TOKEN_GRANT and not name.startswith(known.CUSTOM_PREFIX):
        raise errors.invalid(f'Custom OIDC provider "{name[:50]}" not allowed')
    provider = await directory.find(request, name)
    if not provider.issuer and name not in known.PLAIN:
        raise errors.invalid(f'Provider "{name[:50]}" does not issue ID tokens')
    if issuer and provider.issuer and issuer != provider.issuer and name != known.AZURE:
        raise errors.invalid("The issuer is not the provider's")
    return provider


async def _profile(request: Request, provider: Provider, body: Body, token: str) -> Profile:
    now = http.resources(request).now()
    try:
        profile, nonce = await service.of(request).providers.from_id_token(
            provider, token, body.text("access_token"), now
        )
    except BadIdToken as error:
        message = str(error) if "Unacceptable" in str(error) else "Bad ID token"
        raise AuthError(400, Code.VALIDATION_FAILED, message, cause=error) from error
    except (EgressError, BadAnswer) as error:
        raise AuthError(500, Code.UNEXPECTED_FAILURE, "The provider cannot be reached", cause=error) from error
    if not provider.skip_nonce_check:
        _check_nonce(body.text("nonce"), nonce)
    return profile


def _check_nonce(given: str, in_token: object) -> None:
    """The app sends the nonce, the token holds its hash: who only has the token cannot use it."""
    if bool(given) != bool(in_token):
        raise errors.invalid("Passed nonce and nonce in id_token should either both exist or not.")
    if given:
        hashed = hashlib.sha256(given.encode()).hexdigest()
        if not isinstance(in_token, str) or not hmac.compare_digest(hashed.encode(), in_token.encode()):
            raise errors.invalid("Nonces mismatch")
