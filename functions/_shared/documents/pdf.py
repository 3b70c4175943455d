"""PDF: how many pages, the words of a text layer with their places, pages as pictures. In the sandbox only."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
from PIL import Image
from pypdfium2 import raw

from functions._shared.documents import limits, words
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.words import Page, Word

POINTS_PER_INCH = 72
DPI = 300
# What is recognised at once; A3 at 300 dpi has 17 million. Larger pages are read at a lower resolution.
MAX_OCR_PIXELS = 20_000_000
# A picture that covers so much of a page with little text beside it is a scan with a stamp.
SCAN_SHARE, SCAN_CHARS = 0.5, 250


def opened(source: bytes | Path) -> pypdfium2.PdfDocument:
    """The document. Raises Unreadable: encrypted, truncated, too_many_pages, empty."""
    try:
        document = pypdfium2.PdfDocument(source)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        raise Unreadable(Code.ENCRYPTED if locked else Code.TRUNCATED) from error
    if len(document) > limits.MAX_PAGES:
        raise Unreadable(Code.TOO_MANY_PAGES)
    if len(document) == 0:
        raise Unreadable(Code.EMPTY)
    return document


def page_of(document: pypdfium2.PdfDocument, no: int) -> pypdfium2.PdfPage:
    """The page, counted from one. Raises Unreadable."""
    try:
        return document[no - 1]
    except (pypdfium2.PdfiumError, IndexError) as error:
        raise Unreadable(Code.TRUNCATED) from error


def text_layer(page: pypdfium2.PdfPage) -> Page | None:
    """The words that the page brings along, or None when they cannot be what is to be read on it."""
    lines = list(_lines(page))
    text = "\n".join(" ".join(word[0] for word in line) for line in lines)
    if not words.is_plausible(text) or (len(text) < SCAN_CHARS and _is_scan(page)):
        return None
    return Page(text, [word for line in lines for word in line], *page.get_size())


def _lines(page: pypdfium2.PdfPage) -> Iterator[list[Word]]:
    """Lines of words, as the page's text stream has them."""
    layer = page.get_textpage()
    line: list[Word] = []
    chars: list[int] = []
    count = min(layer.count_chars(), limits.MAX_PAGE_CHARS)
    for index in range(count + 1):
        code = raw.FPDFText_GetUnicode(layer, index) if index < count else 10
        # 0xFFFE and 2 stand for a hyphen at the end of a line; what follows belongs to the next one.
        if code > 32 and code not in (0xA0, 0xAD, 0xFFFE):
            chars.append(index)
            continue
        if chars:
            line.append(_word(page, layer, chars))
            chars = []
        if code == 10 and line:
            yield line
            line = []


def _word(page: pypdfium2.PdfPage, layer: pypdfium2.PdfTextPage, chars: list[int]) -> Word:
    text = "".join(map(chr, (raw.FPDFText_GetUnicode(layer, index) for index in chars)))
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    places = [_on_page(page, *layer.get_charbox(index)) for index in chars]
    left, top = min(place[0] for place in places), min(place[1] for place in places)
    right, bottom = max(place[2] for place in places), max(place[3] for place in places)
    return text, left, top, right, bottom, words.CERTAIN


def _on_page(
    page: pypdfium2.PdfPage, left: float, bottom: float, right: float, top: float
) -> tuple[int, int, int, int]:
    """A box of the page's own space on the page as it is shown: turned and cropped."""
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for corner in ((left, top), (right, bottom)):
        raw.FPDF_PageToDevice(page, 0, 0, words.SCALE, words.SCALE, 0, *corner, x, y)
        corners.append((_inside(x.value), _inside(y.value)))
    (x0, y0), (x1, y1) = corners
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _inside(value: int) -> int:
    return max(0, min(words.SCALE, value))


def _is_scan(page: pypdfium2.PdfPage) -> bool:
    width, height = page.get_size()
    for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = picture.get_bounds()
        if (right - left) * (top - bottom) > SCAN_SHARE * width * height:
            return True
    return False


def picture(page: pypdfium2.PdfPage, dpi: float = DPI, *, grey: bool = True) -> tuple[Image.Image, int]:
    """The page as it is shown, and the resolution it was drawn at: less than `dpi` for a poster."""
    width, height = page.get_size()
    pixels = max(1.0, width * height * (dpi / POINTS_PER_INCH) ** 2)
    dpi *= min(1.0, (MAX_OCR_PIXELS / pixels) ** 0.5)
    drawn = page.render(scale=dpi / POINTS_PER_INCH, grayscale=grey, fill_color=(255, 255, 255, 255))
    return drawn.to_pil(), max(1, round(dpi))
