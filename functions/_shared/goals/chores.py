"""Agents that put the person's own data in order: each is a query whose rows are steps (db/schemas/65_chores.sql)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.goals.proposals import Proposal, Step, skipped

# So many steps a day are as many as somebody reads.
MOST_A_DAY = 10
# What was done, refused or waits is not proposed again.
KNOWN = """
select args ->> 'key' as key from public.goal_steps
where user_id = $1 and state not in ('annullato', 'scaduto', 'saltato', 'fallito') and exists (
  select from public.goals where goals.user_id = $1 and goals.id = goal_id and agent = $2
)
"""


@dataclass(frozen=True)
class Chores:
    """An agent whose steps are the rows {key, contact_id, tool, args, title, body} that `query` (person, day) finds."""

    name: str
    steps: tuple[Step, ...]
    query: str
    # Nothing says how the data was on a day of the past: it is rehearsed as it is now.
    rehearsal_days: int = 1

    async def propose(self, connection: api.Connection, user_id: UUID, day: date) -> list[Proposal]:
        """Return the first new steps. The connection acts as the service."""
        known = {row["key"] for row in await connection.fetch(KNOWN, user_id, self.name)}
        left_out = await skipped(connection, user_id, self)
        found = await connection.fetch(self.query, user_id, day)
        new = [row for row in found if row["key"] not in known and row["tool"] not in left_out]
        return [_proposal(dict(row)) for row in new[:MOST_A_DAY]]

    async def change(self, connection: api.Connection, step: Mapping[str, Any], day: date) -> str | None:
        """Return why a step is not true any more, None while it is found as it was."""
        for row in await connection.fetch(self.query, UUID(step["user_id"]), day):
            if row["key"] == step["args"]["key"]:
                return None if _proposal(dict(row)).args == step["args"] else "changed"
        return "done"


def _proposal(row: Mapping[str, Any]) -> Proposal:
    # What the person reads is part of what is compared before it is done.
    args = {**row["args"], "key": row["key"], "title": row["title"], "body": row["body"]}
    preview = {"title": row["title"], "subject": row["title"], "body": row["body"], "cents": 0, "tone": 1, "lines": []}
    return Proposal(row["contact_id"], row["tool"], args, preview)


CONTACTS = Chores(
    "pulizia_contatti",
    (Step("merge", "merge", is_optional=True), Step("task", "task", is_optional=True)),
    "select * from private.contact_chores($1, $2)",
)
# So far back that the first half of a month is among the days.
MONTH = Chores(
    "chiusura_mese", (Step("task", "task"),), "select * from private.month_chores($1, $2)", rehearsal_days=31
)
