"""Papers of the demo account as the reading of documents leaves them: a file in the storage, its words, its fields."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from backend.core.db import Connection
from backend.storage import queries as storage
from backend.storage.backends import Backend
from backend.storage.models import Upload
from functions._shared.documents import conclusions, decoder, languages
from functions._shared.documents.conclusions import Conclusion
from functions._shared.documents.errors import SENTENCES, Code
from functions._shared.documents.formats import MIME_TYPES, Format
from functions._shared.documents.words import Page
from functions._shared.extraction import SURE
from functions._shared.fatturapa.model import Invoice as ReadInvoice
from scripts.demo import books, electronic, papers
from scripts.demo.electronic import Party
from scripts.demo.papers import Paper

ROME = ZoneInfo("Europe/Rome")
BUCKET = "documents"
# Its owner has still to look at what was read here.
UNCONFIRMED = "Scontrino pranzo con cliente.jpg"


@dataclass(frozen=True)
class File:
    """A file with what was read in it; `paid_on` is when its invoice was paid."""

    name: str
    content: bytes
    format: Format
    arrived_on: date
    pages: Sequence[Page]
    found: Conclusion | None
    company: str | None = None
    paid_on: date | None = None

    @property
    def mime(self) -> str:
        """Return the type, as inspecting the file finds it."""
        return "image/jpeg" if self.format is Format.PICTURE else MIME_TYPES[self.format]


def moment(day: date, hour: int = 9) -> datetime:
    """Return this hour of a day in Italy."""
    return datetime.combine(day, time(hour), ROME).astimezone(UTC)


def files(parties: dict[str, Party], today: date) -> list[File]:
    """Make all files, and read them with the product's own readers."""
    numbered = enumerate(zip(books.ALL, books.numbers(today), strict=True), 1)
    made = [_invoice(each, number, parties[each.company], place, today) for place, (each, number) in numbered]
    return [*made, *(_paper(each, today) for each in papers.PAPERS)]


def _invoice(of: books.Invoice, number: str, other: Party, place: int, today: date) -> File:
    content = electronic.xml(of, number, other, place, today)
    read = [ReadInvoice.from_json(each) for each in decoder.invoices(content, {"today": str(today)})]
    return File(
        electronic.filename(of, other, place),
        content,
        Format.XML,
        of.issued_on(today) + timedelta(days=1),
        _pages(content, Format.XML),
        conclusions.of_invoices(read, books.OWNER_VAT, books.OWNER_TAX_CODE),
        of.company,
        of.paid_on(today),
    )


def _paper(of: Paper, today: date) -> File:
    lines, arrived_on = of.written(today), today - timedelta(days=of.age)
    if of.is_blurred:
        content, page = papers.scan(lines, is_blurred=True)
        return File(of.filename, content, Format.PICTURE, arrived_on, [replace(page, text="", words=[])], None)
    if of.is_scan:
        content, page = papers.scan(lines)
        pages, kind = [page], Format.PICTURE
    else:
        content = papers.pdf(lines)
        pages, kind = _pages(content, Format.PDF), Format.PDF
    return File(of.filename, content, kind, arrived_on, pages, _conclusion(of.filename, pages), of.company)


def _pages(content: bytes, kind: Format) -> list[Page]:
    return [Page(**each) for each in decoder.pages(content, {"format": kind, "first": 1, "most": 5})]


def _conclusion(filename: str, pages: Sequence[Page]) -> Conclusion:
    read = [{"no": no, **asdict(page)} for no, page in enumerate(pages, 1)]
    told = decoder.analyse(json.dumps({"pages": read, "corrections": []}).encode(), {})
    if filename != UNCONFIRMED:
        # What is doubtful its owner took away.
        told["fields"] = [each for each in told["fields"] if each["confidence"] >= SURE]
    return conclusions.of_words(told, books.OWNER_VAT, books.OWNER_TAX_CODE)


async def store(connection: Connection, blobs: Backend, user_id: UUID, made: Sequence[File]) -> None:
    """Write the files to the storage and their rows; those of one account always have the same names."""
    uploads = [Upload(BUCKET, path(user_id, each), each.mime, owner_id=str(user_id)) for each in made]
    versions = [str(_id(user_id, f"version of {each.name} {_sha256(each)}")) for each in made]
    written = await asyncio.gather(
        *(blobs.write(version, _chunks(each)) for version, each in zip(versions, made, strict=True))
    )
    now = datetime.now(UTC)
    for each, upload, version, stored in zip(made, uploads, versions, written, strict=True):
        metadata = upload.metadata(stored, each.mime, now)
        await storage.insert_object(connection, _id(user_id, f"object {each.name}"), upload, version, metadata)


