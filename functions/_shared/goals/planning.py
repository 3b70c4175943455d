"""Plan the steps of a goal on a day, from what the register knows."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from backend.edge import api
from functions._shared.goals import recovery

ROME = ZoneInfo("Europe/Rome")
# What was asked, or refused by its person or by a rule, is not asked again at the same level.
HISTORY = """
select contact_id, (coalesce(done_at, created_at) at time zone 'Europe/Rome')::date as day, state::text, args
from public.goal_steps
where user_id = $1 and contact_id is not null and state in ('fatto', 'rifiutato', 'bloccato') and exists (
  select from public.goals where goals.user_id = $1 and goals.id = goal_id and agent = $2
)
"""
# Of a client whose step waits nothing is planned.
OPEN = """
select contact_id from public.goal_steps
where user_id = $1 and goal_id = $2 and state in ('pianificato', 'in_approvazione', 'approvato')
"""
SENDER = "select coalesce(business_name, full_name)::text from public.profiles where user_id = $1"
PLAN = "select private.plan_goal_step($1, $2, $3, $4, $5, $6, $7)"


async def plan(connection: api.Connection, user_id: UUID, goal_id: UUID, now: datetime) -> int:
    """Plan the letters of a goal that are due; return how many. The connection acts as the service."""
    day = now.astimezone(ROME).date()
    sender = await connection.fetchval(SENDER, user_id) or ""
    history = await sent(connection, user_id)
    waiting = {row["contact_id"] for row in await connection.fetch(OPEN, user_id, goal_id)}
    planned = 0
    for client in await open_items(connection, user_id, day):
        letter = recovery.due_letter(client, history.get(client.id, []), day, sender)
        if letter is None or client.id in waiting:
            continue
        recipients = [client.email] if client.email else []
        planned += 1 if await connection.fetchval(
            PLAN, goal_id, client.id, recovery.TOOL, letter.args(), letter.preview(), recipients, now
        ) else 0  # fmt: skip
    return planned


async def open_items(connection: api.Connection, user_id: UUID, day: date) -> list[recovery.Client]:
    """Return the clients who owe something, as the register knew on a day."""
    rows = await connection.fetch("select * from private.recovery_items($1, $2)", user_id, day)
    return recovery.clients([dict(row) for row in rows])


async def sent(connection: api.Connection, user_id: UUID) -> dict[UUID, list[recovery.Sent]]:
    """Return what each client was asked before."""
    asked: dict[UUID, list[recovery.Sent]] = {}
    for row in await connection.fetch(HISTORY, user_id, recovery.AGENT):
        items: list[dict[str, Any]] = row["args"].get("items", [])
        levels = {(UUID(item["invoice_id"]), item["no"]): item["level"] for item in items}
        asked.setdefault(row["contact_id"], []).append(recovery.Sent(row["day"], levels))
    return asked
