"""`/functions/v1/chat_settings`: what the assistant of this installation can do and what an answer costs.

    GET   200 {ai, model, provider, in_eu, agents: [{id, name, does}], prices: {chat, chat_deep, advice, chat_local},
               limits: {characters}}

`ai` says whether a model is connected; without one the assistant answers by itself, in «modalità locale».
"""

from __future__ import annotations

from typing import Any

from backend.edge import api
from functions._shared import requests
from functions._shared.assistant import agents_data, engine, limits, provider

# Credits, as `credit_prices` names them: the most that one answer may cost.
PRICES = ("chat", "chat_deep", "advice", "chat_local")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 401 and 405."""
    requests.only(request, "GET")
    requests.caller(context, "Accedi per parlare con l’assistente")
    # Who looks at these is about to ask something.
    context.wait_until(engine.warm_up())
    async with context.as_caller() as connection:
        rows = await connection.fetch(
            """
            select distinct on (action) action, max_credits
            from public.credit_prices join public.catalog_versions using (version)
            where action = any($1) and published_at <= now() order by action, version desc
            """,
            list(PRICES),
        )
    return api.JSONResponse(
        {
            **connected(context),
            "agents": [{"id": each.id, "name": each.name, "does": each.does} for each in agents_data.AGENTS],
            "prices": {row["action"]: row["max_credits"] for row in rows},
            "limits": {"characters": limits.QUESTION_CHARACTERS},
        }
    )


def connected(context: api.Context) -> dict[str, Any]:
    """The model that is set, and whose; a wrong setting counts as none and is told in the log."""
    try:
        chosen = provider.choice(context)
    except provider.Unavailable as error:
        context.log.error("the assistant has no model", extra={"cause": error.cause})
        chosen = None
    if chosen is None:
        return {"ai": False, "model": None, "provider": None, "in_eu": None}
    return {"ai": True, "model": chosen.name, "provider": chosen.label, "in_eu": chosen.in_eu}
