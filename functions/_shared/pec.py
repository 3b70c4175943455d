"""Certified mail (PEC, RFC 6109): envelopes, receipts with their legal time, and the proof of a mail as one ZIP.

Everything here is pure. A receipt is tied to its mail by `X-Riferimento-Message-ID`, else by the `msgid` of its
`daticert.xml`. A mail has one acceptance, and one delivery or failure for each recipient: the table mail_reports.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from typing import Literal, cast

from functions._shared.fatturapa import NotAnInvoice, xml

Kind = Literal[
    "accettazione", "non-accettazione", "presa-in-carico", "avvenuta-consegna", "errore-consegna",
    "preavviso-errore-consegna", "rilevazione-virus",
]  # fmt: skip
KINDS: frozenset[str] = frozenset(Kind.__args__)  # type: ignore[attr-defined]
REFUSALS = frozenset({"non-accettazione", "errore-consegna", "rilevazione-virus"})
# Aruba and Namirial announce with it what is final: no such domain or mailbox.
FINAL_NOTICE = re.compile(r"\b5\.[14]\.1\b")
STATUS = re.compile(r"(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])")
ZONE = re.compile(r"([+-]\d{2}):?(\d{2})")


@dataclass(frozen=True)
class Certificate:
    """What `daticert.xml` says; `recipient` is the one that a receipt is about."""

    kind: str
    error: str
    sender: str | None
    # Address and `certificato` or `esterno`.
    recipients: tuple[tuple[str, str], ...]
    subject: str | None
    provider: str | None
    at: datetime | None
    identifier: str | None
    message_id: str | None
    recipient: str | None
    error_text: str | None


@dataclass(frozen=True)
class Receipt:
    """A provider's word about a mail that was sent."""

    kind: Kind
    message_id: str | None
    certificate: Certificate | None
    # In a complete receipt of delivery, the mail as it was delivered.
    original: EmailMessage | None = None

    @property
    def is_failure(self) -> bool:
        """Whether the mail does not arrive any more."""
        told = self.certificate.error_text if self.certificate else None
        is_final = self.kind == "preavviso-errore-consegna" and FINAL_NOTICE.search(told or "") is not None
        return self.kind in REFUSALS or is_final

    @property
    def told(self) -> str:
        """What it says went wrong."""
        told = self.certificate
        return (told and (told.error_text or (told.error if told.error != "nessuno" else ""))) or ""

    @property
    def status(self) -> str | None:
        """The code of a failure (RFC 3463), where it names one."""
        found = STATUS.search(self.told) if self.is_failure else None
        return found[1] if found else None

    @property
    def is_external(self) -> bool:
        """Whether all recipients have ordinary mailboxes, which give no receipt of delivery."""
        kinds = {kind for _, kind in self.certificate.recipients} if self.certificate else set()
        return self.kind == "accettazione" and kinds == {"esterno"}


@dataclass(frozen=True)
class Envelope:
    """A received mail in its envelope; without legal value if it came from an ordinary mailbox."""

    is_certified: bool
    certificate: Certificate | None
    original: EmailMessage | None


def read(message: EmailMessage) -> Receipt | Envelope | None:
    """Read a receipt or an envelope; None for any other mail."""
    certificate = _certificate(message)
    kind = _header(message, "X-Ricevuta").lower()
    if kind in KINDS:
        message_id = _header(message, "X-Riferimento-Message-ID") or (certificate and certificate.message_id)
        return Receipt(cast("Kind", kind), message_id or None, certificate, _original(message))
    transport = _header(message, "X-Trasporto").lower()
    if transport in ("posta-certificata", "errore"):
        return Envelope(transport == "posta-certificata", certificate, _original(message))
    return None


def proof(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Pack a sent mail and its receipts, byte by byte, with their SHA-256; the same input gives the same ZIP."""
    files = [(f"{place:02}-{name}.eml", content) for place, (name, content) in enumerate(files, 1)]
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files)
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [*files, ("SHA256SUMS", sums.encode())]:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return output.getvalue()


def _header(message: EmailMessage, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())


def _part(message: EmailMessage, name: str) -> EmailMessage | None:
    for part in message.walk():
        if (part.get_filename() or "").lower() == name:
            return part
    return None


def _original(message: EmailMessage) -> EmailMessage | None:
    part = _part(message, "postacert.eml")
    payload = part.get_payload() if part else None
    return cast("EmailMessage", payload[0]) if isinstance(payload, list) and payload else None


def _certificate(message: EmailMessage) -> Certificate | None:
    part = _part(message, "daticert.xml")
    content = part.get_payload(decode=True) if part else None
    if not isinstance(content, bytes):
        return None
    try:
        element = xml.parsed(content)
    except NotAnInvoice:
        return None
    root = xml.Node(element, [])
    data = element.find("dati/data")
    return Certificate(
        kind=element.get("tipo", ""),
        error=element.get("errore", ""),
        sender=root.text("intestazione/mittente"),
        recipients=tuple(
            ((each.text or "").strip(), each.get("tipo", "")) for each in element.iterfind("intestazione/destinatari")
        ),
        subject=root.text("intestazione/oggetto"),
        provider=root.text("dati/gestore-emittente"),
        at=_moment("" if data is None else data.get("zona", ""), root),
        identifier=root.text("dati/identificativo"),
        message_id=root.text("dati/msgid"),
        recipient=root.text("dati/consegna"),
        error_text=root.text("dati/errore-esteso"),
    )


def _moment(zone_text: str, root: xml.Node) -> datetime | None:
    """Read the legal time: `zona="+0200"`, `giorno` 25/03/2024, `ora` 10:15:32."""
    zone = ZONE.fullmatch(zone_text)
    day, hour = root.text("dati/data/giorno"), root.text("dati/data/ora")
    if not (zone and day and hour):
        return None
    try:
        return datetime.strptime(f"{day} {hour} {zone[1]}{zone[2]}", "%d/%m/%Y %H:%M:%S %z")
    except ValueError:
        return None
