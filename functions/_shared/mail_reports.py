"""Reports of mail servers about mails that a person sent: bounces (RFC 3464) and complaints (RFC 5965).

`read` is pure. Servers that follow no standard are understood by the code, the address and the Message-ID that they
quote. Only a Message-ID ties a report to a mail: an address alone could be anybody's word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_string
from email.message import EmailMessage, Message
from email.policy import default
from typing import Any, Literal
from uuid import UUID

from backend.edge import api

Kind = Literal["failed", "delayed", "delivered", "complaint"]

ACTIONS: dict[str, Kind] = {
    "failed": "failed",
    "delayed": "delayed",
    "delivered": "delivered",
    "relayed": "delivered",
    "expanded": "delivered",
}
# As public.mail_report_kind.
NAMES: dict[Kind, str] = {"failed": "rimbalzo", "delayed": "ritardo", "delivered": "consegna", "complaint": "reclamo"}
# What a feedback report may say; `not-spam` takes a complaint back.
COMPLAINTS = frozenset({"abuse", "fraud", "virus", "other", "opt-out", "opt-out-list"})
STATUS = re.compile(r"(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])")
MESSAGE_ID = re.compile(r"^message-id:\s*(<[^<>\s]+>)", re.IGNORECASE | re.MULTILINE)
ADDRESS = re.compile(r"<?([^\s<>;,:\"']+@[^\s<>;,:\"']+\.[^\s<>;,:\"']+?)>?(?=[\s<>;,:\"']|$)")
ROBOT = re.compile(r"(?:mailer-daemon|postmaster|mail-daemon|mdaemon)@", re.IGNORECASE)
# Longer reports are no reports.
MOST_TEXT = 100_000
MOST_RECIPIENTS = 100


@dataclass(frozen=True)
class Report:
    """What a server says about one mail and one recipient; `status` is a code of RFC 3463."""

    kind: Kind
    message_id: str | None = None
    recipient: str | None = None
    status: str | None = None
    diagnostic: str = ""
    # Of RFC 3464 or RFC 5965; others are a guess from words.
    is_standard: bool = field(default=False, compare=False)


def read(message: EmailMessage) -> list[Report]:
    """Read the reports in a mail; none for a mail that is no report."""
    parts = {part.get_content_type(): part for part in message.walk()}
    message_id = _original_id(parts)
    if "message/delivery-status" in parts:
        return list(_bounces(parts["message/delivery-status"], message_id))
    if "message/feedback-report" in parts:
        return list(_complaints(parts["message/feedback-report"], message_id))
    if ROBOT.search(str(message.get("From", ""))) or str(message.get("Return-Path", "")).strip() == "<>":
        return list(_guessed(message, message_id))
    return []


async def keep(
    context: api.Context, user_id: UUID, reports: Iterable[Report], sha256: str, at: datetime | None = None
) -> bool:
    """Record what servers say of mails of the outbox, once for each; false when none is about one of them."""
    known = [
        await context.call(
            "private.note_mail_report", user_id, report.message_id, NAMES[report.kind], report.recipient,
            report.status, report.diagnostic, sha256, at or context.now(),
        )
        for report in reports
        if report.message_id
    ]  # fmt: skip
    return any(known)


def _bounces(part: Message, message_id: str | None) -> Iterator[Report]:
    blocks = part.get_payload()
    if not isinstance(blocks, list):
        return
    # The first block is about the mail as a whole.
    for block in blocks[1 : MOST_RECIPIENTS + 1]:
        kind = ACTIONS.get(_field(block, "Action").lower())
        if kind is not None:
            diagnostic = _typed(_field(block, "Diagnostic-Code"))
            status = STATUS.search(_field(block, "Status")) or STATUS.search(diagnostic)
            recipient = _field(block, "Original-Recipient") or _field(block, "Final-Recipient")
            yield Report(
                kind, message_id, _address(_typed(recipient)), status and status[1], diagnostic, is_standard=True
            )


def _complaints(part: Message, message_id: str | None) -> Iterator[Report]:
    payload = part.get_payload()
    fields = payload[0] if isinstance(payload, list) and payload else message_from_string(str(payload), policy=default)
    kind = _field(fields, "Feedback-Type").lower()
    if kind in COMPLAINTS:
        yield Report(
            "complaint", message_id, _address(_field(fields, "Original-Rcpt-To")), None, kind, is_standard=True
        )


def _guessed(message: EmailMessage, message_id: str | None) -> Iterator[Report]:
    """Read a bounce of no standard: it names a code and, where it quotes the mail, its Message-ID."""
    text = _text(message.get_body(("plain", "html")))
    own, _, quoted = _split_at_copy(text)
    found = STATUS.search(own)
    if found is None:
        return
    quoted_id = MESSAGE_ID.search(quoted)
    kind: Kind = "failed" if found[1].startswith("5") else "delayed"
    addresses = [each for each in ADDRESS.findall(own) if not ROBOT.search(f"{each}@")]
    line = next(line.strip() for line in own.splitlines() if found[1] in line)
    yield Report(
        kind, message_id or (quoted_id and quoted_id[1]), _address(addresses[0] if addresses else ""), found[1], line
    )


def _split_at_copy(text: str) -> tuple[str, str, str]:
    """Divide a text where the copy of the mail begins: what a mail says about codes is nobody's report."""
    start = re.search(r"^(?:-+ .*|return-path:.*|received:.*)$", text, re.IGNORECASE | re.MULTILINE)
    return (text[: start.start()], start[0], text[start.end() :]) if start else (text, "", text)


def _original_id(parts: Mapping[str, Message]) -> str | None:
    """Return the Message-ID of the mail that a report has attached, whole or as headers."""
    whole = parts.get("message/rfc822")
    if whole is not None and isinstance(payload := whole.get_payload(), list) and payload:
        return _field(payload[0], "Message-ID") or None
    for kind in ("text/rfc822-headers", "message/rfc822-headers"):
        if kind in parts:
            found = MESSAGE_ID.search(_text(parts[kind]))
            return found[1] if found else None
    return None


def _text(part: Message | None) -> str:
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else str(part.get_payload()).encode()
    charset = part.get_content_charset() or "utf-8"
    try:
        return content[:MOST_TEXT].decode(charset, "replace")
    except LookupError:
        return content[:MOST_TEXT].decode("utf-8", "replace")


def _field(block: Any, name: str) -> str:
    """Return a header in one line; an empty one when there is none."""
    return " ".join(str(block.get(name, "")).split())


def _typed(value: str) -> str:
    """Return the value behind its type, as in `rfc822; anna@example.it`."""
    kind, separator, rest = value.partition(";")
    return rest.strip() if separator and kind.strip().isascii() and " " not in kind.strip() else value


def _address(text: str) -> str | None:
    found = ADDRESS.search(text)
    return found[1].rstrip(".").lower() if found else None
