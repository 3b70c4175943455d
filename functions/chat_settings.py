"""`/functions/v1/chat_settings`: what the assistant of this installation can do and what an answer costs.

    GET           200 {ai} to a visitor, else {ai, ai_stopped, local_only, voice, model, provider, host, in_eu,
                       is_agreed, agents: [{id, name, does}], limits: {characters},
                       prices: {chat, chat_deep, advice, chat_local, voice_minute, letter}}
    POST {host}   200 the same, the person agrees that their questions go to this provider; 409 provider_changed

`ai` says whether a model is connected; without one the assistant answers by itself, in «modalità locale». `is_agreed`
says whether the person has agreed to its provider: whoever asks for them asks them first. `local_only` says that the
person wants no provider (Privacy), `ai_stopped` that an admin has stopped the AI: then there is no model for them.
`voice` says whether the provider writes down voice notes.
"""

from __future__ import annotations

from typing import Any

from backend.edge import api
from functions._shared import requests
from functions._shared.assistant import agents_data, consents, engine, limits, listening, provider

# Credits, as `credit_prices` names them: the most that one answer may cost.
PRICES = ("chat", "chat_deep", "advice", "chat_local", "voice_minute", "letter")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 405 and 409."""
    requests.only(request, "GET", "POST")
    if request.method == "GET" and context.claims.get("role") != "authenticated":
        return api.JSONResponse({"ai": chosen(context) is not None})
    user_id = requests.caller(context, "Accedi per parlare con l’assistente")
    # The page of the assistant has just been opened: load what answers while the person types.
    context.wait_until(engine.warm_up(has_provider=context.has_secret("AI_MODEL")))
    if request.method == "POST":
        await agree(context, user_id, (await api.json_object(request)).get("host"))
    async with context.as_caller() as connection:
        rows = await connection.fetch(
            """
            select distinct on (action) action, max_credits
            from public.credit_prices join public.catalog_versions using (version)
            where action = any($1) and published_at <= now() order by action, published_at desc
            """,
            list(PRICES),
        )
    return api.JSONResponse(
        {
            **await connected(context, user_id),
            "agents": [{"id": each.id, "name": each.name, "does": each.does} for each in agents_data.AGENTS],
            "prices": {row["action"]: row["max_credits"] for row in rows},
            "limits": {"characters": limits.QUESTION_CHARACTERS},
        }
    )


async def agree(context: api.Context, user_id: str, host: object) -> None:
    """Writes down that the person agrees to the provider they were told of. Raises Refused 400 and 409."""
    if not isinstance(host, str):
        raise api.Refused(400, "validation_failed", "Manca l’indirizzo del fornitore")
    choice = chosen(context)
    if choice is None or choice.host != host:
        raise api.Refused(409, "provider_changed", "Il fornitore dell’IA è cambiato: ricarica la pagina")
    async with context.as_service() as connection:
        await consents.give(connection, user_id, choice)


async def connected(context: api.Context, user_id: str) -> dict[str, Any]:
    """The model that is set, whose, and whether the person has agreed to it."""
    choice = chosen(context)
    async with context.as_service() as connection:
        local_only = await consents.is_local_only(connection, user_id)
        is_stopped = choice is not None and await consents.is_stopped(connection)
        is_agreed = choice is not None and await consents.is_given(connection, user_id, choice)
    if choice is None or local_only or is_stopped:
        told = dict.fromkeys(("model", "provider", "host", "in_eu"))
        return {
            "ai": False, "ai_stopped": is_stopped, "local_only": local_only, "voice": False, **told, "is_agreed": False,
        }  # fmt: skip
    told = {"model": choice.name, "provider": choice.label, "host": choice.host, "in_eu": choice.in_eu}
    hears = listening.choice(context) is not None
    return {"ai": True, "ai_stopped": False, "local_only": False, "voice": hears, **told, "is_agreed": is_agreed}


def chosen(context: api.Context) -> provider.Choice | None:
    """The model that is set; a wrong setting counts as none and is told in the log."""
    try:
        return provider.choice(context)
    except provider.Unavailable as error:
        context.log.error("the assistant has no model", extra={"cause": error.cause})
        return None
