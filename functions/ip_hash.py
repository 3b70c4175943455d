"""`/functions/v1/ip_hash`: a short pseudonym of the caller's address, for analytics_events.ip_hash.

Sixteen hexadecimal characters (spec section 7). A bare digest of an IPv4 address is undone by trying all 2^32 of
them, so this one is keyed with a secret and changes every day: it counts today's visitors and finds nobody.
"""

import hashlib
import hmac

from backend.edge import api

LENGTH = 16


async def handle(call: api.Call) -> api.Response:
    """Answers `{"ip_hash": "…"}`; 'unknown' when the address is not known."""
    if not call.client_ip:
        return api.JSONResponse({"ip_hash": "unknown"})
    day = call.now().date().isoformat()
    digest = hmac.new(call.secret("ip_hash"), f"{day} {call.client_ip}".encode(), hashlib.sha256)
    return api.JSONResponse({"ip_hash": digest.hexdigest()[:LENGTH]})
