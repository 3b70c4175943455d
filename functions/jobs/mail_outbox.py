"""Send what is due in each person's outbox through the person's mail server or the shared one, each mail at most once.

A mail is leased, composed and announced to the server while its state is `queued`; another attempt may follow. Right
before the content leaves, private.begin_mail_content lets one worker pass. What breaks after that is `uncertain`.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import letter_html, mail_attachments, shared_sender, smtp, unsubscribing
from functions._shared.documents import cache

EVERY = timedelta(minutes=1)
TIMEOUT_S = 900
# The sweep goes on with what is left, so that one large outbox holds no place for long.
LONGEST_RUN_S = 120
FIRST_DELAY_S = 60
LONGEST_DELAY_S = 4 * 3600


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Send the due mails of one person, or wake a job for everybody who has some."""
    if "user_id" not in payload:
        await wake(context)
        return
    user_id = UUID(payload["user_id"])
    ends_at = time.monotonic() + LONGEST_RUN_S
    async with context.as_service() as connection:
        account = await connection.fetchrow("select * from private.mail_account_of($1)", user_id)
    if account is None:
        # Its mails went with it.
        return
    try:
        server = await shared_sender.server_of(context, user_id, dict(account))
    except smtp.Failure as failure:
        # They wait for the next minute, or for their person to sign in or write the password again.
        context.log.warning("mails wait for a login", extra={"cause": failure.code})
        # An expired login of a provider is noted already, unless it was renewed meanwhile.
        if failure.is_temporary or account["provider"] is None:
            await context.call("private.note_mail_account", user_id, failure.code, None)
        return
    if server is None:
        # They wait, and expire after a day.
        await context.call("private.note_mail_account", user_id, "disconnected", None)
        return
    await Outbox(context, user_id, smtp.Line(context, server), ends_at).send_due()


async def wake(context: api.Context) -> None:
    """Enqueue a job for each person whose mails are due, and note certified mails that did not arrive in time."""
    await context.call("private.miss_deliveries")
    async with context.as_service() as connection:
        for row in await connection.fetch("select private.due_mail_senders() as user_id"):
            user_id = str(row["user_id"])
            await api.enqueue(
                connection, "mail_outbox", {"user_id": user_id}, user_id=user_id, dedupe_key=f"mails of {user_id}"
            )


@dataclass(frozen=True)
class Claimed:
    """A leased mail, and its form on the wire as soon as that is written."""

    mail: dict[str, Any]
    content: asyncio.Future[bytes]


