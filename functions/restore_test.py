"""`/functions/v1/restore_test`: has the newest backup restored into a scratch database and tested.

    POST {"reason": "…"}    202 {}

For admins who have shown a second factor; the reason stands in the log of actions. The outcome is in the reports
`backups` and `isolation` when the job is done.
"""

from __future__ import annotations

from backend.edge import api
from functions._shared import requests

JOB = "backups"


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 403, 405."""
    requests.only(request, "POST")
    await requests.refuse_non_admins(context)
    reason = (await api.json_object(request)).get("reason")
    if not isinstance(reason, str) or len(reason.strip()) < 3:
        raise api.Refused(400, "validation_failed", "Scrivi il motivo")
    async with context.as_caller() as connection:
        await connection.execute("select public.admin_ask_for_restore_test($1)", reason)
    async with context.as_service() as connection:
        await api.enqueue(connection, JOB, {"now": True}, dedupe_key="backups:now")
    return api.JSONResponse({}, 202)
