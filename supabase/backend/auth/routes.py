"""The routes of the auth service, as the API reference lists them (section 2.2)."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp

from backend.auth import (
    admin_audit,
    admin_factors,
    admin_users,
    authorize,
    callback,
    challenges,
    custom_providers,
    errors,
    factor_verification,
    factors,
    generate_link,
    health,
    hooks,
    identities,
    invite,
    limits,
    logout,
    magiclink,
    openapi,
    otp,
    own_sessions,
    passkeys,
    reauthenticate,
    recover,
    recovery_codes,
    resend,
    service,
    settings,
    signup,
    sso,
    token,
    user,
    verify,
    well_known,
)
from backend.auth.door import Door
from backend.auth.errors import LastResort
from backend.auth.limits import limited
from backend.auth.oauth_server import clients as oauth_clients
from backend.auth.oauth_server import consent as oauth_consent
from backend.auth.oauth_server import token as oauth_token
from backend.auth.own_user import OwnUser
from backend.core.config import Settings
from backend.core.http import Cors

# What the official clients send and may read (AUTH-01).
REQUEST_HEADERS = (
    "Accept, Authorization, Content-Type, X-Client-IP, X-Client-Info, X-JWT-AUD, x-use-cookie, "
    "X-Supabase-Api-Version, apikey, redirect_to"
)
RESPONSE_HEADERS = "X-Total-Count, Link, X-Supabase-Api-Version, x-sb-error-code, Retry-After"

ROUTES = [
    Route("/health", health.health),
    Route("/settings", settings.settings),
    # Ours: this table as an OpenAPI document.
    Route("/openapi.json", openapi.document),
    Route("/.well-known/jwks.json", well_known.jwks),
    Route("/.well-known/openid-configuration", well_known.openid_configuration),
    Route("/.well-known/oauth-authorization-server", well_known.authorization_server),
    Route("/authorize", limited(limits.SIGN_IN, authorize.authorize)),
    Route("/callback", callback.callback, methods=["GET", "POST"]),
    Route("/signup", limited(limits.SIGN_UP, signup.signup), methods=["POST"]),
    Route("/token", limited(limits.of_grant, token.token), methods=["POST"]),
    Route("/logout", logout.logout, methods=["POST"]),
    # Ours: upstream lists no sessions.
    Route("/sessions", own_sessions.list_all),
    Route("/sessions/{session_id}", own_sessions.end, methods=["DELETE"]),
    Route("/user", user.get),
    Route("/user", limited(limits.USER, user.put), methods=["PUT"]),
    Route("/user/identities/authorize", limited(limits.USER, identities.begin_linking)),
    Route("/user/identities/{identity_id}", identities.unlink, methods=["DELETE"]),
    Route("/otp", limited(limits.SEND, otp.otp), methods=["POST"]),
    Route("/magiclink", limited(limits.SEND, magiclink.magiclink), methods=["POST"]),
    Route("/recover", limited(limits.SEND, recover.recover), methods=["POST"]),
    Route("/resend", limited(limits.SEND, resend.resend), methods=["POST"]),
    Route("/verify", limited(limits.VERIFY, verify.get)),
    Route("/verify", limited(limits.VERIFY, verify.post), methods=["POST"]),
    Route("/reauthenticate", reauthenticate.reauthenticate),
    Route("/invite", invite.invite, methods=["POST"]),
    Route("/admin/users", admin_users.users),
    Route("/admin/users", admin_users.create, methods=["POST"]),
    Route("/admin/users/{user_id}", admin_users.get),
    Route("/admin/users/{user_id}", admin_users.put, methods=["PUT"]),
    Route("/admin/users/{user_id}", admin_users.delete, methods=["DELETE"]),
    Route("/admin/generate_link", generate_link.generate_link, methods=["POST"]),
    Route("/admin/audit", admin_audit.audit),
    Route("/admin/custom-providers", custom_providers.list_all),
    Route("/admin/custom-providers", custom_providers.create, methods=["POST"]),
    Route("/admin/custom-providers/{identifier}", custom_providers.get),
    Route("/admin/custom-providers/{identifier}", custom_providers.update, methods=["PUT"]),
    Route("/admin/custom-providers/{identifier}", custom_providers.delete, methods=["DELETE"]),
    Route("/admin/oauth/clients", oauth_clients.list_all),
    Route("/admin/oauth/clients", oauth_clients.create, methods=["POST"]),
    Route("/admin/oauth/clients/{client_id}", oauth_clients.get),
    Route("/admin/oauth/clients/{client_id}", oauth_clients.update, methods=["PUT"]),
    Route("/admin/oauth/clients/{client_id}", oauth_clients.delete, methods=["DELETE"]),
    Route("/admin/oauth/clients/{client_id}/regenerate_secret", oauth_clients.regenerate_secret, methods=["POST"]),
    Route("/oauth/clients/register", limited(limits.REGISTER_CLIENT, oauth_clients.register), methods=["POST"]),
    Route("/oauth/authorize", limited(limits.SIGN_IN, oauth_consent.authorize)),
    Route("/oauth/authorizations/{authorization_id}", oauth_consent.get),
    Route("/oauth/authorizations/{authorization_id}/consent", oauth_consent.decide, methods=["POST"]),
    Route("/oauth/token", limited(limits.REFRESH, oauth_token.token), methods=["POST"]),
    Route("/oauth/userinfo", oauth_token.userinfo, methods=["GET", "POST"]),
    Route("/user/oauth/grants", oauth_consent.grants),
    Route("/user/oauth/grants", oauth_consent.revoke, methods=["DELETE"]),
    Route("/admin/sso/providers", sso.admin, methods=["GET", "POST"]),
    Route("/admin/sso/providers/{provider_id}", sso.admin, methods=["GET", "PUT", "DELETE"]),
    Route("/sso", sso.saml, methods=["POST"]),
    Route("/sso/saml/metadata", sso.saml),
    Route("/sso/saml/acs", sso.saml, methods=["POST"]),
    Route("/scim/v2/{path:path}", sso.scim, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
    Route("/factors", factors.enroll, methods=["POST"]),
    Route("/factors/recovery-codes", recovery_codes.status),
    Route("/factors/recovery-codes", recovery_codes.generate, methods=["POST"]),
    Route("/factors/recovery-codes", recovery_codes.delete, methods=["DELETE"]),
    Route("/factors/recovery-codes/verify", limited(limits.MFA, recovery_codes.verify), methods=["POST"]),
    Route("/factors/recovery-codes/regenerate", recovery_codes.regenerate, methods=["POST"]),
    Route("/factors/{factor_id}", factors.unenroll, methods=["DELETE"]),
    Route("/factors/{factor_id}/challenge", limited(limits.MFA, challenges.challenge), methods=["POST"]),
    Route("/factors/{factor_id}/verify", limited(limits.MFA, factor_verification.verify), methods=["POST"]),
    Route("/passkeys", passkeys.listing),
    Route(
        "/passkeys/authentication/options",
        limited(limits.SIGN_IN, passkeys.authentication_options),
        methods=["POST"],
    ),
    Route("/passkeys/authentication/verify", passkeys.authenticate, methods=["POST"]),
    Route("/passkeys/registration/options", passkeys.registration_options, methods=["POST"]),
    Route("/passkeys/registration/verify", passkeys.register, methods=["POST"]),
    Route("/passkeys/{passkey_id}", passkeys.rename, methods=["PATCH"]),
    Route("/passkeys/{passkey_id}", passkeys.delete, methods=["DELETE"]),
    Route("/admin/users/{user_id}/factors", admin_factors.listing),
    Route("/admin/users/{user_id}/factors/{factor_id}", admin_factors.update, methods=["PUT"]),
    Route("/admin/users/{user_id}/factors/{factor_id}", admin_factors.delete, methods=["DELETE"]),
    Route("/admin/users/{user_id}/passkeys", admin_factors.list_passkeys),
    Route("/admin/users/{user_id}/passkeys/{passkey_id}", admin_factors.delete_passkey, methods=["DELETE"]),
]


def create(configuration: Settings) -> ASGIApp:
    """The service, to be mounted at /auth/v1. Raises ConfigError for a template or hook that cannot be used."""
    application = Starlette(routes=ROUTES, middleware=[Middleware(LastResort)], exception_handlers=errors.HANDLERS)
    application.router.redirect_slashes = False
    hooks.check(configuration)
    application.state.openapi = _described(configuration.auth.external_url)
    application.state.limit_turns = asyncio.Semaphore(limits.TURNS)
    application.state.service = service.create(configuration)
    return Cors(OwnUser(Door(application)), headers=REQUEST_HEADERS, expose=RESPONSE_HEADERS)


@lru_cache
def _described(external_url: str) -> dict[str, Any]:
    return openapi.build(ROUTES, external_url)
