"""`/functions/v1/ip_hash`: a short pseudonym of the caller's address, for analytics_events.ip_hash.

Sixteen hexadecimal characters (TRACK-03). A bare digest of an IPv4 address is undone by trying all 2^32 of
them, so this one is keyed with a secret and changes every day: it counts today's visitors and finds nobody. No third
party is asked.
"""

import hashlib
import hmac

from backend.edge import api

LENGTH = 16
UNKNOWN = "unknown"


async def handler(_request: api.Request, context: api.Context) -> api.Response:
    """Answers `{"ip_hash": "…"}`; 'unknown' when the address is not known."""
    return api.JSONResponse({"ip_hash": pseudonym(context) if context.client_ip else UNKNOWN})


def pseudonym(context: api.Context) -> str:
    """The same for an address all day (UTC) long, in every process."""
    day = context.now().date().isoformat()
    digest = hmac.new(context.key("ip_hash"), f"{day} {context.client_ip}".encode(), hashlib.sha256)
    return digest.hexdigest()[:LENGTH]
