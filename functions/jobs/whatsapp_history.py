"""Ask Meta for the contacts and the messages of a phone whose number was connected, within a day of that.

Meta takes each request once for a connection, so one that is refused may have been heard before: what comes by webhook
says how far the history is.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.whatsapp import graph, history, numbers

EVERY = timedelta(minutes=5)
TIMEOUT_S = 120


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Ask for one number, or find the numbers that were not asked for yet. Raises Away."""
    if "account_id" not in payload:
        async with context.as_service() as connection:
            for row in await connection.fetch("select * from private.unasked_whatsapp_histories()"):
                await history.enqueue(connection, row["user_id"], row["account_id"])
        return
    account_id = UUID(payload["account_id"])
    number = await numbers.find(context, account_id)
    if number is None or not await context.call("private.is_whatsapp_history_unasked", account_id):
        return
    state = "attesa"
    # The contacts first: they have the names of those in the history.
    for kind in ("smb_app_state_sync", "history"):
        asked = {"messaging_product": "whatsapp", "sync_type": kind}
        try:
            await graph.Graph(context, number.token).request("POST", f"{number.phone_number_id}/smb_app_data", asked)
        except graph.Refused as refusal:
            context.log.warning("whatsapp history refused", extra={"kind": kind, "cause": str(refusal)})
            state = "fallita" if kind == "history" else state
        except (graph.Unreachable, graph.Uncertain) as error:
            raise api.Away(str(error)) from error
    await context.call("private.note_whatsapp_history", account_id, state)


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Record that the history cannot be had."""
    if "account_id" in payload:
        await context.call("private.note_whatsapp_history", UUID(payload["account_id"]), "fallita")
