"""GET /.well-known/…: the public keys, and where everything is."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth.oauth_server import rules
from backend.core import http

_CACHED = {"Cache-Control": "public, max-age=600"}


async def jwks(request: Request) -> Response:
    """The public keys that access tokens are checked with (RFC 7517)."""
    return JSONResponse(http.resources(request).keys.public_jwks(), headers=_CACHED)


async def openid_configuration(request: Request) -> Response:
    """Discovery (OpenID Connect Discovery 1.0, 3): every address derives from the issuer."""
    issuer = http.resources(request).settings.auth.jwt_issuer
    server = http.resources(request).settings.auth.oauth_server
    registration = {"registration_endpoint": f"{issuer}/oauth/clients/register"}
    return JSONResponse(
        {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/oauth/authorize",
            "token_endpoint": f"{issuer}/oauth/token",
            "userinfo_endpoint": f"{issuer}/oauth/userinfo",
            "jwks_uri": f"{issuer}/.well-known/jwks.json",
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [http.resources(request).keys.algorithm],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["openid", "email", "profile", "phone"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            "authorization_response_iss_parameter_supported": True,
            **(registration if server.enabled and server.allow_dynamic_registration else {}),
        },
        headers=_CACHED,
    )


async def authorization_server(request: Request) -> Response:
    """The same for OAuth clients (RFC 8414). Raises AuthError feature_disabled."""
    rules.enabled(request)
    return await openid_configuration(request)
