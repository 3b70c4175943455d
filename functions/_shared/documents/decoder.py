"""Reads one document in the sandbox: `decoder '{"do": "pages", …}'`, the file on standard input, JSON on the output.

    inspect  {filename}                       {format, mime, pages}
    pages    {format, first, most}            [page …]: those from `first` that need no recognition, at least one
    unpack   {format, filename, into}         [{name, file, mime} …]
    picture  {format, no, width}              a WebP
    invoices {}                               [invoice …]
    analyse  {}, on stdin {pages, corrections}  {kind, confidence, rule, fields}

What cannot be read ends with an exit status of `errors.STATUSES` and {"sentence"}.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from functions._shared.documents import formats, words
from functions._shared.documents.errors import DISK_FULL, STATUSES, Code, Unreadable
from functions._shared.documents.formats import Format
from functions._shared.documents.words import Page

if TYPE_CHECKING:
    from functions._shared import extraction

WEBP_QUALITY = 80
ENOUGH_DISK_BYTES = 64 * 1024**2


def main() -> int:
    """The whole of it."""
    options = json.loads(sys.argv[1])
    try:
        answer = WORK[options["do"]](source(), options)
    except (OSError, RuntimeError):
        # Tesseract does not say why it could not write; a disk that is full is nobody's fault and passes.
        if shutil.disk_usage(tempfile.gettempdir()).free > ENOUGH_DISK_BYTES:
            raise
        return DISK_FULL
    except Unreadable as error:
        sys.stdout.write(json.dumps({"sentence": error.sentence}))
        return STATUSES[error.code]
    sys.stdout.buffer.write(answer if isinstance(answer, bytes) else json.dumps(answer).encode())
    return 0


def source() -> Path | bytes:
    """Standard input: a file that can be sought in, or the bytes of a pipe."""
    if stat.S_ISREG(os.fstat(0).st_mode):
        return Path("/proc/self/fd/0")
    return sys.stdin.buffer.read()


def content_of(given: Path | bytes) -> bytes:
    """All of it."""
    return given if isinstance(given, bytes) else given.read_bytes()


def inspect(given: Path | bytes, options: dict[str, Any]) -> dict[str, Any]:
    """What it is and how many pages it has; containers have none of their own."""
    content = content_of(given)
    kind, mime = formats.of(content, options["filename"])
    return {"format": kind, "mime": mime, "pages": _count(content, kind)}


def _count(content: bytes, kind: Format) -> int:
    match kind:
        case Format.PDF:
            from functions._shared.documents import pdf

            return len(pdf.opened(content))
        case Format.PICTURE:
            from functions._shared.documents import pictures

            return pictures.pages(pictures.opened(content))
        case Format.ZIP:
            return 0
        case Format.P7M:
            from functions._shared.documents import containers

            opened = containers.opened_envelope(content)
            return _count(opened.content, Format.XML) if opened.mime == "application/xml" else 0
        case _:
            from functions._shared.documents import text

            return len(text.pages(content, kind))


def pages(given: Path | bytes, options: dict[str, Any]) -> list[dict[str, Any]]:
    """The pages from `first`; a page that must be recognised comes alone."""
    found = _PAGES.get(Format(options["format"]), _of_text)(given, options)
    return [asdict(words.bounded(page)) for page in found]


def _of_pdf(given: Path | bytes, options: dict[str, Any]) -> Iterator[Page]:
    from functions._shared.documents import pdf

    document = pdf.opened(given)
    first = options["first"]
    for no in range(first, min(len(document), first + options["most"] - 1) + 1):
        page = pdf.page_of(document, no)
        layer = pdf.text_layer(page)
        if layer is None and no > first:
            return
        if layer is None:
            picture, dpi = pdf.picture(page)
            yield _recognised(picture, dpi, page.get_size())
            return
        yield layer


def _of_picture(given: Path | bytes, options: dict[str, Any]) -> Iterator[Page]:
    from functions._shared.documents import pictures

    upright = pictures.frame(pictures.opened(given), options["first"])
    size = pictures.size_in_points(upright)
    picture = pictures.readable(upright)
    yield _recognised(picture, max(70, round(picture.width / (size[0] / 72))), size)


def _recognised(picture: Any, dpi: int, size: tuple[float, float]) -> Page:
    from functions._shared.documents import ocr

    found = ocr.read(picture, dpi)
    return Page(found.text, found.words, *size, "ocr", found.rotation, found.confidence)


def _of_text(given: Path | bytes, options: dict[str, Any]) -> list[Page]:
    from functions._shared.documents import containers, text

    content, kind = content_of(given), Format(options["format"])
    if kind is Format.P7M:
        content, kind = containers.opened_envelope(content).content, Format.XML
    first = options["first"] - 1
    return text.pages(content, kind)[first : first + options["most"]]


_PAGES = {Format.PDF: _of_pdf, Format.PICTURE: _of_picture}


def unpack(given: Path | bytes, options: dict[str, Any]) -> list[dict[str, str | None]]:
    """Everything that is packed in it, written into the folder `into`."""
    from functions._shared.documents import containers

    kind = Format(options["format"])
    return containers.unpacked(content_of(given), kind, options["filename"], Path(options["into"]))


def picture(given: Path | bytes, options: dict[str, Any]) -> bytes:
    """A page for a screen."""
    shown: Any
    match Format(options["format"]):
        case Format.PDF:
            from functions._shared.documents import pdf

            page = pdf.page_of(pdf.opened(given), options["no"])
            shown, _ = pdf.picture(page, options["width"] / page.get_width() * pdf.POINTS_PER_INCH, grey=False)
        case Format.PICTURE:
            from functions._shared.documents import pictures

            shown = pictures.on_white(pictures.frame(pictures.opened(given), options["no"]))
            shown.thumbnail((options["width"], 16_000))
        case _:
            raise Unreadable(Code.UNSUPPORTED, "Di questo documento non c’è un’immagine.")
    output = io.BytesIO()
    shown.convert("RGB").save(output, "WEBP", quality=WEBP_QUALITY, method=2)
    return output.getvalue()


def invoices(given: Path | bytes, options: dict[str, Any]) -> list[dict[str, Any]]:
    """The electronic invoices of an XML or a signed one."""
    from functions._shared import fatturapa

    today = date.fromisoformat(options["today"])
    try:
        return [invoice.to_json() for invoice in fatturapa.read(content_of(given), today=today)]
    except fatturapa.NotAnInvoice as error:
        raise Unreadable(Code.NOT_AN_INVOICE, error.message) from error


def analyse(given: Path | bytes, _options: dict[str, Any]) -> dict[str, Any]:
    """The kind and the fields of pages that were read; what their owner taught about a supplier comes first, but a kind
    only where the paper does not say its own.
    """
    from functions._shared import extraction

    told = json.loads(content_of(given))
    pages = [
        extraction.Page(page["no"], page["width"], page["height"], [extraction.Word(*word) for word in page["words"]])
        for page in told["pages"]
    ]
    sources = {page["no"]: page["source"] for page in told["pages"]}
    taught = [each for each in told["corrections"] if each["label"]]
    corrections = [extraction.Correction(each["vat_number"], each["key"], each["label"]) for each in taught]
    kind = extraction.classify(pages)
    found = extraction.fields(pages, kind.kind, corrections)
    chosen = _chosen_kind(found, told["corrections"]) if kind.confidence < extraction.SURE else None
    if chosen is not None and chosen != kind.kind:
        kind = extraction.Kind(chosen, 1.0, "Come hai scelto per un altro documento di questo fornitore")
        found = extraction.fields(pages, chosen, corrections)
    return {**asdict(kind), "fields": [{**asdict(each), "source": sources[each.page]} for each in found]}


def _chosen_kind(found: Iterable[extraction.Field], corrections: Iterable[dict[str, Any]]) -> str | None:
    numbers = {each.value for each in found if each.key == "vat_number"}
    return next((each["kind"] for each in corrections if each["kind"] and each["vat_number"] in numbers), None)


WORK = {
    "analyse": analyse,
    "invoices": invoices,
    "inspect": inspect,
    "pages": pages,
    "unpack": unpack,
    "picture": picture,
}


if __name__ == "__main__":
    sys.exit(main())
