"""An invoice as a sheet of paper, for people: a courtesy copy in PDF, A4, in a calm layout of our own, and as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from reportlab.platypus import Flowable, KeepTogether, Paragraph, Table

from functions._shared import attachments
from functions._shared.fatturapa import codes
from functions._shared.fatturapa.model import Invoice
from functions._shared.fatturapa.paper import layout, sections


def pdf(invoice: Invoice) -> bytes:
    """The whole invoice on as many pages as it needs. Takes a millisecond or two a line."""
    output = BytesIO()
    document = layout.document(output, title=sections.title(invoice), author=invoice.supplier.name or "")
    document.build(sections.story(invoice), canvasmaker=layout.NumberedCanvas)
    return output.getvalue()


def filename(invoice: Invoice, counterparty: str | None) -> str:
    """What the kind, the number and the name make, without what file systems do not take."""
    kind = codes.words("documents", invoice.type_code).partition(" (")[0] or "Documento"
    number = re.sub(r"[/\\]+", "-", invoice.number or "")
    return attachments.tidy(" ".join(filter(None, (kind, number, counterparty)))) + ".pdf"


def plain(invoice: Invoice) -> str:
    """Write the same paper as text: one line for each row of a table."""
    return "\n".join(filter(None, _lines(sections.story(invoice))))


def _lines(story: Iterable[Flowable]) -> Iterator[str]:
    for each in story:
        of: Any = each
        if isinstance(each, Paragraph):
            yield "".join("\n" if getattr(part, "lineBreak", False) else part.text for part in of.frags)
        elif isinstance(each, KeepTogether):
            yield from _lines(of._content)  # noqa: SLF001  # reportlab has no public name
        elif isinstance(each, Table):
            for row in of._cellvalues:  # noqa: SLF001
                yield from _row(row)


def _row(cells: Iterable[Any]) -> Iterator[str]:
    blocks = [list(_lines(cell if isinstance(cell, list) else [cell])) for cell in cells]
    if all(len(block) == 1 for block in blocks):
        yield "  ".join(block[0].replace("\n", ", ") for block in blocks if block[0])
    else:
        for block in blocks:
            yield from block
