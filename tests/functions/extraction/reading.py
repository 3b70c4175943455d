"""Samples as the pipeline reads them: by its own decoder, from the text layer or by recognition of a picture."""

from __future__ import annotations

import pypdfium2  # type: ignore[import-untyped]
from PIL import Image

from functions._shared.documents import ocr, pdf
from functions._shared.extraction import Page, Word


def text_pages(content: bytes) -> list[Page]:
    """The pages of a PDF with a text layer."""
    with pypdfium2.PdfDocument(content) as document:
        return [_page(no, *_layer(document, no)) for no in range(1, len(document) + 1)]


def _layer(document: pypdfium2.PdfDocument, no: int) -> tuple[list[tuple[str, int, int, int, int, int]], float, float]:
    layer = pdf.text_layer(pdf.page_of(document, no))
    assert layer is not None, "a sample without a text layer"
    return layer.words, layer.width, layer.height


def scanned_pages(pictures: list[Image.Image], dpi: int) -> list[Page]:
    """Pictures as Tesseract reads them."""
    return [
        _page(no, ocr.read(picture, dpi).words, picture.width * 72 / dpi, picture.height * 72 / dpi)
        for no, picture in enumerate(pictures, 1)
    ]


def _page(no: int, words: list[tuple[str, int, int, int, int, int]], width: float, height: float) -> Page:
    return Page(no, width, height, [Word(*word) for word in words])
