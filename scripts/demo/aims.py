"""Add the goal of the demo account: «Recupero crediti» has proposed its reminders, which wait for a yes."""

from __future__ import annotations

import json
from datetime import datetime
from uuid import UUID

from backend.core.db import Connection
from functions._shared.goals import planning, recovery, running
from scripts.demo import books

MANDATE = """
select public.give_mandate(
  'recupero_crediti', 'mail', 'proponi', 500000, 10, 2, array[$1], _uses_whatsapp => true, _uses_pec => true
)
"""
START = "select id from public.start_goal('recupero_crediti', 'Recupero crediti')"
# As private.claim_goal leaves a goal that was planned.
PLANNED = """
update public.goals set next_run_at = (private.today() + 1 + time '07:00') at time zone 'Europe/Rome' where id = $1
"""


async def propose(connection: Connection, user_id: UUID) -> None:
    """Give the mandate, start the goal, and plan and judge its steps as the job does."""
    claims = json.dumps({"sub": str(user_id), "role": "authenticated"})
    await connection.execute("select set_config('request.jwt.claims', $1, true)", claims)
    await connection.execute(MANDATE, books.OWNER_IBAN)
    goal_id: UUID = await connection.fetchval(START)
    await connection.execute("select set_config('request.jwt.claims', '', true)")
    now: datetime = await connection.fetchval("select now()")
    await planning.plan(connection, recovery.CHASE, user_id, goal_id, now)
    for step in await connection.fetch("select id, attempts from public.goal_steps where goal_id = $1", goal_id):
        await running.run(connection, step["id"], step["attempts"], now)
    await connection.execute(PLANNED, goal_id)
