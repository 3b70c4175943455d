"""The mail outbox: a mail is a row and a job in the caller's transaction; the worker hands it to the mail server.

At most once: the row turns to `sending` before the content leaves. A refusal before or by the server (no connection,
4xx) puts it back for another try, a 5xx makes it `failed`; when the connection or the worker dies after the content
left and before the server's answer, nobody can know, and the mail is `failed` rather than sent twice: its reader can
ask for another. The Message-ID is made with the row and stays. Neither content nor links ever reach the log.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP as WIRE
from email.utils import format_datetime, make_msgid
from html import escape
from typing import Any, NoReturn
from uuid import UUID

import aiosmtplib

from backend.core import db, jobs
from backend.core.config import Settings
from backend.core.hosts import is_loopback
from backend.core.resources import Resources

logger = logging.getLogger("backend.mail")

SEND_JOB = "mail.send"
# Servers that look into a mail take their time (RFC 5321 4.5.3.2: minutes for a command, ten for the content).
COMMAND_TIMEOUT_S = 60
CONTENT_TIMEOUT_S = 600
# For all of it, with some commands that are slow.
SEND_TIMEOUT_S = 900


class TemporaryFailure(jobs.Away):
    """The mail server cannot take the mail now; the next attempt may succeed."""


@dataclass(frozen=True)
class Message:
    """One mail; `purpose` says in a word why it is sent (confirmation, recovery …) and may be logged."""

    to: str
    subject: str
    html: str
    text: str
    purpose: str


def render(template: str, variables: Mapping[str, Any]) -> str:
    """Fill a template in Go's notation, of which GoTrue's templates need `{{ .Name }}` and `{{ .Data.name }}`.

    Values are escaped; a name that is not given is empty, as an absent key of the user's metadata may be.
    """
    return _PLACE.sub(lambda place: escape(_value(variables, place[1])), template)


def render_subject(template: str, variables: Mapping[str, Any]) -> str:
    """Fill the template of a subject, which is not HTML and must stay on one line."""
    return " ".join(_PLACE.sub(lambda place: _value(variables, place[1]), template).split())


def check(template: str, names: Collection[str]) -> None:
    """Whether every place of a template can be filled. Raises ValueError naming the one that cannot."""
    for place in re.findall(r"\{\{.*?\}\}|\{\{", template, re.DOTALL):
        found = _PLACE.fullmatch(place)
        if found is None:
            raise ValueError(f"{' '.join(place.split())} is not understood: only {{{{ .Name }}}} is")
        if found[1].split(".")[0] not in names:
            raise ValueError(f"{place} is not known: there are {', '.join(sorted(names))}")


_PLACE = re.compile(r"\{\{-?\s*\.([\w.]+)\s*-?\}\}")


def _value(variables: Mapping[str, Any], path: str) -> str:
    value: Any = variables
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return "" if value is None else str(value)


async def enqueue(connection: db.Connection, message: Message, job: str = SEND_JOB) -> UUID:
    """Put a mail into the outbox in the caller's transaction; `job` sends it."""
    mail_id: UUID = await connection.fetchval(
        """
        insert into jobs.mails (recipient, subject, html, plain, purpose, message_id)
        values ($1, $2, $3, $4, $5, $6)
        returning mail_id
        """,
        message.to,
        message.subject,
        message.html,
        message.text,
        message.purpose,
        make_msgid(domain="socio.invalid"),
    )
    await jobs.enqueue(connection, job, {"mail_id": str(mail_id)})
    return mail_id


async def queued(connection: db.Connection) -> list[Message]:
    """List the waiting mails of the outbox, oldest first."""
    rows = await connection.fetch("select * from jobs.mails where status = 'queued' order by created_at, mail_id")
    return [Message(row["recipient"], row["subject"], row["html"], row["plain"], row["purpose"]) for row in rows]


async def waiting(resources: Resources, mail_id: UUID) -> Message | None:
    """Return a waiting mail; None for one that was sent or given up."""
    async with db.connection(resources.pool) as connection:
        row = await connection.fetchrow("select * from jobs.mails where mail_id = $1 and status = 'queued'", mail_id)
    return Message(row["recipient"], row["subject"], row["html"], row["plain"], row["purpose"]) if row else None


