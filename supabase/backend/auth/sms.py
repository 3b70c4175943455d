"""The SMS port: an SMS is a row and a job in the caller's transaction; the worker hands it to a provider.

The provider is the one `[auth.sms]` enables (Twilio); without one the SMS becomes a mail in the development mailbox,
to <number>@sms.socio.example, where people and tests can read it. At most once, as with mails (core.mail): a refusal
puts the SMS back or ends it; when nobody can know whether it went out, it is `failed`, and its reader can ask for
another. One that could not be sent while its code lives is not sent at all. Codes never reach the log.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any, NoReturn
from uuid import UUID

import aiohttp
import aiosmtplib

from backend.auth import hooks
from backend.auth.errors import AuthError
from backend.auth.models import User
from backend.core import db, jobs
from backend.core.resources import Resources

logger = logging.getLogger("backend.sms")

SEND_JOB = "sms.send"
TWILIO_URL = "https://api.twilio.com"
TIMEOUT = aiohttp.ClientTimeout(total=15, connect=5)
MAILBOX_TIMEOUT_S = 10
MAILBOX_DOMAIN = "sms.socio.example"
# After this the code inside is worth nothing any more.
USELESS_AFTER = "10 minutes"


class TemporaryFailure(jobs.Away):
    """The provider cannot take the SMS now; the next attempt may succeed."""


class Refused(Exception):
    """The provider will never take this SMS, or nobody knows whether it did."""


@dataclass(frozen=True)
class Sms:
    """One SMS; `to` is E.164 without +, `purpose` says in a word why it is sent and may be logged."""

    to: str
    text: str = field(repr=False)
    purpose: str
    channel: str = "sms"


async def enqueue(
    connection: db.Connection,
    resources: Resources,
    to: str,
    text: str,
    purpose: str,
    *,
    user: User | None = None,
    code: str = "",
    channel: str = "sms",
) -> UUID:
    """Puts an SMS into the outbox, in the caller's transaction; `channel` is sms or whatsapp.

    With the hook send_sms the outbox keeps what the hook is told instead of the text: whose code it is.
    """
    if hooks.enabled(resources, hooks.SEND_SMS):
        told = {"otp": code, "sms_type": purpose, "phone": to.removeprefix("+")}
        text = json.dumps({"user": user.public() if user else None, "sms": told}, ensure_ascii=False)
    sms_id: UUID = await connection.fetchval(
        "insert into jobs.sms (recipient, channel, body, purpose) values ($1, $2, $3, $4) returning sms_id",
        to.removeprefix("+"),
        channel,
        text,
        purpose,
    )
    await jobs.enqueue(connection, SEND_JOB, {"sms_id": str(sms_id)})
    return sms_id


async def queued(connection: db.Connection) -> list[Sms]:
    """What waits in the outbox, oldest first."""
    rows = await connection.fetch("select * from jobs.sms where status = 'queued' order by created_at, sms_id")
    return [Sms(row["recipient"], row["body"], row["purpose"], row["channel"]) for row in rows]


async def send(resources: Resources, payload: dict[str, Any]) -> None:
    """The job: delivers one SMS. Raises TemporaryFailure, jobs.PermanentError."""
    sms_id = UUID(payload["sms_id"])
    async with db.connection(resources.pool) as connection:
        row = await connection.fetchrow(
            "select *, created_at < now() - $2::text::interval as useless from jobs.sms where sms_id = $1",
            sms_id,
            USELESS_AFTER,
        )
    if row is None or row["status"] in ("sent", "failed"):
        return
    if row["status"] == "sending":
        await _give_up(resources, sms_id, "interrupted while sending")
    if row["useless"]:
        await _give_up(resources, sms_id, f"not sent within {USELESS_AFTER}")
    if hooks.enabled(resources, hooks.SEND_SMS):
        await _by_hook(resources, sms_id, row["body"])
        return
    deliver = _by_twilio if resources.settings.auth.sms.twilio.enabled else _into_mailbox
    await _settle(resources, sms_id, "sending", None)
    try:
        await deliver(resources, Sms(row["recipient"], row["body"], row["purpose"], row["channel"]))
    except TemporaryFailure as failure:
        await _settle(resources, sms_id, "queued", str(failure))
        raise
    except Refused as refusal:
        await _give_up(resources, sms_id, str(refusal))
    await _settle(resources, sms_id, "sent", None)
    logger.info("sms sent", extra={"sms": str(sms_id), "purpose": row["purpose"]})


async def _by_hook(resources: Resources, sms_id: UUID, payload: str) -> None:
    """Raises TemporaryFailure; the id tells the hook that it is the same SMS."""
    try:
        await hooks.call(resources, hooks.SEND_SMS, json.loads(payload), message_id=str(sms_id))
    except AuthError as error:
        await _settle(resources, sms_id, "queued", str(error.code))
        raise TemporaryFailure(str(error.code)) from error
    await _settle(resources, sms_id, "sent", None)
    logger.info("sms handed to the hook", extra={"sms": str(sms_id)})


async def _by_twilio(resources: Resources, sms: Sms) -> None:
    """https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource"""
    twilio = resources.settings.auth.sms.twilio
    prefix = "whatsapp:" if sms.channel == "whatsapp" else ""
    sender = twilio.message_service_sid
    form = {"To": f"{prefix}+{sms.to}", "Body": sms.text}
    if sender.startswith("MG"):
        form["MessagingServiceSid"] = sender
    else:
        form["From"] = prefix + sender
    try:
        async with resources.http.post(
            f"{TWILIO_URL}/2010-04-01/Accounts/{twilio.account_sid}/Messages.json",
            data=form,
            headers={"Authorization": aiohttp.encode_basic_auth(twilio.account_sid, twilio.auth_token)},
            timeout=TIMEOUT,
            allow_redirects=False,
        ) as response:
            status, code = response.status, "" if response.ok else await _twilio_code(response)
    except (aiohttp.ClientConnectionError, aiohttp.ConnectionTimeoutError) as error:
        if isinstance(error, (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)):
            raise TemporaryFailure(type(error).__name__) from error
        raise Refused("the connection broke after the content had left") from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise Refused("no answer after the content had left") from error
    if status in (401, 403, 429) or status >= 500:  # keys and limits can be put right
        raise TemporaryFailure(f"refused with {status}{code}")
    if not 200 <= status < 300:
        raise Refused(f"refused with {status}{code}")


async def _twilio_code(response: aiohttp.ClientResponse) -> str:
    """Twilio's own number of the error; its text may quote the message."""
    try:
        found = (await response.json())["code"]
    except (aiohttp.ClientError, ValueError, KeyError, TypeError):
        return ""
    return f", Twilio error {found}" if isinstance(found, int) else ""


async def _into_mailbox(resources: Resources, sms: Sms) -> None:
    mailbox = resources.settings.local_smtp
    message = EmailMessage()
    message["From"] = mailbox.admin_email
    message["To"] = f"{sms.to}@{MAILBOX_DOMAIN}"
    message["Subject"] = f"SMS +{sms.to}"
    message.set_content(sms.text)
    try:
        await aiosmtplib.send(message, hostname="127.0.0.1", port=mailbox.smtp_port, timeout=MAILBOX_TIMEOUT_S)
    except (aiosmtplib.SMTPException, OSError) as error:
        raise TemporaryFailure(type(error).__name__) from error


async def _give_up(resources: Resources, sms_id: UUID, reason: str) -> NoReturn:
    await _settle(resources, sms_id, "failed", reason)
    raise jobs.PermanentError(f"sms {sms_id}: {reason}")


async def _settle(resources: Resources, sms_id: UUID, status: str, error: str | None) -> None:
    """Records where an SMS stands; its text is wiped when it is over."""
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            update jobs.sms
            set status = $2::jobs.mail_status,
                error = $3,
                updated_at = now(),
                body = case when $2 in ('sent', 'failed') then null else body end
            where sms_id = $1
            """,
            sms_id,
            status,
            error,
        )
