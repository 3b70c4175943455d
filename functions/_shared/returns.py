"""The way to a provider's page and back to the channels of a person."""

from __future__ import annotations

import hashlib
from urllib.parse import urlencode

from backend.edge import api

PAGE = "/settings/channels"
MAX_VALUE = 4096
# Other names than those by which the client finds a session in its address.
NAMES = {"state": "stato", "code": "codice", "error": "errore"}


def state_hash(state: str) -> str:
    """Return what is stored of the state with which a person left for the provider's page."""
    return hashlib.sha256(state.encode()).hexdigest()


def to_channels(request: api.Request, context: api.Context, prefix: str) -> api.Response:
    """Send the browser to the page with the provider's answer in the fragment, which reaches no log and no other site.

    `prefix` begins the names of its parts, by which web/src/data/provider-answer.ts finds it.
    """
    given = request.query_params
    told = {f"{prefix}_{NAMES[name]}": given[name][:MAX_VALUE] for name in NAMES if name in given}
    headers = {
        "Location": f"{context.site_url}{PAGE}#{urlencode(told)}",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
    }
    return api.Response(status_code=303, headers=headers)
