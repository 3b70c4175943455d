"""Invoices on paper that no sum counts, because the register waits for their owner (db/schemas/49_register_entry)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from backend.edge import api
from functions._shared.assistant.tools import wording
from functions._shared.assistant.tools.answers import Answer, present


async def left_out(
    connection: api.Connection,
    direction: str | None = None,
    contact_ids: Sequence[Any] | None = None,
    days: tuple[date | None, date | None] = (None, None),
    by: str = "issued",
) -> Answer:
    """Return `{unregistered: {count, amount, without_amount}}` for an answer about money, empty where none is left out.

    A paper counts when its direction, or its day of issue (`by="due"`: due day), is the one asked for or unknown.
    """
    first, last = days[0] or date.min, days[1] or date.max
    rows = await connection.fetch(
        """
        select total_cents, currency from public.unregistered_documents($1)
        where coalesce(direction::text = $2, true)
          and coalesce(case $5 when 'due' then due_on else issued_on end between $3 and $4, true)
        """,
        contact_ids,
        direction,
        first,
        last,
        by,
    )
    if not rows:
        return {}
    known = [(row["total_cents"], row["currency"]) for row in rows if row["total_cents"] is not None]
    without = len(rows) - len(known)
    return {
        "unregistered": {"count": len(rows)}
        | present({"amount": wording.amounts(known) if known else None, "without_amount": without or None})
    }
