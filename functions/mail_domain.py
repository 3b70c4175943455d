"""`GET /functions/v1/mail_domain`: SPF, DKIM and DMARC of the domain that a person writes from.

200 {domain, is_provider, checks: [{kind, state, found, advice, name, value}]}    no checks for a provider's domain
404 not_connected               no account is connected
429 too_many_requests           a moment after the last one
"""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from backend.edge import api
from functions._shared import mail_domain, requests

PAUSE_S = 3


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 401, 404, 405 and 429."""
    requests.only(request, "GET")
    user_id = UUID(requests.caller(context))
    async with context.as_caller() as connection:
        account = await connection.fetchrow("select host, from_address from public.mail_accounts where not is_shared")
    if account is None:
        raise api.Refused(404, "not_connected", "Non hai ancora collegato una casella")
    if await context.call("private.take_lease", user_id, "mail domain", PAUSE_S) is None:
        raise api.Refused(429, "too_many_requests", "Aspetta qualche secondo e riprova")
    domain = account["from_address"].rpartition("@")[2].lower()
    is_provider = mail_domain.is_provider(domain)
    found = {} if is_provider else await mail_domain.records(domain)
    checks = [] if is_provider else mail_domain.checks(domain, account["host"], account["from_address"], found)
    return api.JSONResponse({"domain": domain, "is_provider": is_provider, "checks": [asdict(each) for each in checks]})
