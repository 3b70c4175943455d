"""Fetch the file of a received WhatsApp message from Meta, and keep it: as a document, or as it is.

May run again at any time: a file has one place. What Meta cannot give now is tried for a day. What it refuses, and a
file that does not fit, is recorded in the message for its owner, who may have it fetched again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.assistant import listening
from functions._shared.documents import filing, formats, limits, names, queries
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.whatsapp import graph, media, numbers, voice

TIMEOUT_S = 240
SETTLE = "select private.settle_whatsapp_media($1, $2, $3, $4, $5)"
# What storage takes for anything that is neither a document nor shown or played.
KEPT_ONLY = "application/octet-stream"
# A file with one of these is broken or a lie; one that is only of no use for documents is neither.
BROKEN = (Code.EMPTY, Code.TRUNCATED, Code.MISLABELLED)


@dataclass(frozen=True)
class File:
    """A file that was fetched, of one message."""

    message_id: UUID
    user_id: UUID
    kind: str
    name: str
    mime: str
    content: bytes = field(repr=False)


class Mismatch(Exception):
    """The bytes are not those that Meta announced."""


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Fetch one file. Raises Away and Mismatch."""
    message_id = UUID(payload["message_id"])
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.whatsapp_media($1)", message_id)
    if row is None:
        return
    number = await numbers.of_person(context, row["user_id"])
    if number is None:
        await settle(context, message_id, "scollegato")
        return
    told = row["media"]
    try:
        content = await media.fetch(graph.Graph(context, number.token), told, limits.MAX_BYTES)
    except graph.TooLarge:
        await settle(context, message_id, "grande")
        return
    except graph.Refused as refusal:
        if await context.call("private.refuse_whatsapp_media", message_id, refusal.code):
            raise api.Away(str(refusal)) from refusal
        context.log.warning("whatsapp file not given", extra={"row": str(message_id), "cause": str(refusal)})
        return
    except (graph.Unreachable, graph.Uncertain) as error:
        raise api.Away(str(error)) from error
    if content is None:
        await settle(context, message_id, "diverso")
        raise Mismatch
    name = names.tidy(media.name_of(told, row["kind"], row["at"]))
    await keep(context, File(message_id, row["user_id"], row["kind"], name, media.mime_of(told), content))


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Record that a file was not to be had."""
    await settle(context, UUID(payload["message_id"]), "fallito")


async def keep(context: api.Context, file: File) -> None:
    """Store a file, and register it if it is a document. Raises Away."""
    mime = None if file.kind == "sticker" else filing.readable(file.name, file.mime, file.content)
    ending = filing.ending(file.name)
    path = (
        f"{file.user_id}/{file.message_id}/000{ending}"
        if mime
        else f"{file.user_id}/whatsapp/{file.message_id}{ending}"
    )
    broken = mime is None and is_broken(file)
    kept_as = file.mime if file.mime in media.ENDINGS and not broken else KEPT_ONLY
    try:
        is_kept = await filing.store(context, file.user_id, path, file.content, mime or kept_as)
    except filing.NotKept:
        await settle(context, file.message_id, "illeggibile")
        return
    if not is_kept:
        await settle(context, file.message_id, "senza_spazio")
        return
    async with context.as_service() as connection:
        if mime is None:
            length_s = voice.length_s(file.content) if file.kind == "audio" and not broken else None
            await connection.execute(
                SETTLE, file.message_id, "illeggibile" if broken else "pronto", path, None, length_s
            )
            # Another recording may be a song that somebody passes on: its person asks.
            if length_s is not None and voice.mime_of(file.content) == voice.OGG:
                await hear(context, connection, file)
        else:
            document = await queries.register(connection, file.user_id, path, file.name, len(file.content), mime)
            await connection.execute(SETTLE, file.message_id, "pronto", None, document["id"], None)


async def hear(context: api.Context, connection: api.Connection, file: File) -> None:
    """Have a voice note become text, if its person wants that by itself."""
    chosen = listening.choice(context)
    if chosen and await connection.fetchval(
        "select private.ask_transcript_alone($1, $2)", file.message_id, chosen.host
    ):
        await voice.enqueue(connection, file.user_id, file.message_id)


def is_broken(file: File) -> bool:
    """Whether a file is not what it claims to be; sound and video are not looked into."""
    if file.kind in ("audio", "video"):
        return not file.content
    try:
        found = formats.of(file.content, file.name)[1]
    except Unreadable as reason:
        return file.kind != "document" or reason.code in BROKEN
    return file.kind != "document" and not found.startswith("image/")


async def settle(context: api.Context, message_id: UUID, state: str) -> None:
    """Record why a file is missing."""
    await context.call("private.settle_whatsapp_media", message_id, state, None, None, None)
