"""Take a mail that came to a person's address: sent or forwarded by the person, or written by somebody else.

Also what came to the addresses of one sent mail (functions/_shared/shared_sender.py): answers and reports of servers.

None of it was read from a mailbox that the person signed in to, so no server of theirs says that the sender is real: it
is verified here. Forwarded originals are not: others wrote or changed them.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from backend.edge import api
from functions._shared import mail_reports
from functions._shared.received_mail import (
    address,
    authenticity,
    body,
    forwarded,
    keeping,
    mailbox,
    message,
    opening,
    origin,
)

FOLDER = "indirizzo"
# Bits of a digest that fit into a bigint, without its sign.
NUMBER_BITS = 62


@dataclass(frozen=True)
class Arrival:
    """One mail to be kept: its raw form, what is read in it, and its part in the conversation."""

    role: str
    content: bytes
    opened: opening.Opened
    is_forwarded: bool
    arrived_at: datetime | None


@dataclass(frozen=True)
class Sent:
    """A sent mail with addresses of its own."""

    mail_id: UUID
    user_id: UUID
    message_id: str


async def receive(context: api.Context, user_id: UUID, envelope: authenticity.Envelope, content: bytes) -> None:
    """Keep a raw mail of a person, however often it comes. Raises Away.

    The sender of the envelope is empty for what must never be answered (RFC 5321).
    """
    async with context.as_service() as connection:
        own = await connection.fetchval("select private.own_mail_addresses($1)", user_id)
        domains = await connection.fetchval("select private.known_mail_domains($1)", user_id)
        ibans = await connection.fetchval("select private.own_ibans($1)", user_id)
    raw = _with_sender(content, envelope.sender)
    now = context.now()
    verdict = await authenticity.verify(raw, envelope, now)
    arrivals = await asyncio.to_thread(sort, raw, frozenset(own), address.domain(context) or "", now, verdict)
    is_new = False
    for each in arrivals:
        mail = each.opened.mail
        own_address = mail.sender if mail.sender and mail.sender in own and not verdict.is_refuted else ""
        owner = keeping.Owner(user_id, own_address, domains, ibans, is_certified=False)
        place = keeping.Place(
            each.role, mailbox.Folder(FOLDER, 0, 0), is_by_address=True, is_forwarded=each.is_forwarded,
            party=_party(each, own),
        )  # fmt: skip
        found = _raw(each.content, each.arrived_at)
        is_new |= await keeping.keep_opened(context, owner, place, found, each.opened)
    if is_new:
        await context.call("private.note_mail_address", user_id, None)


async def receive_answer(context: api.Context, sent: Sent, envelope: authenticity.Envelope, content: bytes) -> None:
    """Keep a raw mail that came to the address of answers of a sent mail: received, whoever it says it is from.

    Raises Away.
    """
    async with context.as_service() as connection:
        own = await connection.fetchval("select private.own_mail_addresses($1)", sent.user_id)
        domains = await connection.fetchval("select private.known_mail_domains($1)", sent.user_id)
        ibans = await connection.fetchval("select private.own_ibans($1)", sent.user_id)
    raw = _with_sender(content, envelope.sender)
    opened = await asyncio.to_thread(opening.opened, raw, is_whole=True, is_received=True, is_certified=False)
    named = [each for each in (*opened.mail.references, *opened.mail.in_reply_to) if each != sent.message_id]
    # The address proves what it answers; the nearest ancestor is last.
    verdict = await authenticity.verify(raw, envelope, context.now())
    dmarc = verdict.dmarc(is_own=opened.mail.sender in own)
    mail = replace(opened.mail, dmarc=dmarc, references=tuple(named), in_reply_to=(sent.message_id,))
    # No own address: a copy of a mail of the outbox does not come here.
    owner = keeping.Owner(sent.user_id, "", domains, ibans, is_certified=False)
    place = keeping.Place(
        "ricevuti", mailbox.Folder(FOLDER, 0, 0), is_by_address=True, party=mail.sender, answered_id=sent.mail_id
    )
    # Only the mail itself names the address.
    await context.call("private.confirm_sent_mail", sent.user_id, sent.message_id)
    await keeping.keep_opened(context, owner, place, _raw(raw, context.now()), replace(opened, mail=mail))


async def receive_report(context: api.Context, sent: Sent, sender: str | None, content: bytes) -> None:
    """Record what a server reports about a sent mail; anything else is dropped. Raises Away."""
    raw = _with_sender(content, sender)
    opened = await asyncio.to_thread(opening.opened, raw, is_whole=True, is_received=True, is_certified=False)
    # Words such as «5.1.1» in an automatic answer are no report, unless they quote the mail.
    reports = [
        replace(each, message_id=sent.message_id)
        for each in opened.reports
        if each.is_standard or each.message_id == sent.message_id
    ]
    if not await mail_reports.keep(context, sent.user_id, reports, hashlib.sha256(raw).hexdigest(), context.now()):
        context.log.info("a mail to an address of reports was no report", extra={"mail": str(sent.mail_id)})


def sort(
    raw: bytes,
    own: Collection[str],
    domain: str,
    now: datetime,
    verdict: authenticity.Verdict = authenticity.UNKNOWN,
) -> list[Arrival]:
    """Say what a raw mail is. Pure."""
    opened = opening.opened(raw, is_whole=True, is_received=True, is_certified=False)
    is_own = opened.mail.sender in own
    mail = replace(opened.mail, dmarc=verdict.dmarc(is_own=is_own))
    others = tuple(each for each in mail.recipients if each not in own and not each.endswith(f"@{domain}"))
    # The person's address in From is written by anybody; a domain that signs its mails shows who did.
    if not is_own or verdict.is_refuted:
        return [Arrival("ricevuti", raw, replace(opened, mail=mail), is_forwarded=False, arrived_at=now)]
    if others:
        # A copy of what the person wrote; the first is who it was written to.
        sent = opening.Opened(replace(mail, recipients=others))
        return [Arrival("inviati", raw, sent, is_forwarded=False, arrived_at=now)]
    found = list(_originals(raw, mail, own))
    # Nothing is lost: a note to oneself waits like any other mail.
    return found or [Arrival("ricevuti", raw, opening.Opened(mail), is_forwarded=False, arrived_at=now)]


def _originals(raw: bytes, mail: message.Mail, own: Collection[str]) -> Iterator[Arrival]:
    """Go through the originals in a mail that its person forwarded."""
    files = forwarded.attached(mail)
    for file in files:
        inside = replace(message.read(file.content), dmarc=None)
        yield _original(file.content, inside, own)
    if files:
        return
    said = forwarded.inline(f"{mail.text}\n\n{mail.quoted}" if mail.quoted else mail.text)
    if said is None or not message.ADDRESS.fullmatch(said.sender):
        return
    written, quoted = body.split_quoted(said.text)
    note = f"La tua nota nell’inoltro:\n{said.note}" if said.note else ""
    inside = replace(
        mail,
        sender=said.sender,
        sender_name=said.sender_name,
        reply_to=None,
        recipients=tuple(each for each in said.recipients if message.ADDRESS.fullmatch(each))[: message.MAX_ADDRESSES],
        subject=said.subject or mail.subject,
        sent_at=said.sent_at,
        text=written,
        quoted="\n\n".join(filter(None, (note, quoted)))[: message.MAX_TEXT],
        dmarc=None,
        kind="automatica" if origin.MACHINES.match(said.sender) else "persona",
    )
    yield _original(raw, inside, own)


def _original(content: bytes, mail: message.Mail, own: Collection[str]) -> Arrival:
    role = "inviati" if mail.sender in own else "ricevuti"
    return Arrival(role, content, opening.Opened(mail), is_forwarded=True, arrived_at=None)


def _party(arrival: Arrival, own: Collection[str]) -> str | None:
    mail = arrival.opened.mail
    if arrival.role == "ricevuti":
        return mail.sender
    return next((each for each in mail.recipients if each not in own), None)


def _with_sender(content: bytes, sender: str | None) -> bytes:
    return content if sender is None else b"Return-Path: <" + _plain(sender) + b">\r\n" + content


def _raw(content: bytes, arrived_at: datetime | None) -> mailbox.Raw:
    number = int.from_bytes(hashlib.sha256(content).digest()[:8], "big") >> (64 - NUMBER_BITS)
    return mailbox.Raw(number, content, len(content), arrived_at, is_whole=True)


def _plain(sender: str) -> bytes:
    """Write the sender of an envelope as a header: no line of it can become another header."""
    return "".join(each for each in sender if each.isprintable() and each not in "<> ")[:320].encode("utf-8", "replace")
