"""Keep one received mail: its row, its thread and contact, its raw form, and its attachments as documents."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from backend.edge import api
from functions._shared import mail_reports, plain_text
from functions._shared.documents import filing, queries
from functions._shared.received_mail import exchange, guard, mailbox, message, opening


@dataclass(frozen=True)
class Place:
    """Where a mail lies on its server, or that it came to the person's address.

    `party` is the other side where that is not the sender or the first recipient; `answered_id` is the mail of the
    outbox to whose own address it came.
    """

    role: str
    folder: mailbox.Folder
    is_by_address: bool = False
    is_forwarded: bool = False
    party: str | None = None
    answered_id: UUID | None = None


@dataclass(frozen=True)
class Owner:
    """Whose mailbox is read, the domains that the person knows, the person's own accounts; is it of certified mail?"""

    user_id: UUID
    address: str
    domains: Sequence[str]
    ibans: Sequence[str]
    is_certified: bool


async def keep(context: api.Context, owner: Owner, place: Place, raw: mailbox.Raw) -> bool:
    """Keep a mail; false when it was known. A mail of our own outbox is only confirmed, as is a report about one.

    Raises Away.
    """
    opened = await asyncio.to_thread(
        opening.opened, raw.content, is_whole=raw.is_whole, is_received=place.role == "ricevuti",
        is_certified=owner.is_certified,
    )  # fmt: skip
    return await keep_opened(context, owner, place, raw, opened)


async def keep_opened(
    context: api.Context, owner: Owner, place: Place, raw: mailbox.Raw, opened: opening.Opened
) -> bool:
    """Keep a mail that was opened already, as `keep` does. Raises Away."""
    is_received = place.role == "ricevuti"
    sha256 = hashlib.sha256(raw.content).hexdigest()
    if await _is_about_a_letter(context, owner, opened, raw, sha256):
        return False
    mail = opened.mail
    message_id = mail.message_id or f"<{sha256}@invalid>"
    party = place.party or (mail.sender if is_received else next(iter(mail.recipients), None))
    facts = await _facts(context, owner, message_id, sha256, party)
    # Whoever got a mail of ours knows its Message-ID: in the inbox it counts with our own address only.
    if facts["is_ours"] and (not is_received or mail.sender == owner.address):
        # A copy that anybody could have sent proves nothing.
        if not is_received and not place.is_by_address:
            await context.call("private.confirm_sent_mail", owner.user_id, message_id)
        return False
    mail_id = uuid4()
    warnings = _warnings(owner, place, mail, facts["ibans"])
    row = _row(context, place, raw, opened) | {
        "id": str(mail_id), "message_id": message_id, "sha256": sha256, "party": party, "warnings": warnings,
        "storage_path": None if facts["is_known"] else await _store(context, owner, mail_id, raw.content),
    }  # fmt: skip
    async with context.as_service() as connection:
        kept = await connection.fetchrow(
            "select * from private.keep_received_mail($1, $2::text::jsonb)", owner.user_id, json.dumps(row)
        )
    if kept is None or not kept["is_new"]:
        return False
    await exchange.keep(context, owner.user_id, opened, raw.arrived_at)
    if is_received and kept["contact_id"] is not None and mail.kind == "persona" and not warnings:
        await _file_documents(context, owner, kept["mail_id"], mail.files)
    return True


def _row(context: api.Context, place: Place, raw: mailbox.Raw, opened: opening.Opened) -> dict[str, Any]:
    """Write what a mail says as a row of received_mails."""
    mail = opened.mail
    return {
        "folder": place.role, "folder_name": place.folder.name, "uidvalidity": place.folder.uidvalidity,
        "message_uid": raw.uid, "reference_ids": list(dict.fromkeys([*mail.references, *mail.in_reply_to])),
        "kind": mail.kind, "sender": mail.sender, "sender_name": mail.sender_name, "reply_to": mail.reply_to,
        "recipients": list(mail.recipients), "subject": mail.subject or "Senza oggetto", "body": mail.text,
        "quoted": mail.quoted, "dmarc": mail.dmarc, "certificate": opened.certificate,
        "envelope_id": opened.envelope_id, "invitation": _invitation(mail),
        "files": [{"name": each.name, "mime": each.mime, "bytes": len(each.content)} for each in mail.files],
        "is_whole": mail.is_whole, "bytes": raw.size_bytes, "at": _moment(context, mail, raw),
        "is_by_address": place.is_by_address, "is_forwarded": place.is_forwarded,
        "answered_id": place.answered_id and str(place.answered_id),
    }  # fmt: skip


