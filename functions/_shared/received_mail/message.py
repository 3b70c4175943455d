"""Read a raw mail (RFC 5322) that a stranger wrote: headers, text, HTML, pictures and attachments.

Nothing in it is trusted: sizes, parts and headers are bounded, every text is cleaned of what Postgres or a browser
would stumble over, and a message that cannot be parsed keeps at least its headers.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import AddressHeader
from email.message import EmailMessage, MIMEPart
from email.policy import EmailPolicy
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any

from functions._shared import plain_text
from functions._shared.documents import names
from functions._shared.documents import text as documents_text
from functions._shared.received_mail import body, invitation, origin

MAX_BYTES = 30 * 1024 * 1024
# Parsing takes the time of lines × boundaries, and each part an object.
MAX_BOUNDARIES = 100
MAX_PARTS = 2_000
# A header of megabytes takes the parser of the standard library minutes.
MAX_HEADER = 8_000
# As public.single_line.
MAX_LINE = 200
MAX_TEXT = 100_000
MAX_HTML = 2_000_000
MAX_ATTACHMENTS = 100
MAX_ADDRESSES = 100
MAX_REFERENCES = 50
MESSAGE_ID = re.compile(r"<[^<>\s]{1,250}>")
ADDRESS = re.compile(r"[!-?A-~]{1,64}@[!-?A-~]{1,190}")
# What the standard library raises for malformed mails.
MALFORMED = (
    ValueError, LookupError, TypeError, AttributeError, RecursionError, AssertionError, OverflowError, MessageError,
)  # fmt: skip
# In these an ASCII byte is not a letter, or not always.
STATEFUL = ("utf-16", "utf16", "utf-32", "utf32", "utf-7", "utf7", "iso-2022", "hz")
EARLIEST, LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class File:
    """An attachment, or a picture that the HTML shows by its `content_id`."""

    name: str
    mime: str
    content: bytes = field(repr=False)
    content_id: str | None = None


@dataclass(frozen=True)
class Mail:
    """What a message says; `text` without the quoted history, which is in `quoted`."""

    message_id: str | None
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    subject: str
    sender: str | None
    sender_name: str | None
    reply_to: str | None
    recipients: tuple[str, ...]
    sent_at: datetime | None
    text: str
    quoted: str
    html: str | None
    files: tuple[File, ...]
    kind: origin.Kind
    dmarc: origin.Verdict | None
    is_whole: bool
    invitation: invitation.Invitation | None = None


class _Bounded(EmailPolicy):
    """The default policy with headers cut to a length that is parsed at once."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, Any]:
        """Cut the value of a header."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[:MAX_HEADER]


POLICY = _Bounded()


def read(content: bytes, *, is_header_only: bool = False) -> Mail:
    """Read a message; never raises for what is in it."""
    parsed, is_whole = parse(content[:MAX_BYTES])
    is_whole = is_whole and not is_header_only and len(content) <= MAX_BYTES
    text, html = _bodies(parsed)
    written, quoted = body.split_quoted(text)
    senders = _addresses(parsed, "from")
    return Mail(
        message_id=next(iter(_ids(parsed, "message-id")), None),
        in_reply_to=tuple(_ids(parsed, "in-reply-to")[-MAX_REFERENCES:]),
        references=_references(parsed),
        subject=plain_text.line(_header(parsed, "subject"))[:MAX_LINE].strip(),
        sender=senders[0][1] if senders else None,
        sender_name=(senders[0][0][:MAX_LINE] or None) if senders else None,
        reply_to=next((address for _, address in _addresses(parsed, "reply-to")), None),
        recipients=tuple(
            dict.fromkeys(address for name in ("to", "cc", "bcc") for _, address in _addresses(parsed, name))
        )[:MAX_ADDRESSES],
        sent_at=_date(parsed),
        text=written,
        quoted=quoted,
        html=html,
        files=tuple(_files(parsed)),
        kind=origin.kind_of(parsed, senders[0][1] if senders else None),
        dmarc=origin.dmarc_of(parsed),
        is_whole=is_whole,
        invitation=_invitation(parsed),
    )


def parse(content: bytes) -> tuple[EmailMessage, bool]:
    """Parse all of it, or its headers only when it is made to be expensive."""
    is_sane = content.lower().count(b"boundary=") <= MAX_BOUNDARIES and content.count(b"\n--") <= MAX_PARTS
    if is_sane:
        with suppress(*MALFORMED):
            parsed = email.message_from_bytes(content, policy=POLICY)
            assert isinstance(parsed, EmailMessage)
            return parsed, True
    head = re.split(rb"\r?\n\r?\n", content[: 64 * MAX_HEADER], maxsplit=1)[0]
    # Without its type it is one part of text, which is empty.
    kept = re.sub(rb"(?im)^content-[^\n]*(?:\n[ \t][^\n]*)*\n?", b"", head)
    parsed = email.message_from_bytes(kept + b"\r\n\r\n", policy=POLICY)
    assert isinstance(parsed, EmailMessage)
    return parsed, False


def _header(parsed: EmailMessage, name: str) -> str:
    """Return a decoded header, empty when there is none; as it was sent when it cannot be decoded."""
    try:
        return str(parsed[name] or "")
    except MALFORMED:
        return next((str(value) for key, value in parsed.raw_items() if key.lower() == name), "")


def _ids(parsed: EmailMessage, name: str) -> list[str]:
    return list(dict.fromkeys(MESSAGE_ID.findall(plain_text.clean(re.sub(r"\n[ \t]+", " ", _header(parsed, name))))))


def _references(parsed: EmailMessage) -> tuple[str, ...]:
    """Return the ancestors; of a long line the first, by which a conversation is known, and the last."""
    found = _ids(parsed, "references")
    return tuple(found if len(found) <= MAX_REFERENCES else [found[0], *found[1 - MAX_REFERENCES :]])


def _addresses(parsed: EmailMessage, name: str) -> list[tuple[str, str]]:
    """Return the (name, address) pairs of a header, addresses in lower case; others than addresses are left out."""
    found: list[tuple[str, str]] = []
    try:
        header = parsed[name]
        if isinstance(header, AddressHeader):
            found = [(each.display_name, each.addr_spec) for each in header.addresses]
    except MALFORMED:
        with suppress(*MALFORMED):
            found = getaddresses([_header(parsed, name)])
    pairs = [(plain_text.line(words), plain_text.line(address).lower()) for words, address in found[:MAX_ADDRESSES]]
    return [(words, address) for words, address in pairs if ADDRESS.fullmatch(address)]


def _date(parsed: EmailMessage) -> datetime | None:
    try:
        moment = parsedate_to_datetime(_header(parsed, "date"))
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return aware.astimezone(UTC) if EARLIEST < aware < LATEST else None
    except MALFORMED:
        return None


def _bodies(parsed: EmailMessage) -> tuple[str, str | None]:
    """Return the text, made of the HTML where there is no other, and the HTML."""
    plain, html = _body(parsed, "plain"), _body(parsed, "html")
    if html is not None:
        html = html[:MAX_HTML]
    text = plain or ""
    if not text.strip() and html:
        text = body.plain(html)
    return plain_text.clean(text).strip()[:MAX_TEXT], html


def _body(parsed: EmailMessage, subtype: str) -> str | None:
    try:
        part = parsed.get_body((subtype,))
        return None if part is None else _decoded(part)
    except MALFORMED:
        return None


def _decoded(part: MIMEPart) -> str:
    """Decode by what the bytes are: many programs name another charset than they use."""
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    charset = str(part.get_param("charset") or "").strip("\"' ").lower()
    if charset.startswith(STATEFUL):
        return content.decode(charset, "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        with suppress(LookupError, UnicodeDecodeError):
            if charset and charset not in ("utf-8", "us-ascii", "iso-8859-1", "latin1"):
                return content.decode(charset)
        return documents_text.decoded(content)


def _invitation(parsed: EmailMessage) -> invitation.Invitation | None:
    with suppress(*MALFORMED):
        for part in _leaves(parsed):
            if part.get_content_type() == "text/calendar":
                return invitation.read(_decoded(part)[:MAX_TEXT])
    return None


def _files(parsed: EmailMessage) -> Iterator[File]:
    """Go through the parts that are neither the text nor the HTML."""
    with suppress(*MALFORMED):
        bodies = [parsed.get_body((subtype,)) for subtype in ("plain", "html")]
        count = 0
        for part in _leaves(parsed):
            if any(part is each for each in bodies):
                continue
            found = _file(part)
            if found is not None:
                yield found
                count += 1
            if count == MAX_ATTACHMENTS:
                return


def _leaves(part: EmailMessage) -> Iterator[EmailMessage]:
    """Go through all parts, a message inside as one."""
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        for inner in part.iter_parts():
            if isinstance(inner, EmailMessage):
                yield from _leaves(inner)
    else:
        yield part


def _file(part: EmailMessage) -> File | None:
    mime = part.get_content_type().lower()
    inside = part.get_payload(0) if mime == "message/rfc822" and part.is_multipart() else None
    content = inside.as_bytes() if isinstance(inside, EmailMessage) else part.get_payload(decode=True)
    content_id = next(iter(_ids(part, "content-id")), None)
    given = part.get_filename()
    is_text = mime.startswith("text/") and part.get_content_disposition() != "attachment" and not given
    if not isinstance(content, bytes) or not content or is_text:
        return None
    name = given or ("messaggio.eml" if mime == "message/rfc822" else f"allegato.{mime.rpartition('/')[2]}")
    # A path is no name.
    return File(
        names.tidy(re.split(r"[/\\]", plain_text.line(name))[-1]), mime[:100], content, content_id and content_id[1:-1]
    )
