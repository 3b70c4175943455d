"""Send what is due by WhatsApp through each person's own number, each message at most once.

Meta knows no idempotency key. Right before a message leaves, private.begin_whatsapp lets one worker pass; an answer
that is lost after that leaves the message `uncertain` until its status comes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import mail_attachments, smtp
from functions._shared.documents import limits
from functions._shared.whatsapp import graph, numbers, outgoing

EVERY = timedelta(minutes=1)
TIMEOUT_S = 300
# The sweep goes on with what is left, so that one large outbox holds no place for long.
LONGEST_RUN_S = 120
# Longer waits (of one person, after an error) are left to the sweep.
SHORTEST_WAIT_S, LONGEST_WAIT_S = 0.05, 2
# Shorter than the lease of private.begin_whatsapp.
ANSWER_TIMEOUT_S = 30.0


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Send the due messages of one person, or wake a job for everybody who has some."""
    if "user_id" not in payload:
        await wake(context)
        return
    user_id = UUID(payload["user_id"])
    ends_at = time.monotonic() + LONGEST_RUN_S
    number = await numbers.of_person(context, user_id)
    if number is None:
        return
    is_last_look = False
    while time.monotonic() < ends_at:
        async with context.as_service() as connection:
            message = await connection.fetchrow("select * from private.claim_whatsapp($1)", user_id)
        if message is not None:
            await attempt(context, number, dict(message))
            is_last_look = False
            continue
        # The number has sent its twenty of this second (private.claim_whatsapp).
        wait_s = await context.call("private.next_whatsapp_s", user_id)
        if wait_s is None and not is_last_look:
            # On a busy machine the moment of a message may have come long before it was asked for.
            is_last_look = True
            continue
        if wait_s is None or wait_s > LONGEST_WAIT_S:
            return
        await asyncio.sleep(max(wait_s, SHORTEST_WAIT_S))


async def wake(context: api.Context) -> None:
    """Enqueue a job for each person whose messages are due."""
    async with context.as_service() as connection:
        for row in await connection.fetch("select private.due_whatsapp_senders() as user_id"):
            user_id = str(row["user_id"])
            await api.enqueue(
                connection, "whatsapp_outbox", {"user_id": user_id}, user_id=user_id,
                dedupe_key=f"whatsapp of {user_id}",
            )  # fmt: skip


async def attempt(context: api.Context, number: numbers.Number, message: dict[str, Any]) -> None:
    """Send one leased message and record how it ended."""
    message_id, code, detail, is_temporary = None, None, None, False
    meta = graph.Graph(context, number.token)
    try:
        media_id = await uploaded(context, meta, number, message)
        async with context.as_service() as connection:
            recipient = await connection.fetchrow(
                "select * from private.begin_whatsapp($1, $2)", message["id"], message["attempts"]
            )
        if recipient is None:
            return
        body = outgoing.body_of(message, recipient["external_id"], recipient["phone"], media_id)
        answer = await meta.request("POST", f"{number.phone_number_id}/messages", body, timeout_s=ANSWER_TIMEOUT_S)
        message_id = answer["messages"][0]["id"]
    except smtp.Failure as failure:
        context.log.warning("whatsapp message without its file", extra={"row": str(message["id"])})
        if not failure.is_temporary:
            await context.call("private.fail_whatsapp", message["id"], message["attempts"], "attachment")
            return
        is_temporary, detail = True, str(failure)
    except graph.Refused as refusal:
        code, detail = refusal.code, refusal.detail
    except graph.Unreachable as error:
        is_temporary, detail = True, str(error)
    except (graph.Uncertain, LookupError, TypeError) as error:
        detail = str(error)
    if message_id is None:
        context.log.warning("whatsapp message not sent", extra={"row": str(message["id"]), "cause": code or detail})
    await asyncio.shield(
        context.call(
            "private.settle_whatsapp", message["id"], message["attempts"], message_id, code, detail, is_temporary
        )
    )


async def uploaded(
    context: api.Context, meta: graph.Graph, number: numbers.Number, message: Mapping[str, Any]
) -> str | None:
    """Give Meta the file of a message; return its id there, None without one.

    Raises graph.Refused, graph.Unreachable and smtp.Failure.
    """
    documents = [message["document_id"]] if message["document_id"] else []
    invoices = [message["invoice_id"]] if message["invoice_id"] else []
    # The link to a document that was erased is empty; the message still says that it had one.
    if message["kind"] not in ("image", "document"):
        return None
    found = await mail_attachments.read(context, message["user_id"], documents, invoices, limits.MAX_BYTES)
    if not found:
        raise smtp.Failure("attachment")
    media = outgoing.media_of(dict(message))
    return await meta.upload(number.phone_number_id, media["name"], found[0].mime, found[0].content)
