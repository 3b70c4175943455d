"""What is packed in other files: entries of a ZIP, attachments of a mail or an invoice, the content of a signed
envelope.

Each is written into a folder under a number; names are only told. In the sandbox only.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path, PurePosixPath, PureWindowsPath

from functions._shared.documents import formats, limits, text
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.formats import Format
from functions._shared.fatturapa import NotAnInvoice, envelope
from functions._shared.fatturapa import read as invoices

# What mail programs and archivers add of their own accord.
OURS_NOT = frozenset({"smime.p7s", "daticert.xml", "winmail.dat", ".ds_store", "thumbs.db", "desktop.ini"})
MAX_NAME = 200
PIECE_BYTES = 64 * 1024


def unpacked(content: bytes, kind: Format, filename: str, into: Path) -> list[dict[str, str | None]]:
    """Writes each file into the folder; answers [{name, file, mime}], without MIME type for what is none of ours.

    Raises Unreadable.
    """
    match kind:
        case Format.ZIP:
            entries = _archived(content)
        case Format.EML:
            entries = _attached(text.message(content))
        case Format.P7M:
            entries = _enveloped(content, filename)
        case Format.XML:
            entries = _of_invoices(content)
        case _:
            return []
    written: list[dict[str, str | None]] = []
    total = 0
    for name, pieces in entries:
        if len(written) == limits.MAX_ENTRIES:
            raise Unreadable(Code.BOMB)
        file = into / str(len(written))
        with file.open("wb") as output:
            for piece in pieces:
                total += len(piece)
                if total > limits.MAX_UNPACKED_BYTES:
                    raise Unreadable(Code.BOMB)
                output.write(piece)
        plain = _plain_name(name)
        written.append({"name": plain, "file": file.name, "mime": _mime(file, plain)})
    return written


def _mime(file: Path, name: str) -> str | None:
    try:
        return formats.of(file.read_bytes(), name)[1]
    except Unreadable:
        return None


def _plain_name(name: str) -> str:
    """The last part of a path, in one line."""
    last = PureWindowsPath(PurePosixPath(name).name).name
    clean = "".join(char if char.isprintable() else " " for char in last).strip(". ")
    return clean[-MAX_NAME:] or "Allegato"


Entries = Iterator[tuple[str, Iterator[bytes]]]


def _archived(content: bytes) -> Entries:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if _is_wanted(entry)]
            _check(entries)
            for entry in entries:
                yield _entry_name(entry), _pieces(archive, entry)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, ValueError) as error:
        raise Unreadable(Code.TRUNCATED) from error


def _is_wanted(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename.lower())
    return not entry.is_dir() and path.name not in OURS_NOT and "__macosx" not in path.parts


def _check(entries: list[zipfile.ZipInfo]) -> None:
    if any(entry.flag_bits & 1 for entry in entries):
        raise Unreadable(Code.ENCRYPTED)
    total, packed = sum(entry.file_size for entry in entries), sum(entry.compress_size for entry in entries)
    if len(entries) > limits.MAX_ENTRIES or total > limits.most_unpacked(packed):
        raise Unreadable(Code.BOMB)
    if not entries:
        raise Unreadable(Code.EMPTY, "L’archivio non contiene file.")


def _entry_name(entry: zipfile.ZipInfo) -> str:
    """Programs that do not say so write UTF-8 all the same."""
    try:
        return entry.filename if entry.flag_bits & 0x800 else entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(entry) as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def _attached(mail: EmailMessage) -> Entries:
    for part in mail.iter_attachments():
        name = part.get_filename() or ("messaggio.eml" if part.get_content_type() == "message/rfc822" else "")
        is_picture_of_the_text = part.get_content_disposition() != "attachment" and part["content-id"] is not None
        if not name or name.lower() in OURS_NOT or is_picture_of_the_text:
            continue
        inside = part.get_payload(0) if part.is_multipart() else None
        whole = inside.as_bytes() if isinstance(inside, EmailMessage) else part.get_payload(decode=True)
        if isinstance(whole, bytes) and whole:
            yield name, iter((whole,))


def _enveloped(content: bytes, filename: str) -> Entries:
    """The attachments of a signed invoice, or else the signed document itself."""
    opened = opened_envelope(content)
    if opened.mime == "application/xml":
        yield from _of_invoices(content)
    else:
        inner = filename[:-4] if filename.lower().endswith(".p7m") else filename
        yield inner, iter([opened.content])


def opened_envelope(content: bytes) -> envelope.Unwrapped:
    """What was signed. Raises Unreadable."""
    try:
        opened = envelope.unwrapped(content)
    except NotAnInvoice as error:
        raise Unreadable(Code.BAD_SIGNATURE_CONTAINER, error.message) from error
    if not opened.layers or not opened.content:
        raise Unreadable(Code.BAD_SIGNATURE_CONTAINER)
    return opened


def _of_invoices(content: bytes) -> Entries:
    try:
        found = invoices(content)
    except NotAnInvoice as error:
        raise Unreadable(Code.NOT_AN_INVOICE, error.message) from error
    for invoice in found:
        for attachment in invoice.attachments:
            if attachment.content:
                yield attachment.name, iter([attachment.content])
