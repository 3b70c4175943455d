"""The way back from a provider's page to the channels of a person."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from backend.edge import api

PAGE = "/settings/channels"
MAX_VALUE = 4096


def to_channels(request: api.Request, context: api.Context, names: Mapping[str, str]) -> api.Response:
    """Send the browser to the page with the provider's answer in the fragment, which reaches no log and no other site.

    `names` are other names than those by which the client finds a session in its address.
    """
    told = {names[name]: request.query_params[name][:MAX_VALUE] for name in names if name in request.query_params}
    headers = {
        "Location": f"{context.site_url}{PAGE}#{urlencode(told)}",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
    }
    return api.Response(status_code=303, headers=headers)
