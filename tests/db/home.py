"""A home for the database tests: somebody with nothing of their own, what they see, and invoices that they issued."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.db import access, documents
from tests.db.accounts import Connection

ROLE = "other_admin"
ME = access.PEOPLE[ROLE]
ROME = ZoneInfo("Europe/Rome")


def today(days: int = 0) -> date:
    """Return the day in Italy, so many days from now."""
    return datetime.now(ROME).date() + timedelta(days=days)


async def overview(connection: Connection) -> dict[str, Any]:
    """Return what /home shows."""
    answer: dict[str, Any] = json.loads(await call(connection, "home_overview"))
    return answer


async def insights(connection: Connection, kind: str | None = None) -> list[dict[str, Any]]:
    """List the insights in their order, or those of one kind."""
    shown = (await overview(connection))["insights"]
    return [each for each in shown if kind in (None, each["kind"])]


async def titles(connection: Connection, kind: str | None = None) -> list[str]:
    """List what the cards say first."""
    return [each["title"] for each in await insights(connection, kind)]


async def call(connection: Connection, function: str, *arguments: Any, role: str = ROLE) -> Any:
    """Call a function as this person."""
    places = ", ".join(f"${place}" for place in range(1, len(arguments) + 1))
    async with access.acting(connection, role):
        return await connection.fetchval(f"select public.{function}({places})", *arguments)


async def invoice(connection: Connection, number: str, cents: int = 100_000, **told: Any) -> UUID:
    """Add an invoice that they issued 60 days ago, due 30 days ago and not paid, unless told otherwise."""
    document_id = await documents.document(connection, ME, kind="fattura")
    known: Mapping[str, Any] = {
        "direction": "attiva",
        "counterparty_name": "Rossi srl",
        "issued_on": today(-60).isoformat(),
        "schedules": [{"due_on": told.pop("due_on", today(-30).isoformat()), "amount_cents": cents}],
    }
    return (
        await documents.store_invoices(
            connection, document_id, {"number": number, "total_cents": cents, **known, **told}
        )
    )[0]


async def pay(connection: Connection, invoice_id: UUID, paid_on: date | None) -> None:
    """Say when an invoice was paid."""
    await call(connection, "mark_invoice_paid", invoice_id, paid_on)
