"""`POST /functions/v1/chat_action`: what the person decides about an action that the assistant proposed.

    {tool_call_id, decision: "approve" | "refuse" | "undo", args?, count?, always?}   200, the row of public.tool_calls

args     edited arguments; those left out stay as proposed
count    the number of recipients, where the proposal asks for it
always   such actions need no approval any more in this conversation (tasks and notes only)

404                     a proposal that is not the caller's, or none at all
409 already_decided     by this person in another tab, or a click before; `cannot_be_undone`
410 expired             nobody decided for seven days
422 validation_failed   `details.fields` says what is wrong with which argument
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.assistant import approvals

TIMEOUT_S = 30
BODY_LIMIT_BYTES = 128 * 1024


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the row. Refuses with 400, 401, 404, 405, 409, 410 and 422."""
    requests.only(request, "POST")
    requests.caller(context)
    decision = parsed(await api.json_object(request))
    return api.JSONResponse(await approvals.decide(context, decision))


def parsed(body: dict[str, Any]) -> approvals.Decision:
    """The decision. Raises Refused 400."""
    kind, args, count = body.get("decision"), body.get("args"), body.get("count")
    try:
        call_id = UUID(str(body.get("tool_call_id")))
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Manca l’id della proposta") from error
    if kind not in ("approve", "refuse", "undo"):
        raise api.Refused(400, "validation_failed", "La decisione è approve, refuse o undo")
    if not isinstance(args, dict | None) or not isinstance(count, int | None):
        raise api.Refused(400, "validation_failed", "I dati modificati non sono leggibili")
    return approvals.Decision(call_id, kind, args, count, body.get("always") is True)
