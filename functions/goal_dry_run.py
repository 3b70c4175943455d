"""`/functions/v1/goal_dry_run`: what an agent would have done in the caller's past 90 days; nothing is kept or sent.

POST {agent}    200 {sent, clients, already_paid, blocked, letters, reasons}
"""

from __future__ import annotations

from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.goals import agents, dry_run

TIMEOUT_S = 60
BODY_LIMIT_BYTES = 1024


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401 and 405."""
    requests.only(request, "POST")
    user_id = UUID(requests.caller(context))
    agent = agents.BY_NAME.get(str((await api.json_object(request)).get("agent")))
    if agent is None:
        raise api.Refused(400, "validation_failed", "Questo agente non c’è")
    return api.JSONResponse(await dry_run.report(context, user_id, agent))
