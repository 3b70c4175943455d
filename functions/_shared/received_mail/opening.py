"""Open a raw mail: what it says, which mails of the outbox it is about, and of certified mail what is in its envelope.

Only in a certified mailbox are receipts and envelopes believed: its provider wraps whatever comes from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from functions._shared import mail_reports, pec
from functions._shared.received_mail import message

# The mailboxes of the exchange system (SdI).
EXCHANGE = re.compile(r"sdi[0-9]{1,4}@pec\.fatturapa\.it")
# As it was sent: long headers are not folded anew.
AS_SENT = message.POLICY.clone(refold_source="none")


@dataclass(frozen=True)
class Opened:
    """A mail, with the reports or the receipt that it is, or the envelope that it came in."""

    mail: message.Mail
    reports: Sequence[mail_reports.Report] = ()
    receipt: pec.Receipt | None = None
    certificate: dict[str, Any] | None = None
    envelope_id: str | None = None
    # Certified mail of the exchange system for invoices.
    is_exchange: bool = False


def opened(content: bytes, *, is_whole: bool, is_received: bool, is_certified: bool) -> Opened:
    """Open a message; never raises for what is in it."""
    mail = message.read(content, is_header_only=not is_whole)
    if not (mail.is_whole and is_received):
        return Opened(mail)
    if is_certified:
        found = _certified(content)
        if isinstance(found, pec.Receipt):
            about = (found.message_id,) if found.message_id else ()
            return Opened(replace(mail, kind="automatica", references=(*mail.references, *about)), receipt=found)
        if found is not None and (inside := _inside(found)) is not None:
            return _unwrapped(mail, found, inside)
    return Opened(mail, _reports(content) if mail.kind in ("rimbalzo", "automatica") else ())


def shown(content: bytes, *, is_certified: bool) -> message.Mail:
    """Read what a person sees of a kept mail: of an envelope the mail inside."""
    return opened(content, is_whole=True, is_received=is_certified, is_certified=is_certified).mail


def _unwrapped(envelope: message.Mail, found: pec.Envelope, inside: bytes) -> Opened:
    mail, told = message.read(inside), found.certificate
    stated = told.sender.lower() if found.is_certified and told and told.sender else ""
    is_exchange = EXCHANGE.fullmatch(stated) is not None
    certificate = {
        "is_certified": found.is_certified,
        "at": told.at.isoformat() if told and told.at else None,
        "provider": told.provider if told else None,
        "identifier": told.identifier if told else None,
    }
    return Opened(
        # What the mail inside says about its own authenticity was written by its sender.
        replace(
            mail,
            dmarc=None,
            sender=stated if message.ADDRESS.fullmatch(stated) else mail.sender,
            kind="automatica" if is_exchange else mail.kind,
        ),
        certificate=certificate,
        envelope_id=envelope.message_id,
        is_exchange=is_exchange,
    )


def _certified(content: bytes) -> pec.Receipt | pec.Envelope | None:
    parsed, is_whole = message.parse(content)
    with suppress(*message.MALFORMED):
        return pec.read(parsed) if is_whole else None
    return None


def _inside(found: pec.Envelope) -> bytes | None:
    with suppress(*message.MALFORMED):
        return found.original.as_bytes(policy=AS_SENT) if found.original is not None else None
    return None


def _reports(content: bytes) -> list[mail_reports.Report]:
    """Read what a server says about mails; nothing in a message that is made to be expensive or cannot be parsed."""
    parsed, is_whole = message.parse(content)
    with suppress(*message.MALFORMED):
        return mail_reports.read(parsed) if is_whole else []
    return []
