"""Where a link may lead: `redirect_to` is believed only as far as SITE_URL and the allow list go.

A refused target falls back to SITE_URL without a word to the client (GoTrue's rule) and with a line in the log.
Nothing of it is ever reflected into a page.
"""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from starlette.requests import Request

from backend.auth.errors import Code
from backend.core.config import Auth
from backend.core.errors import ApiError

logger = logging.getLogger("backend.auth")

_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
# Browsers drop or turn around these; an address we hand out never needs them raw.
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_SCRIPTS = ("javascript", "data", "vbscript", "file", "blob", "about")
# RFC 6749, 4.1.2.1, as far as it has a word for the status; some refusals are denials whatever their status.
_OAUTH_ERRORS = {
    401: "unauthorized_client",
    403: "access_denied",
    500: "server_error",
    503: "temporarily_unavailable",
}
_DENIALS = (Code.SIGNUP_DISABLED, Code.USER_BANNED, Code.PROVIDER_EMAIL_NEEDS_VERIFICATION)
_PORTS = {"http": 80, "https": 443}


def target(request: Request, settings: Auth) -> str:
    """Where to send the caller: query `redirect_to`, else the header of that name, else Referer, else SITE_URL."""
    for wanted in (request.query_params.get("redirect_to"), request.headers.get("redirect_to")):
        if wanted:
            if is_allowed(wanted, settings):
                return wanted
            logger.info("redirect target refused", extra={"target": _origin_for_log(wanted)})
    referer = request.headers.get("referer", "")
    return referer if referer and is_allowed(referer, settings) else settings.site_url


def is_allowed(url: str, settings: Auth) -> bool:
    """Whether a link may lead there."""
    if _UNSAFE.search(url):
        return False
    try:
        parts = urlsplit(url)
        site = urlsplit(settings.site_url)
        port = parts.port
    except ValueError:
        return False
    if not parts.scheme or parts.scheme in _SCRIPTS:
        return False
    if parts.scheme in _PORTS:
        host = parts.hostname or ""
        if "@" in parts.netloc or not url.lower().startswith(f"{parts.scheme}://"):
            return False
        same_scheme = parts.scheme == site.scheme
        default_port = _PORTS[parts.scheme]
        same_port = (port or default_port) == (site.port or default_port)
        if same_scheme and host == site.hostname and (same_port or _loopback(host)):
            return True
        if _address(host):
            # Native apps listen on any port of the loopback address (RFC 8252, 7.3); no other address is a name.
            return same_scheme and _loopback(host) and _loopback(site.hostname or "")
        if host.isdigit() or not _HOST.fullmatch(host):
            return False
    without_fragment = url.partition("#")[0]
    return any(_glob(pattern).fullmatch(without_fragment) for pattern in settings.additional_redirect_urls)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _loopback(host: str) -> bool:
    """127.0.0.0/8, ::1 and localhost; an IPv4 address dressed as IPv6 is none that anybody writes by hand."""
    address = _address(host)
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return False
    return host == "localhost" or (address is not None and address.is_loopback)


@lru_cache(maxsize=256)
def _glob(pattern: str) -> re.Pattern[str]:
    """`.` and `/` are separators: `*` and `?` stay between them, `**` crosses them."""
    translated = {"**": ".*", "*": "[^./]*", "?": "[^./]"}
    parts = re.split(r"(\*\*|\*|\?)", pattern)
    return re.compile("".join(translated.get(part, re.escape(part)) for part in parts))


def _origin_for_log(url: str) -> str:
    """Enough to see what was wrong; the rest of an address may carry tokens."""
    return url.partition("?")[0].partition("#")[0][:200]


def with_error(url: str, error: ApiError, *, in_query: bool = True) -> str:
    """The address with the reason why not, in fragment and, unless the flow is implicit, query (RFC 6749, 4.1.2.1)."""
    values = {
        "error": "access_denied" if error.code in _DENIALS else _OAUTH_ERRORS.get(error.status, "invalid_request"),
        "error_code": str(error.code),
        "error_description": error.message,
    }
    return with_fragment(with_query(url, values) if in_query else url, values)


def with_fragment(url: str, values: dict[str, str]) -> str:
    """The address with values in its fragment; the empty `sb` marks a fragment as ours for the clients."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(fragment=urlencode({**values, "sb": ""})))


def with_query(url: str, values: dict[str, str]) -> str:
    """The address with further values in its query."""
    parts: SplitResult = urlsplit(url)
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in values]
    return urlunsplit(parts._replace(query=urlencode([*query, *values.items()])))