def _invitation(mail: message.Mail) -> dict[str, Any] | None:
    """Write what a mail invites to; no row for an event without a name."""
    event = mail.invitation
    title = plain_text.line(event.title)[: message.MAX_LINE].strip() if event else ""
    if event is None or not title:
        return None
    return {
        "title": title, "starts_at": event.starts_at and event.starts_at.isoformat(), "is_allday": event.is_allday,
        "place": plain_text.line(event.place)[: message.MAX_LINE], "is_cancelled": event.is_cancelled,
        "repeats": event.repeats,
    }  # fmt: skip


async def _facts(
    context: api.Context, owner: Owner, message_id: str, sha256: str, party: str | None
) -> Mapping[str, Any]:
    """Ask what is known of a mail before it is kept."""
    async with context.as_service() as connection:
        facts = await connection.fetchrow(
            "select * from private.mail_facts($1, $2, $3, $4)", owner.user_id, message_id, sha256, party
        )
    assert facts is not None
    return dict(facts)


async def _is_about_a_letter(
    context: api.Context, owner: Owner, opened: opening.Opened, raw: mailbox.Raw, sha256: str
) -> bool:
    """Record a report or a receipt at the mail of the outbox that it is about; false for others. Raises Away."""
    if await mail_reports.keep(context, owner.user_id, opened.reports, sha256, raw.arrived_at):
        return True
    receipt = opened.receipt
    if receipt is None or receipt.message_id is None:
        return False
    if not (await _facts(context, owner, receipt.message_id, sha256, None))["is_ours"]:
        return False
    told = receipt.certificate
    identifier = f"<{told.identifier.strip('<>')}>" if told and told.identifier else ""
    is_kept: bool = await context.call(
        "private.note_pec_receipt", owner.user_id, receipt.message_id, receipt.kind, told and told.recipient,
        receipt.is_failure, receipt.status, receipt.told, receipt.is_external,
        identifier if message.MESSAGE_ID.fullmatch(identifier) else None, sha256,
        await _store(context, owner, uuid4(), raw.content),
        (told and told.at) or raw.arrived_at or context.now(),
    )  # fmt: skip
    return is_kept


def _warnings(owner: Owner, place: Place, mail: message.Mail, ibans: Sequence[str]) -> list[guard.Finding]:
    """Check what others wrote; what the person sent is the person's."""
    if place.role != "ricevuti":
        return []
    return guard.warnings(
        text=f"{mail.subject}\n{mail.text}", sender=mail.sender, dmarc=mail.dmarc, known_ibans=ibans,
        own_ibans=owner.ibans, known_domains=owner.domains,
    )  # fmt: skip


def _moment(context: api.Context, mail: message.Mail, raw: mailbox.Raw) -> str:
    """Return when it arrived by the server; a sender may write any date, but none in the future counts."""
    return min(raw.arrived_at or mail.sent_at or context.now(), context.now()).isoformat()


async def _store(context: api.Context, owner: Owner, mail_id: UUID, content: bytes) -> str | None:
    """Store the raw form; None when the person's quota is full. Raises Away."""
    path = f"{owner.user_id}/posta/{mail_id}.eml"
    return path if await filing.store(context, owner.user_id, path, content, "message/rfc822") else None


async def _file_documents(context: api.Context, owner: Owner, mail_id: UUID, files: Sequence[message.File]) -> None:
    """Register the attachments that can be read as documents."""
    for place, file in enumerate(files):
        mime = readable(file)
        if mime is not None and await file_document(context, owner.user_id, mail_id, place, file, mime) is None:
            return


async def file_document(
    context: api.Context, user_id: UUID, mail_id: UUID, place: int | None, file: message.File, mime: str
) -> UUID | None:
    """Register an attachment, or at no place the mail itself, as a document.

    None when the person's quota is full. Raises Away.
    """
    path = document_path(user_id, mail_id, place, file.name)
    if not await filing.store(context, user_id, path, file.content, mime):
        return None
    async with context.as_service() as connection:
        document = await queries.register(connection, user_id, path, file.name, len(file.content), mime)
        if place is not None:
            await connection.execute(
                "select private.note_mail_document($1, $2, $3, $4)", user_id, mail_id, place, document["id"]
            )
    document_id: UUID = document["id"]
    return document_id


def document_path(user_id: UUID, mail_id: UUID, place: int | None, name: str) -> str:
    """Return where the document that a mail or its attachment becomes is stored."""
    return f"{user_id}/{mail_id}/{'mail' if place is None else f'{place:03}'}{filing.ending(name)}"


def readable(file: message.File) -> str | None:
    """Return the type that the bytes have; None for what is no document, and for a picture that the HTML shows."""
    if file.mime.startswith("image/") and file.content_id is not None:
        return None
    return filing.readable(file.name, file.mime, file.content)
