"""Read what Meta delivered about a person's WhatsApp number.

Messages become contacts, history and notices; statuses become ticks. What the phone with the same number knows is kept
without a notice: its old messages, its contacts, and an echo of each message written there.

While many deliveries come for a number, those already here wait some seconds, so that the answers to Meta do not.

Each step may run again: a message is kept once, by its id. Something about a number that is not connected makes the
delivery a dead letter, which says why and is erased after seven days like the others.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.whatsapp import media, payloads

TIMEOUT_S = 120
PAUSE_S = 0.5
KEEP = "select private.keep_whatsapp_message($1, $2::text::jsonb)"
KEEP_OF_PHONE = "select private.keep_phone_messages($1, $2::text::jsonb, $3)"
# Fields about the phone, and how many of its messages one transaction keeps: a delivery may have thousands.
OF_PHONE = ("history", "smb_message_echoes", "smb_app_state_sync")
AT_ONCE = 100


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Read one delivery."""
    delivery_id = int(payload["delivery_id"])
    delivery = await unread(context, delivery_id)
    # One job at a time waits: those of a person run one after another.
    while delivery is not None and delivery["is_to_wait"]:
        await pause()
        delivery = await unread(context, delivery_id)
    if delivery is None:
        return
    dead_letter = await read(context, delivery)
    await context.call("private.settle_whatsapp_delivery", delivery_id, dead_letter)
    if dead_letter:
        context.log.warning("whatsapp delivery not assigned", extra={"delivery": delivery_id, "cause": dead_letter})


async def unread(context: api.Context, delivery_id: int) -> dict[str, Any] | None:
    """Return a delivery that was not read yet."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.whatsapp_delivery($1)", delivery_id)
    return dict(row) if row else None


async def pause() -> None:
    """Leave the machine to the webhook for a moment."""
    await asyncio.sleep(PAUSE_S)


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Mark a delivery that could not be read."""
    await context.call("private.settle_whatsapp_delivery", int(payload["delivery_id"]), "it could not be read")


async def read(context: api.Context, delivery: dict[str, Any]) -> str | None:
    """Keep what is in a delivery; return why something in it could not be assigned."""
    if delivery["account_id"] is None:
        return "the number was disconnected"
    try:
        told = json.loads(delivery["body"])
    except (ValueError, RecursionError):
        return "it is no JSON"
    dead_letter = None
    for name, value in payloads.changes(told):
        if name != "messages" and name not in OF_PHONE:
            if payloads.is_lost(name, value):
                await context.call("private.lose_whatsapp_number", delivery["account_id"])
            # Templates belong to the account of the number, and name no number.
            if told_of := payloads.template(name, value):
                await context.call(
                    "private.note_whatsapp_template", delivery["account_id"], api.Json(json.dumps(told_of))
                )
            continue
        if payloads.number_of(value) != delivery["phone_number_id"]:
            dead_letter = "another number"
            continue
        if name == "messages":
            await keep(context, delivery["user_id"], delivery["account_id"], value)
        else:
            await keep_of_phone(context, delivery["user_id"], delivery["account_id"], name, value)
    return dead_letter


async def keep(context: api.Context, user_id: UUID, account_id: UUID, value: dict[str, Any]) -> None:
    """Keep the messages and statuses of one change, each in a transaction of its own."""
    for message in payloads.messages(value):
        async with context.as_service() as connection:
            message_id = await connection.fetchval(KEEP, account_id, json.dumps(message))
            if message_id is not None and "media" in message["content"]:
                await media.enqueue(connection, user_id, message_id)
    for status in payloads.statuses(value):
        await context.call("private.keep_whatsapp_status", account_id, api.Json(json.dumps(status)))


async def keep_of_phone(
    context: api.Context, user_id: UUID, account_id: UUID, name: str, value: dict[str, Any]
) -> None:
    """Keep what the phone knows. A job that dies in the middle begins again and finds what is there already."""
    if name == "smb_app_state_sync":
        contacts = list(payloads.address_book(value))
        for start in range(0, len(contacts), AT_ONCE):
            some = json.dumps(contacts[start : start + AT_ONCE])
            await context.call("private.keep_phone_contacts", account_id, api.Json(some))
        return
    is_old = name == "history"
    told = list(payloads.history(value) if is_old else payloads.echoes(value))
    for start in range(0, len(told), AT_ONCE):
        some = json.dumps(told[start : start + AT_ONCE])
        async with context.as_service() as connection:
            files = await connection.fetchval(KEEP_OF_PHONE, account_id, some, "cronologia" if is_old else "telefono")
            for message_id in files:
                await media.enqueue(connection, user_id, message_id)
    # After the messages, so that a history is never shown as complete before it is.
    if is_old and (reached := payloads.history_state(value)):
        await context.call("private.note_whatsapp_history", account_id, *reached)
