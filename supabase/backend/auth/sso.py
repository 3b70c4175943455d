"""/sso, /sso/saml/*, /admin/sso/* and /scim/*: not built, and answered as upstream answers where they are off."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from backend.auth import access
from backend.auth.errors import AuthError, Code


async def saml(_request: Request) -> Response:
    """Raises AuthError saml_provider_disabled."""
    raise AuthError(404, Code.SAML_PROVIDER_DISABLED, "SAML 2.0 is disabled")


async def scim(_request: Request) -> Response:
    """Raises AuthError feature_disabled."""
    raise AuthError(404, Code.FEATURE_DISABLED, "SCIM is disabled")


async def admin(request: Request) -> Response:
    """Raises AuthError not_admin, saml_provider_disabled."""
    await access.admin(request)
    return await saml(request)
