"""Keep one received mail: its row, its thread and contact, its raw form, and its attachments as documents."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from uuid import UUID, uuid4

from backend.edge import api
from functions._shared import mail_reports
from functions._shared.documents import cache, formats, queries
from functions._shared.documents.errors import Unreadable
from functions._shared.received_mail import guard, mailbox, message

# Smaller pictures are logos of signatures.
LEAST_PICTURE_BYTES = 20_000


@dataclass(frozen=True)
class Place:
    """Where a mail lies on its server."""

    role: str
    folder: mailbox.Folder


@dataclass(frozen=True)
class Owner:
    """Whose mailbox is read, and the domains that the person knows."""

    user_id: UUID
    address: str
    domains: Sequence[str]


async def keep(context: api.Context, owner: Owner, place: Place, raw: mailbox.Raw) -> bool:
    """Keep a mail; false when it was known. A mail of our own outbox is only confirmed, as is a report about one.

    Raises Away.
    """
    mail = await asyncio.to_thread(message.read, raw.content, is_header_only=not raw.is_whole)
    sha256 = hashlib.sha256(raw.content).hexdigest()
    if place.role == "ricevuti" and mail.kind in ("rimbalzo", "automatica"):
        reports = await asyncio.to_thread(_reports, raw.content)
        if await mail_reports.keep(context, owner.user_id, reports, sha256, raw.arrived_at):
            return False
    message_id = mail.message_id or f"<{sha256}@invalid>"
    party = mail.sender if place.role == "ricevuti" else next(iter(mail.recipients), None)
    async with context.as_service() as connection:
        facts = await connection.fetchrow(
            "select * from private.mail_facts($1, $2, $3, $4)", owner.user_id, message_id, sha256, party
        )
    assert facts is not None
    # Whoever got a mail of ours knows its Message-ID: in the inbox it counts with our own address only.
    if facts["is_ours"] and (place.role == "inviati" or mail.sender == owner.address):
        if place.role == "inviati":
            await context.call("private.confirm_sent_mail", owner.user_id, message_id)
        return False
    mail_id = uuid4()
    path = None if facts["is_known"] else await _store(context, owner, mail_id, raw.content)
    warnings = _warnings(owner, place, mail, facts["ibans"])
    row = {
        "id": str(mail_id), "folder": place.role, "folder_name": place.folder.name,
        "uidvalidity": place.folder.uidvalidity, "message_uid": raw.uid, "message_id": message_id, "sha256": sha256,
        "reference_ids": list(dict.fromkeys([*mail.references, *mail.in_reply_to])),
        "kind": mail.kind, "sender": mail.sender, "sender_name": mail.sender_name, "reply_to": mail.reply_to,
        "recipients": list(mail.recipients), "party": party, "subject": mail.subject or "Senza oggetto",
        "body": mail.text, "quoted": mail.quoted, "dmarc": mail.dmarc, "warnings": warnings,
        "files": [{"name": each.name, "mime": each.mime, "bytes": len(each.content)} for each in mail.files],
        "is_whole": mail.is_whole, "bytes": raw.size_bytes, "storage_path": path,
        "at": _moment(context, mail, raw),
    }  # fmt: skip
    async with context.as_service() as connection:
        kept = await connection.fetchrow(
            "select * from private.keep_received_mail($1, $2::text::jsonb)", owner.user_id, json.dumps(row)
        )
    if kept is None or not kept["is_new"]:
        return False
    is_trusted = kept["contact_id"] is not None and mail.kind == "persona" and not warnings
    if is_trusted and place.role == "ricevuti":
        await _file_documents(context, owner, kept["mail_id"], mail.files)
    return True


def _reports(content: bytes) -> list[mail_reports.Report]:
    """Read what a server says about mails; nothing in a message that is made to be expensive or cannot be parsed."""
    parsed, is_whole = message.parse(content)
    with suppress(*message.MALFORMED):
        return mail_reports.read(parsed) if is_whole else []
    return []


def _warnings(owner: Owner, place: Place, mail: message.Mail, ibans: Sequence[str]) -> list[guard.Finding]:
    """Check what others wrote; what the person sent is the person's."""
    if place.role != "ricevuti":
        return []
    return guard.warnings(
        text=f"{mail.subject}\n{mail.text}", sender=mail.sender, dmarc=mail.dmarc, known_ibans=ibans,
        known_domains=owner.domains,
    )  # fmt: skip


def _moment(context: api.Context, mail: message.Mail, raw: mailbox.Raw) -> str:
    """Return when it arrived by the server; a sender may write any date, but none in the future counts."""
    return min(raw.arrived_at or mail.sent_at or context.now(), context.now()).isoformat()


async def _store(context: api.Context, owner: Owner, mail_id: UUID, content: bytes) -> str | None:
    """Store the raw form; None when the person's quota is full. Raises Away."""
    path = f"{owner.user_id}/posta/{mail_id}.eml"
    return path if await _upload(context, owner, path, content, "message/rfc822") else None


async def _upload(context: api.Context, owner: Owner, path: str, content: bytes, mime: str) -> bool:
    try:
        await context.storage_of(owner.user_id).upload(cache.BUCKET, path, content, mime)
    except api.PlatformError as error:
        if error.code == "QuotaExceeded" or error.status == 413:
            return False
        raise api.Away(str(error)) from error
    return True


async def _file_documents(context: api.Context, owner: Owner, mail_id: UUID, files: Sequence[message.File]) -> None:
    """Register the attachments that can be read as documents."""
    for place, file in enumerate(files):
        mime = _readable(file)
        if mime is None:
            continue
        ending = PurePosixPath(file.name).suffix.lower()
        safe = ending if ending[1:].isalnum() and ending.isascii() else ""
        path = f"{owner.user_id}/{mail_id}/{place:03}{safe}"
        if not await _upload(context, owner, path, file.content, mime):
            return
        async with context.as_service() as connection:
            document = await queries.register(connection, owner.user_id, path, file.name, len(file.content), mime)
            await connection.execute(
                "select private.note_mail_document($1, $2, $3, $4)", owner.user_id, mail_id, place, document["id"]
            )


def _readable(file: message.File) -> str | None:
    """Return the type that the bytes have; None for what is no document."""
    is_logo = file.mime.startswith("image/") and (
        file.content_id is not None or len(file.content) < LEAST_PICTURE_BYTES
    )
    if is_logo or file.mime.startswith("text/"):
        return None
    try:
        return formats.of(file.content, file.name)[1]
    except Unreadable:
        return None
