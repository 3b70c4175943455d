"""Receive mails to people's addresses (`u+<token>@<domain>`), by our own SMTP listener or by a provider's webhook.

Also answers to mails of the shared sender (`r+<token>@…`) and what servers report about them (`b+<token>@…`).

`POST /functions/v1/inbound_mail`: what Postmark, or a provider of the same form, delivers.

    Authorization: Basic …              with SOCIO_INBOUND_SECRET as the password; or ?secret=… in the address
    {RawEmail, OriginalRecipient, MailboxHash}
        200                         kept; again is the same
        400 bad_json, validation_failed
        403 forbidden               another secret, or no webhook is set
        403 no_such_address         nobody's, or a former one; the provider does not try again
        413 request_entity_too_large
        422 raw_missing             the provider was not told to send the raw mail
        429 too_many_requests       more in an hour than an address takes

The listener (backend/edge/inbound.py) asks `accept` for each recipient and hands the mail to `receive`.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests, shared_sender
from functions._shared.received_mail import address, arriving, authenticity, mailbox

TIMEOUT_S = 120
# A mail of 25 MiB in JSON, with its attachments a second time in base64.
BODY_LIMIT_BYTES = 80 * 1024 * 1024
SECRET_SETTING = "SOCIO_INBOUND_SECRET"  # noqa: S105 - its name
MIN_SECRET_LENGTH = 16
MAX_BYTES = mailbox.MAX_BYTES
# What one address takes in an hour.
MOST_IN_AN_HOUR = 300
# Reports of servers about one mail: more are not kept.
MOST_REPORTS = 20


@dataclass(frozen=True)
class Recipient:
    """The meaning of an address of ours: a person, by the digest of a token, or one sent mail."""

    token_hash: bytes = b""
    kind: shared_sender.Kind | None = None
    mail_id: UUID | None = None


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 403, 405, 413, 422 and 429."""
    requests.only(request, "POST")
    if not is_allowed(request, context):
        raise api.Refused(403, "forbidden", "The secret does not fit")
    told = await asyncio.to_thread(_read, await request.body())
    to = await accept(recipient(told, context), context)
    raw = told.get("RawEmail")
    if not isinstance(raw, str) or not raw:
        raise api.Refused(
            422,
            "raw_missing",
            "Switch on «Include raw email content in JSON payload» of the inbound stream: RawEmail is missing",
        )
    content = raw.encode("utf-8", "replace")
    if len(content) > MAX_BYTES:
        await refuse_large(to, context)
        raise api.Refused(413, "request_entity_too_large", f"A mail is limited to {MAX_BYTES} bytes")
    await receive(to, None, content, context)
    return api.JSONResponse({})


def is_allowed(request: api.Request, context: api.Context) -> bool:
    """Compare the secret in constant time; false while none of the needed length is set."""
    expected = context.secret(SECRET_SETTING) if context.has_secret(SECRET_SETTING) else ""
    given = request.query_params.get("secret") or _password(request.headers.get("authorization", ""))
    is_same = hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))
    return is_same and len(expected) >= MIN_SECRET_LENGTH


def _password(header: str) -> str:
    scheme, _, encoded = header.partition(" ")
    try:
        decoded = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return decoded.partition(":")[2] if scheme.lower() == "basic" else ""


def _read(body: bytes) -> dict[str, Any]:
    """Parse what was delivered. Raises Refused 400."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise api.Refused(400, "bad_json", "The body is no JSON") from error
    if not isinstance(told, dict):
        raise api.Refused(400, "validation_failed", "The body is no JSON object")
    return told


def recipient(told: dict[str, Any], context: api.Context) -> str:
    """Return to which of our addresses a delivery is; providers that add the token to an address of theirs name it."""
    given, token = told.get("OriginalRecipient"), told.get("MailboxHash")
    if isinstance(given, str) and (
        address.token_of(given, address.domain(context) or "") or shared_sender.mail_of(context, given)
    ):
        return given
    if isinstance(token, str) and (of_a_mail := shared_sender.address_of_token(context, token)):
        return of_a_mail
    return address.written(token, address.domain(context) or "") if isinstance(token, str) else ""


async def accept(to: str, context: api.Context) -> Recipient:
    """Return what an address which takes mail now stands for.

    Raises Refused 403, the same for an unknown, a former and a frozen one, and 429.
    """
    if found := shared_sender.mail_of(context, to):
        sent = await _sent(found[1], context)
        if sent["is_full"]:
            raise api.Refused(429, "too_many_requests", "The address takes no more mail in this hour")
        return Recipient(kind=found[0], mail_id=found[1])
    domain = address.domain(context)
    token = address.token_of(to, domain) if domain else None
    if token is None:
        raise no_such_address()
    token_hash = address.digest(token)
    user_id = await _owner(token_hash, context)
    if await context.call("private.take_mail_turn", user_id, MOST_IN_AN_HOUR) is False:
        await context.call("private.note_mail_address", user_id, "too_many")
        raise api.Refused(429, "too_many_requests", "The address takes no more mail in this hour")
    return Recipient(token_hash)


async def receive(
    to: Recipient, sender: str | None, content: bytes, context: api.Context, peer: str | None = None
) -> None:
    """Keep a mail before it is confirmed to the server that brought it: `peer`, by SMTP.

    Raises Refused 403, Away and database errors.
    """
    envelope = authenticity.Envelope(sender, peer)
    if to.mail_id is not None:
        row = await _sent(to.mail_id, context)
        sent = arriving.Sent(to.mail_id, row["user_id"], row["message_id"])
        if to.kind == "r":
            await arriving.receive_answer(context, sent, envelope, content)
        elif row["reports"] < MOST_REPORTS:
            await arriving.receive_report(context, sent, sender, content)
        return
    await arriving.receive(context, await _owner(to.token_hash, context), envelope, content)


async def refuse_large(to: Recipient, context: api.Context) -> None:
    """Tell the owner that a mail was too large."""
    if to.mail_id is None:
        await context.call("private.note_mail_address", await _owner(to.token_hash, context), "too_large")


async def _sent(mail_id: UUID, context: api.Context) -> dict[str, Any]:
    """Return the sent mail with this id. Raises Refused 403."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.shared_mail($1)", mail_id)
    if row is None or not row["is_open"]:
        raise no_such_address()
    return dict(row)


async def _owner(token_hash: bytes, context: api.Context) -> UUID:
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.mail_address_owner($1)", token_hash)
    if row is None:
        raise no_such_address()
    user_id: UUID = row["user_id"]
    if not row["is_open"]:
        await context.call("private.note_mail_address", user_id, "frozen")
        raise no_such_address()
    return user_id


def no_such_address() -> api.Refused:
    """Make the refusal."""
    return api.Refused(403, "no_such_address", "No such address takes mail")
