"""Plan the steps of a goal on a day, from what its agent proposes."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from backend.edge import api
from functions._shared.goals.proposals import Agent

ROME = ZoneInfo("Europe/Rome")
# Of a contact whose step waits nothing is planned.
OPEN = """
select contact_id from public.goal_steps
where user_id = $1 and goal_id = $2 and state in ('pianificato', 'in_approvazione', 'approvato')
"""
PLAN = "select private.plan_goal_step($1, $2, $3, $4, $5, $6, $7, $8)"


async def plan(connection: api.Connection, agent: Agent, user_id: UUID, goal_id: UUID, now: datetime) -> int:
    """Plan the steps of a goal that are due; return how many. The connection acts as the service."""
    waiting = {row["contact_id"] for row in await connection.fetch(OPEN, user_id, goal_id)}
    planned = 0
    for step in await agent.propose(connection, user_id, now.astimezone(ROME).date()):
        if step.contact_id and step.contact_id in waiting:
            continue
        planned += 1 if await connection.fetchval(
            PLAN, goal_id, step.contact_id, step.tool, step.args, step.preview, list(step.recipients), now,
            step.brief,
        ) else 0  # fmt: skip
    return planned
