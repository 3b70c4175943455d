"""The job that asks Meta for what a phone knows: its contacts and its messages."""

from __future__ import annotations

from uuid import UUID

from backend.edge import api


async def enqueue(connection: api.Connection, user_id: UUID, account_id: UUID) -> None:
    """Have the contacts and the history of a number be asked for."""
    await api.enqueue(
        connection, "whatsapp_history", {"account_id": str(account_id)}, user_id=str(user_id),
        dedupe_key=f"whatsapp history of {account_id}",
    )  # fmt: skip
