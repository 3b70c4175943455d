"""What an application must be before it is registered (RFC 7591; OAuth 2.1, 2.3.1)."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from urllib.parse import urlsplit

from starlette.requests import Request

from backend.auth import errors
from backend.auth.errors import AuthError, Code
from backend.auth.oauth_server.rows import Client
from backend.core import http
from backend.core.config_providers import OAuthServer
from backend.core.hosts import is_loopback

GRANTS = ("authorization_code", "refresh_token")
METHODS = ("none", "client_secret_basic", "client_secret_post")
SCOPES = ("openid", "email", "profile", "phone")
DEFAULT_SCOPE = "email"
MAX_REDIRECTS = 10
MAX_NAME = 1024
MAX_URL = 2048
# A browser drops or turns around these; a comma separates addresses in the table.
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\,<>\"]")
_SCRIPTS = ("javascript", "data", "vbscript", "file", "blob", "about")


def enabled(request: Request) -> OAuthServer:
    """The server's settings. Raises AuthError feature_disabled."""
    settings = http.resources(request).settings.auth.oauth_server
    if not settings.enabled:
        raise AuthError(404, Code.FEATURE_DISABLED, "OAuth server is disabled")
    return settings


def refuse_bad(client: Client) -> None:
    """Raises AuthError validation_failed."""
    if not 1 <= len(client.redirect_uris) <= MAX_REDIRECTS:
        raise errors.invalid(f"redirect_uris needs 1 to {MAX_REDIRECTS} addresses")
    for uri in client.redirect_uris:
        if not is_good_redirect(uri):
            raise errors.invalid("redirect_uris must be https addresses, http on loopback, or an app's own scheme")
    if not client.grant_types or any(grant not in GRANTS for grant in client.grant_types):
        raise errors.invalid("grant_types must only contain 'authorization_code' and/or 'refresh_token'")
    if len(client.client_name) > MAX_NAME:
        raise errors.invalid(f"client_name cannot exceed {MAX_NAME} characters")
    for name in ("client_uri", "logo_uri"):
        uri = getattr(client, name)
        if uri and not (uri.startswith(("https://", "http://")) and is_good_redirect(uri)):
            raise errors.invalid(f"{name} must be a valid URL")
    if client.token_endpoint_auth_method not in METHODS or client.client_type not in ("public", "confidential"):
        raise errors.invalid("token_endpoint_auth_method or client_type is unknown")
    if client.is_public != (client.token_endpoint_auth_method == METHODS[0]):
        raise errors.invalid("public clients use token_endpoint_auth_method 'none', confidential ones a secret")


def is_good_redirect(uri: str) -> bool:
    """Whether a code may be sent there: only who is meant can read it, and it is no script."""
    try:
        parts = urlsplit(uri)
        _port = parts.port
    except ValueError:
        return False
    if len(uri) > MAX_URL or _UNSAFE.search(uri) or parts.fragment or uri.endswith("#"):
        return False
    if not parts.hostname or "@" in parts.netloc or parts.scheme in _SCRIPTS:
        return False
    return parts.scheme != "http" or is_loopback(parts.hostname)


def method_and_type(method: str, client_type: str) -> tuple[str, str]:
    """Each follows from the other where only one is given; confidential by default."""
    if not client_type:
        client_type = "public" if method == "none" else "confidential"
    if not method:
        method = "none" if client_type == "public" else "client_secret_basic"
    return method, client_type


def new_secret() -> str:
    """256 bits."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """A plain hash is enough for a secret that nobody can guess."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret(client: Client, secret: str) -> bool:
    """In constant time; never for a client without one."""
    return bool(client.client_secret_hash) and hmac.compare_digest(digest(secret), client.client_secret_hash)
