"""GET and POST /callback: back from a provider (POST is Apple's way). Always a redirect to where the flow began, with
the session in the fragment, a PKCE code in the query, or the reason why not in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl
from uuid import UUID

from cryptography.exceptions import InvalidTag
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from backend.auth import access, authorize, linking, queries, redirects, service, sessions
from backend.auth.errors import AuthError, Code
from backend.auth.linking import Arrival
from backend.auth.mails import Post
from backend.auth.models import User
from backend.auth.providers import directory, profiles
from backend.auth.providers.id_tokens import BadIdToken
from backend.auth.providers.model import Profile, Provider, Tokens
from backend.auth.providers.rows import ProviderFlow
from backend.auth.providers.talk import BadAnswer
from backend.core import db, http
from backend.core.egress import EgressError
from backend.core.errors import ApiError, record
from backend.core.resources import Resources

MAX_ERROR = 500


@dataclass(frozen=True)
class ProviderRefusal(Exception):
    """The provider said no, or the person did there; passed on as it was said (RFC 6749, 4.1.2.1)."""

    error: str
    description: str


async def callback(request: Request) -> Response:
    """Never answers an error of its own to the browser: a person is watching."""
    resources = http.resources(request)
    target = resources.settings.auth.site_url
    try:
        answer = await _read(request)
        flow = await _take_flow(resources, answer.get("state", ""))
        target = flow.redirect_to
        location = await _finish(request, flow, answer)
    except ProviderRefusal as refusal:
        values = {"error": refusal.error, "error_description": refusal.description}
        location = redirects.with_fragment(redirects.with_query(target, values), values)
    except ApiError as error:
        record(error)
        location = redirects.with_error(target, error)
    return RedirectResponse(location, status_code=303 if request.method == "POST" else 302, headers=authorize.NO_STORE)


async def _read(request: Request) -> dict[str, str]:
    """Query or form; of a name that comes twice the first counts, for nobody may append another."""
    text = request.url.query
    if request.method == "POST":
        text = (await http.body(request)).decode("utf-8", "replace")
    try:
        pairs = parse_qsl(text, max_num_fields=50)
    except ValueError as error:
        raise AuthError(400, Code.BAD_OAUTH_CALLBACK, "OAuth callback with too many parameters") from error
    return {name: value.replace("\x00", "") for name, value in reversed(pairs)}


async def _take_flow(resources: Resources, state: str) -> ProviderFlow:
    """Raises AuthError bad_oauth_callback, bad_oauth_state, flow_state_already_used, flow_state_expired."""
    if not state:
        raise AuthError(400, Code.BAD_OAUTH_CALLBACK, "OAuth state parameter missing")
    try:
        flow_id = UUID(state)
    except ValueError as error:
        raise AuthError(400, Code.BAD_OAUTH_STATE, "OAuth callback with invalid state") from error
    async with db.transaction(resources.pool) as connection:
        flow = await queries.provider_flows.take(connection, flow_id)
    if flow is None:
        raise AuthError(400, Code.BAD_OAUTH_STATE, "OAuth callback with invalid state")
    if flow.verifier is None:
        raise AuthError(400, Code.FLOW_STATE_ALREADY_USED, "OAuth callback with a state that has been used")
    if resources.now() >= flow.created_at + authorize.STATE_LIFETIME:
        raise AuthError(422, Code.FLOW_STATE_EXPIRED, "OAuth callback with a state that has expired")
    return flow


async def _finish(request: Request, flow: ProviderFlow, answer: dict[str, str]) -> str:
    """Raises ProviderRefusal, AuthError."""
    if "error" in answer:
        raise ProviderRefusal(answer["error"][:MAX_ERROR], answer.get("error_description", "")[:MAX_ERROR])
    if not answer.get("code"):
        raise AuthError(400, Code.BAD_OAUTH_CALLBACK, "OAuth callback with missing authorization code missing")
    provider = await _provider(request, flow)
    tokens, profile = await _converse(request, provider, flow, answer)
    arrival = Arrival(
        resources=http.resources(request),
        post=Post(service.of(request).templates, http.resources(request), flow.redirect_to),
        profile=profile,
        device=access.device(request),
        email_optional=provider.email_optional,
    )
    return await _let_in(arrival, flow, tokens)


async def _provider(request: Request, flow: ProviderFlow) -> Provider:
    try:
        return await directory.find(request, flow.provider)
    except InvalidTag as error:
        raise AuthError(500, Code.UNEXPECTED_FAILURE, "Unable to exchange external code", cause=error) from error


async def _converse(
    request: Request, provider: Provider, flow: ProviderFlow, answer: dict[str, str]
) -> tuple[Tokens, Profile]:
    """Raises AuthError with a message that tells nothing of what the provider said: that is for the log."""
    providers, now = service.of(request).providers, http.resources(request).now()
    assert flow.verifier is not None
    try:
        # Whose answer this is, checked before the code goes anywhere (RFC 9207: mix-up).
        endpoints = await providers.documents.endpoints(provider)
        if endpoints.names_itself and answer.get("iss") != endpoints.issuer:
            raise AuthError(400, Code.BAD_OAUTH_CALLBACK, "OAuth callback from another issuer")
        tokens = await providers.exchange(provider, answer["code"], flow.verifier)
    except (EgressError, BadAnswer) as error:
        raise AuthError(500, Code.UNEXPECTED_FAILURE, "Unable to exchange external code", cause=error) from error
    try:
        profile = await providers.profile(provider, tokens, flow.verifier, now)
    except (EgressError, BadAnswer, BadIdToken) as error:
        message = "Error getting user profile from external provider"
        raise AuthError(500, Code.UNEXPECTED_FAILURE, message, cause=error) from error
    return tokens, profiles.with_apple_name(profile, answer.get("user", "")) if provider.name == "apple" else profile


async def _let_in(arrival: Arrival, flow: ProviderFlow, tokens: Tokens) -> str:
    resources = arrival.resources
    async with db.transaction(resources.pool) as connection:
        user = await _account(connection, arrival, flow)
        if isinstance(user, User) and flow.code_challenge:
            await queries.provider_flows.issue_code(
                connection, flow.id, user.id, tokens.access_token, tokens.refresh_token, resources.now()
            )
            return redirects.with_query(flow.redirect_to, {"code": flow.auth_code})
        if isinstance(user, User):
            granted = await sessions.start(
                connection, resources, user, "oauth", arrival.device, provider=arrival.profile.provider
            )
    # Raised after the commit: the account and its mail must outlive the refusal that reports them.
    if isinstance(user, AuthError):
        raise user
    values = {name: str(value) for name, value in granted.tokens().items()}
    values["provider_token"] = tokens.access_token
    if tokens.refresh_token:
        values["provider_refresh_token"] = tokens.refresh_token
    return redirects.with_fragment(flow.redirect_to, values)


async def _account(connection: db.Connection, arrival: Arrival, flow: ProviderFlow) -> User | AuthError:
    if flow.linking_target_id:
        return await linking.link(connection, arrival, flow.linking_target_id, flow.session_id)
    if flow.invite_token:
        return await linking.accept_invite(connection, arrival, flow.invite_token)
    return await linking.sign_in(connection, arrival)
