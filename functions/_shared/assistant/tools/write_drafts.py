"""Drafts of e-mails and WhatsApp messages: approved they are kept, with the link that opens them in the person's own
program. Nothing is sent.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal
from urllib.parse import quote, urlencode
from uuid import UUID

from pydantic import Field

from functions._shared.assistant.tools import mail_templates
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.write_contacts import contact_row, e164, meant
from functions._shared.assistant.tools.writing import (
    MAX_TEXT,
    Done,
    Impossible,
    Line,
    Name,
    Preview,
    Text,
    Work,
    Write,
    uuid,
)
from functions._shared.assistant.turn import Turn

Channel = Literal["email", "whatsapp"]
RECENT = timedelta(days=7)
# A place for the person to complete: a mail that has it cannot be sent.
NO_SUBJECT = "[oggetto…]"
# How a person reads what a contact said to messages.
CONSENTS = {
    "dato": "sì, consenso dato",
    "negato": "no, consenso negato",
    "revocato": "no, consenso revocato",
    "non_richiesto": "non richiesto",
}


class NewMessage(Arguments):
    """What a model says for `draft_whatsapp`."""

    contact: Name = Field(description="Whom to: a name, or a handle like r3")
    body: Text = Field(description="The whole message in Italian, as it would be sent")


class NewEmail(Arguments):
    """What a model says for `draft_email`: subject and body, or the name of a template."""

    contact: Name = Field(description="Whom to: a name, or a handle like r3")
    subject: Line | None = None
    body: Text | None = Field(None, description="The whole message in Italian, as it would be sent")
    template: Name | None = Field(
        None,
        description="Name of one of the person's own templates, when they ask for it; then leave out subject and body",
    )


class MessageArgs(Arguments):
    """A message to a contact."""

    contact_id: UUID
    body: Text


class EmailArgs(MessageArgs):
    """An e-mail to a contact; `template` is the name of the one that it began with."""

    subject: Line
    template: Line | None = None


class _Draft(Write[Any, Any]):
    """What both have in common."""

    risk = "medio"
    outward = True
    channel: Channel

    async def _preview(self, work: Work, args: MessageArgs, subject: str | None) -> Preview:
        row = await contact_row(work, args.contact_id)
        consents = await _consents(work, args.contact_id, self.channel)
        recipient = _recipient(row, self.channel)
        missing = "manca l’indirizzo" if self.channel == "email" else "manca il numero"
        return Preview(
            f"{self.label} a {row['name']}",
            (
                ("A", f"{row['name']} ({recipient or missing})"),
                ("Oggetto", subject),
                ("Consenso ai messaggi di servizio", CONSENTS[consents["servizio"]]),
                ("Consenso al marketing", CONSENTS[consents["marketing"]]),
            ),
            args.body,
            about=(row["name"],),
            texts=tuple(filter(None, (subject, args.body))),
            recipients=1,
            consent=consents["servizio"],
            marketing=consents["marketing"],
            recent=await _recent(work, args.contact_id),
        )

    async def _execute(self, work: Work, args: MessageArgs, subject: str | None) -> Done:
        row = await contact_row(work, args.contact_id)
        recipient = _recipient(row, self.channel)
        await work.connection.execute(
            """
            insert into public.drafts (id, contact_id, conversation_id, channel, recipient, subject, body)
            values ($1, $2, (select id from public.conversations where id = $3), $4, $5, $6, $7)
            """,
            work.call_id,
            args.contact_id,
            work.conversation_id,
            self.channel,
            recipient,
            subject,
            args.body,
        )
        label = f"Bozza per {row['name']}"
        return Done(
            f"Ho salvato la bozza per {row['name']}. Non ho inviato niente.",
            "draft",
            work.call_id,
            label,
            {"draft_id": work.call_id},
            more={
                "recipient": recipient,
                "subject": subject,
                "body": args.body,
                "href": href(self.channel, recipient, subject, args.body),
            },
        )

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        await work.connection.execute(
            "update public.drafts set deleted_at = now() where id = $1 and deleted_at is null", uuid(undo, "draft_id")
        )


class DraftEmail(_Draft):
    """Proposes the draft of an e-mail to a contact. Nothing is sent: the person reads, edits and sends it."""

    name = "draft_email"
    label = "Bozza di email"
    step = "Scrivo una bozza…"
    channel: Channel = "email"
    asked = NewEmail
    args = EmailArgs

    async def resolve(self, work: Work, turn: Turn, asked: NewEmail) -> EmailArgs:
        contact_id = await meant(work, turn, asked.contact)
        if asked.template:
            return _from_template(contact_id, await mail_templates.find(work.connection, asked.template))
        if not asked.subject:
            raise Impossible("Manca l’oggetto", "subject")
        if not asked.body:
            raise Impossible("Manca il testo", "body")
        return EmailArgs(contact_id=contact_id, subject=asked.subject, body=asked.body)

    async def preview(self, work: Work, args: EmailArgs) -> Preview:
        preview = await self._preview(work, args, args.subject)
        if not args.template:
            return preview
        to, *lines = preview.lines
        return replace(preview, lines=(to, ("Modello", args.template), *lines), is_own_text=True)

    async def execute(self, work: Work, args: EmailArgs) -> Done:
        return await self._execute(work, args, args.subject)


class DraftWhatsapp(_Draft):
    """Proposes the draft of a WhatsApp message to a contact. Nothing is sent: the person reads, edits and sends it."""

    name = "draft_whatsapp"
    label = "Bozza WhatsApp"
    step = "Scrivo una bozza…"
    channel: Channel = "whatsapp"
    asked = NewMessage
    args = MessageArgs

    async def resolve(self, work: Work, turn: Turn, asked: NewMessage) -> MessageArgs:
        return MessageArgs(contact_id=await meant(work, turn, asked.contact), body=asked.body)

    async def preview(self, work: Work, args: MessageArgs) -> Preview:
        return await self._preview(work, args, None)

    async def execute(self, work: Work, args: MessageArgs) -> Done:
        return await self._execute(work, args, None)


def _from_template(contact_id: UUID, template: mail_templates.Template) -> EmailArgs:
    """Return the mail with the places of the template, which the client fills in. Raises Impossible."""
    if len(template.body) > MAX_TEXT:
        raise Impossible(
            f"Il modello «{template.name}» è troppo lungo per una bozza: usalo dalla scheda del contatto, "
            "con «Usa un modello»",
            "template",
        )
    subject = template.subject or NO_SUBJECT
    return EmailArgs(contact_id=contact_id, subject=subject, body=template.body, template=template.name)


def _recipient(row: Any, channel: Channel) -> str | None:
    if channel == "email":
        return str(row["email"]) if row["email"] else None
    return e164(row["phone"]) if row["phone"] else None


def href(channel: Channel, recipient: str | None, subject: str | None, body: str) -> str:
    """What opens the message in the person's own program: `mailto:` or `https://wa.me/`."""
    if channel == "whatsapp":
        return f"https://wa.me/{(recipient or '').lstrip('+')}?{urlencode({'text': body}, quote_via=quote)}"
    parts = {"subject": subject or "", "body": body.replace("\n", "\r\n")}
    return f"mailto:{quote(recipient or '', safe='@')}?{urlencode(parts, quote_via=quote)}"


async def _consents(work: Work, contact_id: UUID, channel: Channel) -> dict[str, str]:
    """By purpose; nobody asked is the same as no row."""
    rows = await work.connection.fetch(
        """
        select purpose::text, state::text from public.consents
        where contact_id = $1 and channel = $2::text::public.consent_channel
        """,
        contact_id,
        channel,
    )
    return {"servizio": "non_richiesto", "marketing": "non_richiesto"} | {row["purpose"]: row["state"] for row in rows}


async def _recent(work: Work, contact_id: UUID) -> int:
    """Messages to them in seven days, sent or drafted."""
    count: int = await work.connection.fetchval(
        """
        select (select count(*) from public.interactions where contact_id = $1 and direction = 'uscita'
            and kind in ('email', 'whatsapp') and at > $2)
          + (select count(*) from public.drafts where contact_id = $1 and deleted_at is null and created_at > $2)
        """,
        contact_id,
        work.now - RECENT,
    )
    return count


WRITES: tuple[Write[Any, Any], ...] = (DraftEmail(), DraftWhatsapp())