class Outbox:
    """The mails of one person, sent one after the other: while one may begin to leave, the next is written."""

    def __init__(self, context: api.Context, user_id: UUID, line: smtp.Line, ends_at: float) -> None:
        self._context = context
        self._user_id = user_id
        self._line = line
        self._ends_at = ends_at
        # Claimed, and not yet counted by the database.
        self._unsettled = 0
        self._settling: asyncio.Future[None] | None = None
        self._coming: asyncio.Future[Claimed | None] | None = None

    async def send_due(self) -> None:
        """Send what is due until `ends_at`, a time of the monotonic clock, or until the login is refused."""
        async with AsyncExitStack() as ending:
            ending.push_async_callback(self._line.close)
            ending.push_async_callback(self._settled)
            ending.push_async_callback(self._put_back)
            while (claimed := await self._upcoming()) is not None:
                self._coming = None
                if await self._attempt(claimed) == "auth" and self._line.server.is_token:
                    # The next job refreshes it.
                    await self._context.call("private.drop_mail_access", self._user_id)
                    return

    async def _put_back(self) -> None:
        """Leave a mail that was claimed too early to the next job."""
        if self._coming is not None and (claimed := await self._coming) is not None:
            claimed.content.cancel()
            await self._settle(claimed.mail, "queued", None)

    def _upcoming(self) -> asyncio.Future[Claimed | None]:
        """Begin to claim and write the next mail, if that has not begun; the result is that of `_claim`."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(self._claim())
        return self._coming

    async def _claim(self) -> Claimed | None:
        """Lease the next mail and begin to write it; None when it is time to end, or none may be sent now."""
        if time.monotonic() >= self._ends_at:
            return None
        row = await self._context.call("private.next_mail", self._user_id, self._unsettled)
        if row is None:
            return None
        self._unsettled += 1
        documents = [UUID(document_id) for document_id in row["document_ids"]]
        mail = row | {"id": UUID(row["id"]), "user_id": self._user_id, "document_ids": documents}
        return Claimed(mail, asyncio.ensure_future(compose(self._context, mail, self._line.server)))

    async def _attempt(self, claimed: Claimed) -> str | None:
        """Try to send a mail, begin to record how it ended, and return the code of a failure."""
        context, line, mail = self._context, self._line, claimed.mail
        try:
            reply = await self._deliver(claimed)
        except smtp.Uncertain:
            await line.close()
            await self._settle(mail, "uncertain", "interrupted")
        except smtp.Failure as failure:
            await line.close()
            # Only the operator can mend the password of the shared sender; a token is refreshed.
            is_mended = line.server.is_shared or line.server.is_token
            is_temporary = failure.is_temporary or (is_mended and failure.code in ("auth", "tls"))
            state = "queued" if is_temporary else "failed"
            await self._settle(mail, state, failure.code, failure.reply, delay_s(mail["attempts"]))
            if failure.code in ("auth", "tls", "unreachable"):
                await context.call("private.note_mail_account", mail["user_id"], failure.code, failure.reply)
            context.log.warning("mail not sent", extra={"mail": str(mail["id"]), "cause": failure.code})
            return failure.code
        else:
            if reply is None:
                # It was cancelled, or refused where its content should begin.
                self._unsettled -= 1
            else:
                await self._settle(mail, "sent", None, reply)
                context.log.info("mail sent", extra={"mail": str(mail["id"])})
        return None

    async def _deliver(self, claimed: Claimed) -> str | None:
        """Send a mail; None when it must not be sent any more. Raises smtp.Failure and smtp.Uncertain."""
        context, line, mail = self._context, self._line, claimed.mail
        content = await claimed.content
        path = await store(context, mail, content) if line.server.is_certified else None
        sender = shared_sender.return_path(context, line.server, mail["id"]) if line.server.is_shared else None
        client = await line.announce(mail["recipient"], sender)
        # Written while the database waits for its disk, and not while the server is heard.
        self._upcoming()
        # A crash leaves two mails at most of which it is not known whether they arrived.
        may_begin, _ = await asyncio.gather(
            context.call("private.begin_mail_content", mail["id"], mail["attempts"], path), self._settled()
        )
        if not may_begin:
            # What was announced is not sent.
            await line.close()
            return None
        async with smtp.translated():
            return await smtp.send_content(client, content)

    async def _settle(
        self, mail: dict[str, Any], state: str, error: str | None, reply: str = "", delay_s: int = 0
    ) -> None:
        """Begin to record how an attempt ended."""
        await self._settled()
        self._settling = asyncio.ensure_future(
            self._context.call("private.settle_mail", mail["id"], mail["attempts"], state, error, reply, delay_s)
        )

    async def _settled(self) -> None:
        """Wait until the last attempt is recorded, even if the job is told to stop meanwhile."""
        if self._settling is not None:
            await asyncio.shield(self._settling)
            self._settling = None
            self._unsettled -= 1


async def compose(context: api.Context, mail: dict[str, Any], server: smtp.Server) -> bytes:
    """Write a mail as it leaves. Raises smtp.Failure when it cannot be written, or an attachment is gone."""
    is_promotion = mail["basis"] != "contratto"
    way_out = unsubscribing.links(context, mail["user_id"], mail["recipient"]) if is_promotion else None
    body = mail["body"] + way_out.footer if way_out else mail["body"]
    # A certified mail is a document: it has one form.
    html = None if server.is_certified else letter_html.page(mail["body"], way_out.page if way_out else None)
    letter = server.letter(mail["recipient"], mail["subject"], body, mail["message_id"], html)
    for attachment in await mail_attachments.of(context, mail):
        letter.add_attachment(
            attachment.content,
            maintype=attachment.mime.partition("/")[0],
            subtype=attachment.mime.partition("/")[2],
            filename=attachment.name,
        )
    if references := mail["references"]:
        letter["In-Reply-To"] = references[-1]
        letter["References"] = " ".join(references)
    if mail["ai"]:
        # Machine-readable, as the AI Act (art. 50) wants it of generated text.
        letter["X-Socio-AI"] = mail["ai"]
    letter["Date"] = context.now()
    if server.is_shared:
        shared_sender.lead_back(context, server, letter, mail["id"])
    if server.is_certified:
        # The receipt of delivery holds the whole mail: it is the proof.
        letter["X-TipoRicevuta"] = "completa"
    return (way_out.headers if way_out else b"") + letter.as_bytes()


async def store(context: api.Context, mail: dict[str, Any], content: bytes) -> str | None:
    """Keep the form in which a certified mail leaves; None when that is not possible, which holds no mail up."""
    path = f"{mail['user_id']}/posta/{mail['id']}-{mail['attempts']}.eml"
    try:
        await context.storage_of(mail["user_id"]).upload(cache.BUCKET, path, content, "message/rfc822", upsert=True)
    except api.PlatformError:
        context.log.warning("certified mail not kept", extra={"mail": str(mail["id"])})
        return None
    return path


def delay_s(attempts: int) -> int:
    """Return how long to wait after so many attempts: 1, 4, 16 minutes, 1 hour, then 4 hours."""
    return int(min(FIRST_DELAY_S * 4 ** (attempts - 1), LONGEST_DELAY_S))
