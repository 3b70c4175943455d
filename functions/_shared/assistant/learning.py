"""Memory in chat: what the person's own message says is laid before them to be kept, with the sentence it came from.

Never what they attached, quoted or pasted, what a tool returned or an answer said (facts.py). The gate in the database
decides (private.propose_memory); here at most three are proposed in a conversation, and none in a temporary one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import names
from functions._shared.assistant import facts
from functions._shared.assistant.facts import Fact
from functions._shared.assistant.turn import Turn

MAX_OF_A_CONVERSATION = 3

_ASKED = """
    select answer.parent_id as question_id,
      conversations.uses_memory and not conversations.is_temporary
        and coalesce((select is_active from public.memory_settings), true) as may,
      (
        select count(*) from public.memories
        join public.messages on messages.user_id = memories.user_id and messages.id = memories.source_id
        where memories.source = 'chat' and memories.origin = 'ia' and messages.conversation_id = conversations.id
      ) as proposed
    from public.messages as answer
    join public.conversations on conversations.user_id = answer.user_id and conversations.id = answer.conversation_id
    where answer.id = $1
"""
_PROPOSED = """
    select id, kind::text, contact_id, topic, body, state::text, importance, origin::text, source::text, source_id,
      source_quote, created_at
    from private.propose_memory($1, $2, $3::text::public.memory_kind, 'chat', $4, $5, $6, $7) where id is not null
"""
_CONTRADICTED = """
    select id, body from public.memories
    where state in ('attiva', 'sospesa') and contact_id is not distinct from $1 and lower(topic) = lower($2)
    order by updated_at desc limit 1
"""


async def after(
    turn: Turn, as_service: Callable[[], AbstractAsyncContextManager[api.Connection]]
) -> list[dict[str, Any]]:
    """Proposes what the question of a turn says; answers the rows, each with the memory that it would replace."""
    # What also stands in a stranger's text was pasted, or clicked, and not said.
    others = [names.fold(text) for text in turn.untrusted]
    found = [fact for fact in facts.facts(turn.question) if not any(names.fold(fact.body) in text for text in others)]
    if not (turn.uses_memory and found):
        return []
    async with turn.database() as connection:
        asked = await connection.fetchrow(_ASKED, UUID(turn.message_id))
        if asked is None or not asked["may"]:
            return []
        about = [await _about(connection, fact) for fact in found]
    proposed: list[dict[str, Any]] = []
    async with as_service() as connection:
        for fact, (contact_id, old) in zip(found, about, strict=True):
            if asked["proposed"] + len(proposed) >= MAX_OF_A_CONVERSATION:
                break
            row = await connection.fetchrow(
                _PROPOSED,
                UUID(turn.user_id),
                fact.body,
                fact.kind,
                asked["question_id"],
                fact.quote,
                contact_id,
                fact.topic,
            )
            if row:
                proposed.append(_json(row) | {"replaces": old})
    return proposed


async def contact_of(connection: api.Connection, name: str) -> UUID | None:
    """The one contact of the caller who has this name, or else all of its words; None when nobody has, or several."""
    wanted = names.words(name).split()
    rows = await connection.fetch("select id, name, company_name from public.search_contacts($1, 40)", name)
    called = [
        (row["id"], names.words(row["name"]).split(), names.words(row["company_name"] or "").split()) for row in rows
    ]
    for fits in (
        [id_ for id_, own, _ in called if own == wanted],
        [id_ for id_, own, _ in called if set(wanted) <= set(own)],
        # «Anna della Rossi Impianti».
        [id_ for id_, own, company in called if set(wanted) <= {*own, *company}],
    ):
        if fits:
            return UUID(str(fits[0])) if len(fits) == 1 else None
    return None


async def _about(connection: api.Connection, fact: Fact) -> tuple[UUID | None, dict[str, str] | None]:
    """Whom a fact is about, and what holds so far on the same topic."""
    contact_id = await contact_of(connection, fact.name) if fact.name else None
    # Without knowing whom, two facts about somebody do not contradict each other.
    if fact.topic is None or (fact.kind == "contatto" and contact_id is None):
        return contact_id, None
    row = await connection.fetchrow(_CONTRADICTED, contact_id, fact.topic)
    return contact_id, {"id": str(row["id"]), "body": row["body"]} if row else None


def _json(row: Any) -> dict[str, Any]:
    plain = {key: str(value) if isinstance(value, UUID) else value for key, value in row.items()}
    return plain | {"created_at": row["created_at"].isoformat()}
