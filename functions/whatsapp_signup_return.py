"""`GET /functions/v1/whatsapp_signup_return`: where Meta sends a person back who connects a WhatsApp number.

    303     to /settings/channels with the answer in the fragment

It proves nothing and changes nothing: the page hands the answer to `whatsapp_signup` with the person's own session.
"""

from __future__ import annotations

from backend.edge import api
from functions._shared import requests, returns

BODY_LIMIT_BYTES = 1024


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 405."""
    requests.only(request, "GET")
    return returns.to_channels(request, context, "whatsapp")
