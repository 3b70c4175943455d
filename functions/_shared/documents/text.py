"""Files that are text: TXT, DOCX, mails, invoices, and the values of other XML, as pages. In the sandbox only."""

from __future__ import annotations

import email
import email.policy
import io
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from email.message import EmailMessage
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException, ElementTree

from functions._shared import fatturapa
from functions._shared.documents import limits, words
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.formats import Format
from functions._shared.documents.words import Page
from functions._shared.fatturapa import paper

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# Longer values of an XML are files, not words.
MAX_VALUE = 2_000
# Of invoices, which take a second for 3,000 lines.
MAX_LINES = 5_000
SILENT = frozenset({"script", "style", "head", "title"})
BLOCKS = frozenset({"p", "br", "div", "tr", "li", "h1", "h2", "h3", "h4", "table", "ul", "ol", "blockquote"})
HEADERS = {"From": "Da", "To": "A", "Cc": "Cc", "Date": "Data", "Subject": "Oggetto"}


def pages(content: bytes, kind: Format) -> list[Page]:
    """Everything the file says. Raises Unreadable."""
    match kind:
        case Format.DOCX:
            text = docx(content)
        case Format.EML:
            text = mail(content)
        case Format.XML:
            text = xml(content)
        case _:
            text = decoded(content)
    found = words.laid_out(text)
    if len(found) > limits.MAX_PAGES:
        raise Unreadable(Code.TOO_MANY_PAGES)
    return found


def decoded(content: bytes) -> str:
    """Text in the encoding it seems to have: by its mark, UTF-8, else what Windows writes in Italy."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def parsed(content: bytes) -> Element:
    """An XML without anything it could refer to or blow up. Raises Unreadable."""
    try:
        found: Element = ElementTree.fromstring(content, forbid_dtd=True)
    except DefusedXmlException as error:
        raise Unreadable(
            Code.BOMB, "Il file XML contiene istruzioni che non vengono eseguite per sicurezza."
        ) from error
    except (ParseError, ValueError, LookupError, RecursionError) as error:
        raise Unreadable(Code.TRUNCATED) from error
    return found


def xml(content: bytes) -> str:
    """Return an electronic invoice as on paper, a sheet for each; of another XML the values, an element in a line."""
    root = parsed(content)
    with suppress(fatturapa.NotAnInvoice):
        invoices = fatturapa.read(content)
        if sum(len(invoice.lines) for invoice in invoices) <= MAX_LINES:
            return "\f".join(map(paper.plain, invoices))
    return "\n".join(filter(None, (" ".join(_values(element)) for element in root.iter())))


def _values(element: Element) -> Iterator[str]:
    for child in element:
        value = (child.text or "").strip()
        if value and len(child) == 0 and len(value) <= MAX_VALUE:
            yield " ".join(value.split())


def docx(content: bytes) -> str:
    """Paragraphs as lines, the cells of a table's row in one. Raises Unreadable."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            part = archive.getinfo("word/document.xml")
            if part.file_size > limits.MAX_UNPACKED_BYTES or part.file_size > limits.MAX_RATIO * len(content):
                raise Unreadable(Code.BOMB)
            if part.flag_bits & 1:
                raise Unreadable(Code.ENCRYPTED)
            body = parsed(archive.read(part))
    except (zipfile.BadZipFile, KeyError, OSError, EOFError, NotImplementedError, ValueError) as error:
        raise Unreadable(Code.TRUNCATED) from error
    return "".join(_written(body))


def _written(element: Element) -> Iterator[str]:
    match element.tag.removeprefix(W):
        case "t":
            yield element.text or ""
        case "tab":
            yield "\t"
        case "br":
            yield "\f" if element.get(f"{W}type") == "page" else "\n"
        case "tr":
            cells = ("".join(_written(cell)).strip().replace("\n", " ") for cell in element.iter(f"{W}tc"))
            yield "\t".join(cells) + "\n"
        case tag:
            for child in element:
                yield from _written(child)
            if tag == "p":
                yield "\n"


def message(content: bytes) -> EmailMessage:
    """A mail."""
    found = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(found, EmailMessage)
    return found


def mail(content: bytes) -> str:
    """Who wrote what to whom."""
    found = message(content)
    head = [f"{label}: {found[name]}" for name, label in HEADERS.items() if found[name]]
    body = found.get_body(("plain", "html"))
    if body is None:
        return "\n".join(head)
    try:
        written = body.get_content()
    except (LookupError, ValueError):
        written = decoded(body.get_payload(decode=True) or b"")  # type: ignore[arg-type]
    if body.get_content_subtype() == "html":
        written = plain(str(written))
    return "\n".join([*head, "", str(written)])


def plain(html: str) -> str:
    """What a page of HTML says."""
    reader = _Plain()
    reader.feed(html)
    reader.close()
    return "".join(reader.parts)


class _Plain(HTMLParser):
    """Collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._silent += tag in SILENT
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in SILENT and self._silent > 0

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(" ".join(data.split()) + " " if data.strip() else "")
