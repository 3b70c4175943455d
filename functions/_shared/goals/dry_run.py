"""Rehearse an agent against a person's past 90 days: the same code, in a transaction that is rolled back."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.goals import planning, running
from functions._shared.goals.proposals import Agent

# When the agent would have worked on each day.
AT = time(9, 0)


async def report(context: api.Context, user_id: UUID, agent: Agent) -> dict[str, Any]:
    """Return what the agent would have sent; nothing of it is kept. Shape: private.rehearsal_report."""
    async with context.as_service() as connection:
        rehearsal = connection.transaction()
        await rehearsal.start()
        try:
            return await _rehearse(connection, user_id, agent, context.now())
        finally:
            await rehearsal.rollback()


async def _rehearse(connection: api.Connection, user_id: UUID, agent: Agent, now: datetime) -> dict[str, Any]:
    goal_id = await connection.fetchval("select private.begin_rehearsal($1, $2)", user_id, agent.name)
    today = now.astimezone(planning.ROME).date()
    for ago in range(agent.rehearsal_days, 0, -1):
        at = datetime.combine(today - timedelta(days=ago), AT, planning.ROME)
        await planning.plan(connection, agent, user_id, goal_id, at)
        for step in await connection.fetch(CLAIM, goal_id, at):
            state = await running.run(connection, step["id"], step["attempts"], at)
            if state == "in_approvazione" and step["tool"] != "mail":
                # A letter that asks is counted as not sent; a change at home is tried out.
                await connection.execute("select private.rehearse_approval($1, $2)", step["id"], at)
                state = await running.run(connection, step["id"], step["attempts"], at)
            if state == "fatto":
                await connection.execute("select private.rehearse_sending($1, $2)", step["id"], at)
    found: dict[str, Any] = await connection.fetchval("select private.rehearsal_report($1)", goal_id)
    return found


CLAIM = """
select id, attempts, tool from public.goal_steps
where goal_id = $1 and state = 'pianificato' and not_before <= $2 order by created_at, id
"""
