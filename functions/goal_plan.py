"""`/functions/v1/goal_plan`: the plan of an agent under a mandate that the caller thinks of; nothing is kept.

POST {agent, autonomy, last_tone, uses_whatsapp, uses_pec, letter_credits, letter_budget, skipped_steps}
200 {steps, max_credits, …} as functions/_shared/goals/plans.py says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backend.edge import api
from functions._shared import requests
from functions._shared.goals import agents, plans

TIMEOUT_S = 10
BODY_LIMIT_BYTES = 2048
AUTONOMIES = ("proponi", "assistita", "supervisionata")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401 and 405."""
    requests.only(request, "POST")
    requests.caller(context)
    body = await api.json_object(request)
    agent = agents.BY_NAME.get(str(body.get("agent")))
    if agent is None:
        raise api.Refused(400, "validation_failed", "Questo agente non c’è")
    return api.JSONResponse(await plans.make(context, agent, _terms(body)))


def _terms(body: Mapping[str, Any]) -> plans.Terms:
    """Return what a body says of the mandate. Raises Refused 400."""
    skipped = body.get("skipped_steps", [])
    if (
        body.get("autonomy") not in AUTONOMIES
        or body.get("last_tone") not in (1, 2, 3)
        or not isinstance(skipped, list)
        or not all(isinstance(step, str) for step in skipped)
    ):
        raise api.Refused(400, "validation_failed", "Questo mandato non è valido")
    return plans.Terms(
        body["autonomy"],
        body["last_tone"],
        body.get("uses_whatsapp") is True,
        body.get("uses_pec") is True,
        _credits(body.get("letter_credits")),
        _credits(body.get("letter_budget")),
        tuple(skipped),
    )


def _credits(value: object) -> int | None:
    """Return an amount of credits. Raises Refused 400."""
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= 10_000:
        raise api.Refused(400, "validation_failed", "I crediti vanno da 0 a 10.000")
    return value
