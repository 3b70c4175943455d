"""Have a voice note of WhatsApp become text by the provider of AI, and take its price.

Text and price are kept in one transaction. A worker that dies before it leaves the note waiting, and the job listens
again under the same hold: the person pays once, and no text is lost. When the provider is away or busy, the note
is tried again three times at most, also under the same hold (private.retry_transcript); after a refusal it is not.
"""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.assistant import listening, provider
from functions._shared.documents import cache
from functions._shared.whatsapp import media, voice

TIMEOUT_S = 180


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Write down one voice note. Raises Away when its file cannot be read now."""
    message_id = UUID(payload["message_id"])
    chosen = listening.choice(context)
    if chosen is None:
        await fail(context, message_id, None, "rifiutato")
        return
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            "select * from private.begin_transcript($1, $2, $3, $4, $5)",
            message_id, chosen.host, chosen.label, chosen.name, payload.get("retry", 0),
        )  # fmt: skip
    if row is None:
        return
    try:
        text = await words(context, chosen, row["storage_path"], row["voice_s"])
    except listening.Unheard as error:
        context.log.warning("voice note not heard", extra={"row": str(message_id), "cause": str(error)})
        if not error.is_passing or not await put_off(context, row["user_id"], message_id, row["attempt"]):
            await fail(context, message_id, row["attempt"], error.reason)
        return
    # What was heard is kept even if the worker is told to stop now.
    await asyncio.shield(
        context.call("private.keep_transcript", row["user_id"], message_id, row["attempt"], text, chosen.label)
    )


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Give the credits back of a voice note that no worker could finish."""
    await fail(context, UUID(payload["message_id"]), None, "interrotto")


async def words(context: api.Context, chosen: provider.Choice, path: str, length_s: int) -> str:
    """Read the file and have it heard. Raises Unheard, and Away when storage does not answer."""
    try:
        content = await context.storage_as_service.download(cache.BUCKET, path)
    except api.PlatformError as error:
        if error.status in (400, 404):
            raise listening.Unheard("file", str(error)) from error
        raise api.Away(str(error)) from error
    mime = voice.mime_of(content)
    if mime is None:
        raise listening.Unheard("file", "it is no recording")
    return await listening.heard(context, chosen, f"vocale{media.ENDINGS[mime]}", mime, content, length_s)


async def put_off(context: api.Context, user_id: UUID, message_id: UUID, attempt: int) -> bool:
    """Have the note tried again later; return False when it was tried often enough."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.retry_transcript($1, $2)", message_id, attempt)
        if row is not None:
            await voice.enqueue(connection, user_id, message_id, row["retry"], row["delay_s"])
    return row is not None


async def fail(context: api.Context, message_id: UUID, attempt: int | None, reason: str) -> None:
    """Record why there is no text."""
    await context.call("private.fail_transcript", message_id, attempt, reason)
