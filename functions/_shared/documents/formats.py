"""What a file is by its content; its name only says what it promised to be."""

from __future__ import annotations

import io
import re
import zipfile
from enum import StrEnum
from pathlib import PurePosixPath

from functions._shared.documents.errors import Code, Unreadable


class Format(StrEnum):
    """How a file is read."""

    PDF = "pdf"
    PICTURE = "picture"
    XML = "xml"
    P7M = "p7m"
    ZIP = "zip"
    EML = "eml"
    DOCX = "docx"
    TXT = "txt"


HEAD_BYTES = 64 * 1024
# Readers may skip so much before a PDF begins (ISO 32000, annex H).
PDF_WITHIN = 1024
PICTURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"II+\0", "image/tiff"),
    (b"MM\0+", "image/tiff"),
)
HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
MIME_TYPES = {
    Format.PDF: "application/pdf",
    Format.XML: "application/xml",
    Format.P7M: "application/pkcs7-mime",
    Format.ZIP: "application/zip",
    Format.EML: "message/rfc822",
    Format.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    Format.TXT: "text/plain",
}
# Names that promise something we read.
PROMISES = frozenset(
    ".pdf .jpg .jpeg .png .webp .gif .tif .tiff .heic .heif .xml .p7m .zip .eml .docx .txt".split()  # noqa: SIM905
)
MAIL_HEADER = re.compile(rb"(?im)^(?:from|to|received|return-path|mime-version|message-id|subject|date): ")
# So many of them before the first empty line.
MAIL_HEADERS = 3
SIGNED_DATA = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
BASE64 = re.compile(rb"\A(?:-----BEGIN [A-Z0-9 ]+-----)?[A-Za-z0-9+/=\s]{200,}")
# Programs, pages and other documents that a text file must not be taken for.
FOREIGN = (
    b"<!doctype html",
    b"<html",
    b"<svg",
    b"mz\x90",
    b"\x7felf",
    b"#!",
    b"{\\rtf",
    b"\xd0\xcf\x11\xe0",
    b"rar!",
    b"7z\xbc\xaf",
)


def of(content: bytes, filename: str) -> tuple[Format, str]:
    """The format and the MIME type. Raises Unreadable for what is none of ours."""
    if not content:
        raise Unreadable(Code.EMPTY)
    head = content[:HEAD_BYTES]
    found = _by_magic(head) or _by_structure(content, head, filename)
    if found is not None:
        return found
    if not head.strip(b"\0"):
        raise Unreadable(Code.TRUNCATED)
    promised = PurePosixPath(filename.lower()).suffix in PROMISES
    raise Unreadable(Code.MISLABELLED if promised else Code.UNSUPPORTED)


def _by_magic(head: bytes) -> tuple[Format, str] | None:
    for magic, mime in PICTURES:
        if head.startswith(magic):
            return Format.PICTURE, mime
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Format.PICTURE, "image/webp"
    if head[4:8] == b"ftyp" and (head[8:12] in HEIF_BRANDS):
        return Format.PICTURE, "image/heic"
    return None


def _by_structure(content: bytes, head: bytes, filename: str) -> tuple[Format, str] | None:
    lower = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    kind: Format | None = None
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        kind = _packed(content)
    elif lower.startswith(FOREIGN):
        return None
    elif lower.startswith((b"<?xml", b"<")) or head.startswith((b"\xff\xfe<", b"\xfe\xff\0<")):
        kind = Format.XML
    elif _is_signed(head, filename):
        kind = Format.P7M
    elif b"%PDF-" in head[:PDF_WITHIN]:
        kind = Format.PDF
    elif len(MAIL_HEADER.findall(re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0])) >= MAIL_HEADERS:
        kind = Format.EML
    elif _is_text(head):
        kind = Format.TXT
    return None if kind is None else (kind, MIME_TYPES[kind])


def _packed(content: bytes) -> Format:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return Format.DOCX if "word/document.xml" in archive.NameToInfo else Format.ZIP
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(Code.TRUNCATED) from error


def _is_signed(head: bytes, filename: str) -> bool:
    """PKCS#7 in DER, in PEM, or in base64 as some programs send it."""
    if SIGNED_DATA in head[:64]:
        return True
    return filename.lower().endswith(".p7m") and (head[:1] == b"\x30" or BASE64.match(head) is not None)


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    control = sum(byte < 32 and byte not in (9, 10, 12, 13, 27) for byte in head)
    return control == 0