async def _chunks(of: File) -> AsyncIterator[bytes]:
    yield of.content


def _sha256(of: File) -> str:
    return hashlib.sha256(of.content).hexdigest()


def _id(user_id: UUID, name: str) -> UUID:
    return uuid5(user_id, name)


def document_id(user_id: UUID, filename: str) -> UUID:
    """Return the id of a document, the same each time."""
    return _id(user_id, f"document {filename}")


def path(user_id: UUID, of: File) -> str:
    """Return where the file of a document is."""
    ending = of.name.rpartition(".")[2]
    return f"{user_id}/{document_id(user_id, of.name)}.{ending}"


async def register(connection: Connection, user_id: UUID, contacts: Mapping[str, UUID], made: Sequence[File]) -> None:
    """Write the documents as the job of reading leaves them, all at once: each statement refreshes the search."""
    await connection.execute(
        """
        insert into public.documents (
          id, user_id, storage_path, filename, mime, bytes, sha256, kind, kind_confidence, kind_rule, state,
          error_code, error, pages, pages_done, lang, contact_id, contact_reason, supplier, issued_on, due_on,
          total_cents, created_at
        )
        select id, $1, storage_path, filename, mime, bytes, sha256, kind, kind_confidence, kind_rule, state, error_code,
          error, pages, pages, lang, contact_id, contact_reason, supplier, issued_on, due_on, total_cents, created_at
        from jsonb_populate_recordset(null::public.documents, $2)
        """,
        user_id,
        [_document(user_id, contacts, each) for each in made],
    )
    await connection.execute(
        """
        insert into public.document_pages (
          user_id, document_id, no, state, source, text, words, width, height, rotation, confidence
        )
        select $1, document_id, no, case when text = '' then 'errore' else 'letta' end::public.document_page_state,
          source, text, words, width, height, rotation, confidence
        from jsonb_populate_recordset(null::public.document_pages, $2)
        """,
        user_id,
        [
            {"document_id": str(document_id(user_id, of.name)), "no": no, **asdict(page)}
            for of in made
            for no, page in enumerate(of.pages, 1)
        ],
    )
    await connection.execute(
        """
        insert into public.document_fields (user_id, document_id, key, value, confidence, page, box, label, source)
        select $1, document_id, key, value, confidence, page, box, label, source
        from jsonb_populate_recordset(null::public.document_fields, $2)
        """,
        user_id,
        [
            {"document_id": str(document_id(user_id, of.name)), **vars(field)}
            for of in made
            for field in (of.found.fields if of.found else ())
        ],
    )
    await connection.executemany(
        "select private.store_invoice($1, $2, $3)",
        [
            (document_id(user_id, of.name), user_id, [{**each, "paid_on": of.paid_on and str(of.paid_on)}])
            for of in made
            for each in (of.found.invoices if of.found else ())
        ],
    )


def _document(user_id: UUID, contacts: Mapping[str, UUID], of: File) -> dict[str, Any]:
    row = {
        "id": str(document_id(user_id, of.name)),
        "storage_path": path(user_id, of),
        "filename": of.name,
        "mime": of.mime,
        "bytes": len(of.content),
        "sha256": _sha256(of),
        "pages": len(of.pages),
        "created_at": moment(of.arrived_on).isoformat(),
    }
    if (found := of.found) is None:
        return {**row, "kind": "altro", "state": "errore", "error_code": Code.NO_TEXT, "error": SENTENCES[Code.NO_TEXT]}
    days = {key: str(day) if (day := found.day(key)) else None for key in ("issued_on", "due_on")}
    return {
        **row,
        **days,
        "kind": found.kind,
        "kind_confidence": found.confidence,
        "kind_rule": found.rule,
        "state": "pronto" if all(each.confidence >= SURE for each in found.fields) else "da_verificare",
        "lang": languages.of(" ".join(page.text for page in of.pages)),
        "contact_id": str(contacts[of.company]) if of.company else None,
        "contact_reason": "Collegato per P.IVA" if found.invoices else None,
        "supplier": dict(found.counterparty) or None,
        "total_cents": found.total_cents,
    }
