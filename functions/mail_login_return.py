"""`GET /functions/v1/mail_login_return`: where Microsoft and Google send a person back after a mail login.

    303     to /settings/channels with the answer in the fragment, which reaches no log and no other site

It proves nothing and changes nothing: the page hands the answer to `mail_login` with the person's own session.
"""

from __future__ import annotations

from urllib.parse import urlencode

from backend.edge import api
from functions._shared import requests

BODY_LIMIT_BYTES = 1024
PAGE = "/settings/channels"
MAX_VALUE = 4096
# Other names than those by which the client finds a session in its address.
NAMES = {"state": "accesso_stato", "code": "accesso_codice", "error": "accesso_errore"}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 405."""
    requests.only(request, "GET")
    told = {NAMES[name]: request.query_params[name][:MAX_VALUE] for name in NAMES if name in request.query_params}
    headers = {
        "Location": f"{context.site_url}{PAGE}#{urlencode(told)}",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
    }
    return api.Response(status_code=303, headers=headers)
