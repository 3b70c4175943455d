"""An invoice as a sheet of paper, for people: a courtesy copy in PDF, A4, in a calm layout of our own."""

from __future__ import annotations

from io import BytesIO

from functions._shared.fatturapa.model import Invoice
from functions._shared.fatturapa.paper import layout, sections


def pdf(invoice: Invoice) -> bytes:
    """The whole invoice on as many pages as it needs. Takes a millisecond or two a line."""
    output = BytesIO()
    document = layout.document(output, title=sections.title(invoice), author=invoice.supplier.name or "")
    document.build(sections.story(invoice), canvasmaker=layout.NumberedCanvas)
    return output.getvalue()
