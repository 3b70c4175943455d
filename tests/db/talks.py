"""Conversations for the database tests: turns begun and ended as the server does it, and a row of each table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from tests.db.accounts import Connection, Executor


async def begin(connection: Executor, user_id: UUID, content: str = "Chi devo richiamare?", **turn: Any) -> Any:
    """Begins a turn, in local mode and a new conversation unless told otherwise; answers what the server is told."""
    asked = {"content": content, "mode": "locale", "client_key": uuid4(), **turn}
    found = await connection.fetchval(
        "select private.begin_turn($1, $2::text::jsonb)", user_id, json.dumps(asked, default=str)
    )
    # The server's own connections decode it.
    return json.loads(found) if isinstance(found, str) else found


async def finish(connection: Executor, run_id: str, **outcome: Any) -> asyncpg.Record:
    """Ends a run, done and for free unless told otherwise; answers the message."""
    ended = {"state": "done", "content": "Nessuno, per oggi.", "cost": 0, **outcome}
    row = await connection.fetchrow(
        "select * from private.finish_turn($1, $2::text::jsonb)", run_id, json.dumps(ended, default=str)
    )
    assert row is not None
    return row


async def fall_silent(connection: Executor, run_id: str) -> None:
    """Makes a run one whose process died a minute ago."""
    await connection.execute(
        "update public.runs set heartbeat_at = heartbeat_at - interval '61 seconds' where id = $1", run_id
    )


async def propose(connection: Executor, user_id: UUID, message_id: str, **more: Any) -> asyncpg.Record:
    """Proposes a task under an answer; answers the row."""
    row = await connection.fetchrow(
        """
        select * from private.propose_tool_call(
          $1, $2, 'create_task', '{"text": "Chiama Rossi"}', '{"title": "Nuova attività", "lines": []}', 'basso',
          _needs_count => $3
        )
        """,
        user_id,
        message_id,
        more.get("needs_count"),
    )
    assert row is not None
    return row


async def populate(connection: Connection, owner: UUID, names: Mapping[str, str]) -> Mapping[str, str]:
    """A row of each table for the owner; answers the names that cells use."""
    turn = await begin(connection, owner)
    await propose(connection, owner, turn["message_id"])
    memory_id = await connection.fetchval("select id from public.memories where user_id = $1 limit 1", owner)
    await finish(connection, turn["run_id"], memory_ids=[memory_id], title="Chi richiamare")
    await connection.execute(
        f"""
        insert into public.message_feedback (user_id, message_id, score) values ('{owner}', '{turn["message_id"]}', 1);
        insert into public.drafts (user_id, contact_id, channel, body)
          values ('{owner}', '{names["owner_contact"]}', 'whatsapp', 'Ciao Anna');
        insert into public.privacy_choices (user_id, purpose, is_allowed, wording)
          values ('{owner}', 'statistics', false, 'Statistiche d’uso');
        """
    )
    return {
        "owner_conversation": turn["conversation_id"],
        "owner_question": turn["user_message_id"],
        "owner_answer": turn["message_id"],
        "owner_memory": str(memory_id),
    }
