"""`/functions/v1/chat`: a turn of a conversation with the assistant, answered as a stream of events.

    POST {conversation_id?, parent_id?, regenerate?, content, attachments?, picked?, agent?, mode: "locale"|"ia", deep?,
          client_key, is_temporary?, max_credits?}    200 text/event-stream (functions/_shared/assistant/events.py)
    GET  ?run=…&last=…                  200 the events after `last` (or Last-Event-ID), 204 when there are none left

The run goes on when its reader leaves; the same `client_key` again is the same turn. `rpc/stop_run` stops it.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import requests
from functions._shared.assistant import asked, engine, events, feed, gate, history, provider, refusals

# A turn ends after two minutes by itself.
TIMEOUT_S = 150
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 402, 403 consent_needed and local_only, 404, 405, 409 busy and price_changed, 429 and 503.

    402 is insufficient_credits, monthly_cap or daily_cap, 503 ai_unavailable or ai_stopped.
    """
    requests.only(request, "POST", "GET")
    user_id = requests.caller(context, "Accedi per parlare con l’assistente")
    if request.method == "GET":
        return await resumed(request, context)
    question = asked.of_body(await api.json_object(request, is_cleaned=True))
    choice = chosen(context) if question.mode == "ia" else None
    begun = await begin(context, user_id, question, choice)
    if not begun["repeated"]:
        engine.start(context, user_id, begun, choice, is_deep=question.is_deep)
    return streamed(context, begun["run_id"], 0)


async def warm_up(context: api.Context) -> None:
    """Load what answers: the local model, and the package and prices of a provider only if one is set."""
    await engine.warm_up(has_provider=context.has_secret("AI_MODEL"))
    await provider.model(context)


def chosen(context: api.Context) -> provider.Choice:
    """The model of a provider. Raises Refused 503 when there is none, or it is known not to answer."""
    try:
        choice = provider.choice(context)
        if choice is None:
            raise api.Refused(503, "ai_unavailable", "Nessuna IA è collegata: usa la modalità locale (0 crediti)")
        provider.refuse_if_open(choice)
    except provider.Unavailable as error:
        raise refusals.unavailable(error) from error
    return choice


async def begin(
    context: api.Context, user_id: str, question: asked.Question, choice: provider.Choice | None
) -> dict[str, Any]:
    """Writes the question down and holds what its answer may cost. Raises Refused."""
    turn = question.to_json() | {"model": choice.name if choice else None, "host": choice.host if choice else None}
    try:
        if question.picked:
            async with context.as_caller() as connection:
                if not await history.is_own(connection, question.picked):
                    raise refusals.not_found()
        async with gate.passed(user_id):
            begun: dict[str, Any] = await context.call("private.begin_turn", UUID(user_id), turn)
    except asyncpg.PostgresError as error:
        raise refusals.of_database(error) from error
    return begun


async def resumed(request: api.Request, context: api.Context) -> api.Response:
    """The rest of a run's events. Raises Refused 400 and 404."""
    run_id = asked.identifier(request.query_params.get("run"), "run")
    last = request.query_params.get("last") or request.headers.get("last-event-id") or "0"
    if not (last.isascii() and last.isdecimal() and len(last) < 10):
        raise asked.invalid("L’ultimo evento è un numero")
    async with context.as_caller() as connection:
        is_own = await connection.fetchval("select exists (select from public.runs where id = $1)", UUID(run_id))
    if not is_own:
        raise refusals.not_found()
    if not await feed.is_left(context, run_id, int(last)):
        return api.Response(status_code=204)
    return streamed(context, run_id, int(last))


def streamed(context: api.Context, run_id: str, after: int) -> api.Response:
    """The events of a run, as long as somebody reads them."""
    body = events.stream(feed.follow(context, run_id, after))
    return api.StreamingResponse(body, media_type="text/event-stream", headers=HEADERS)
