"""GET /settings: what a client may offer on its sign-in page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import service
from backend.core import http

PROVIDERS = (
    *("apple", "azure", "bitbucket", "discord", "facebook", "figma", "fly", "github", "gitlab", "google", "kakao"),
    *("keycloak", "linkedin", "linkedin_oidc", "notion", "slack", "slack_oidc", "snapchat", "spotify", "twitch"),
    *("twitter", "workos", "x", "zoom"),
)


async def settings(request: Request) -> Response:
    """Nothing secret: names and switches."""
    auth = http.resources(request).settings.auth
    return JSONResponse(
        {
            "external": {
                **{name: name in service.of(request).providers.configured for name in PROVIDERS},
                "anonymous_users": auth.enable_anonymous_sign_ins,
                "email": auth.email.enabled,
                "phone": auth.sms.enabled,
            },
            "disable_signup": not auth.enable_signup,
            "mailer_autoconfirm": not auth.email.enable_confirmations,
            "phone_autoconfirm": not auth.sms.enable_confirmations,
            "sms_provider": auth.sms.provider,
            "saml_enabled": False,
            "saml_private_key_next_configured": False,
            "passkeys_enabled": auth.passkey.enabled,
            # Ours: by it a client knows whether to show the applications that somebody lets in.
            "oauth_server_enabled": auth.oauth_server.enabled,
        }
    )