async def send(resources: Resources, payload: dict[str, Any]) -> None:
    """Run the job: deliver one mail. Raises TemporaryFailure, jobs.PermanentError."""
    mail_id = UUID(payload["mail_id"])
    async with db.connection(resources.pool) as connection:
        row = await connection.fetchrow("select * from jobs.mails where mail_id = $1", mail_id)
    if row is None or row["status"] in ("sent", "failed"):
        return
    if row["status"] == "sending":
        await _give_up(resources, mail_id, "interrupted after the content had left")
    try:
        await _deliver(resources, mail_id, row["recipient"], compose(resources.settings, dict(row)))
    except aiosmtplib.SMTPResponseException as error:
        if error.code >= 500 and not isinstance(error, aiosmtplib.SMTPAuthenticationError):
            await _give_up(resources, mail_id, f"refused with {error.code}")
        await _put_back(resources, mail_id, f"refused with {error.code}", error)
    except (aiosmtplib.SMTPException, OSError) as error:
        await _put_back(resources, mail_id, type(error).__name__, error)
    except ValueError as error:  # an address that no mail server would take
        await _give_up(resources, mail_id, type(error).__name__)
    await settle(resources, mail_id, "sent", None)
    logger.info("mail sent", extra={"mail": str(mail_id), "purpose": row["purpose"]})


def compose(settings: Settings, row: Mapping[str, Any]) -> EmailMessage:
    """Compose the mail for SMTP. Raises ValueError for an address or subject with a line break."""
    message = EmailMessage()
    message["From"] = Address(settings.smtp.sender_name, addr_spec=settings.smtp.admin_email)
    message["To"] = row["recipient"]
    message["Subject"] = row["subject"]
    message["Date"] = format_datetime(row["created_at"])
    message["Message-ID"] = row["message_id"]
    # RFC 3834: no out-of-office answers, please.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(row["plain"])
    message.add_alternative(row["html"], subtype="html")
    return message


def client(settings: Settings) -> aiosmtplib.SMTP:
    """Make a client of the mail server in force; it is not connected yet."""
    smtp = settings.smtp
    return aiosmtplib.SMTP(
        hostname=smtp.host,
        port=smtp.port,
        username=smtp.user or None,
        password=smtp.password or None,
        use_tls=(implicit_tls := smtp.port == 465),
        # Neither password nor links cross a network in clear: whoever sits in between could take the offer away.
        start_tls=None if implicit_tls or is_loopback(smtp.host) else True,
        timeout=COMMAND_TIMEOUT_S,
    )


async def _deliver(resources: Resources, mail_id: UUID, recipient: str, message: EmailMessage) -> None:
    """Speak SMTP (RFC 5321) step by step, to know whether an error came before or after the content was sent."""
    async with (connected := client(resources.settings)):
        await connected.mail(resources.settings.smtp.admin_email)
        await connected.rcpt(recipient)
        await settle(resources, mail_id, "sending", None)
        try:
            await connected.data(message.as_bytes(policy=WIRE), timeout=CONTENT_TIMEOUT_S)
        except (aiosmtplib.SMTPServerDisconnected, aiosmtplib.SMTPTimeoutError, OSError):
            await _give_up(resources, mail_id, "the connection broke after the content had left")


async def _put_back(resources: Resources, mail_id: UUID, reason: str, error: Exception) -> NoReturn:
    await settle(resources, mail_id, "queued", reason)
    raise TemporaryFailure(reason) from error


async def _give_up(resources: Resources, mail_id: UUID, reason: str) -> NoReturn:
    await settle(resources, mail_id, "failed", reason)
    raise jobs.PermanentError(f"mail {mail_id}: {reason}")


async def settle(resources: Resources, mail_id: UUID, status: str, error: str | None) -> None:
    """Record the status of a mail; delete its content when it is sent or has failed."""
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            update jobs.mails
            set status = $2::jobs.mail_status,
                error = $3,
                updated_at = now(),
                html = case when $2 in ('sent', 'failed') then null else html end,
                plain = case when $2 in ('sent', 'failed') then null else plain end
            where mail_id = $1
            """,
            mail_id,
            status,
            error,
        )
