"""How the paper looks: page, fonts, colours, and the three shapes that everything on it is made of.

The font is Bitstream Vera, which reportlab ships: it has the accents and the euro, and its figures are equally wide.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from typing import IO, Any, TypeAlias
from xml.sax.saxutils import escape

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.enums import TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer, Table

# A column: its heading, its width in points (None for the rest), and whether figures stand in it.
Column: TypeAlias = tuple[str, float | None, bool]

MARGIN = 18 * mm
BOTTOM = 20 * mm
WIDTH = A4[0] - 2 * MARGIN
INK, GREY, HAIR, TINT = HexColor("#1f2933"), HexColor("#616e7c"), HexColor("#cbd2d9"), HexColor("#f5f7fa")
FONT, BOLD = "Vera", "VeraBd"
# A word that fits into no column; reportlab would break it letter by letter, which takes seconds.
_ENDLESS = re.compile(r"\S{60,}")
# Of a row: few enough to leave no gap at the end of a page.
_LINES = 10
NOTE = "Copia di cortesia: l’originale, che vale per il fisco, è il file della fattura elettronica."


class NumberedCanvas(Canvas):
    """Draws the foot of each page when all are known: «pagina 2 di 3»."""

    note = NOTE

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._pages: list[dict[str, Any]] = []

    def showPage(self) -> None:  # noqa: N802  # reportlab's name
        """Keeps the page for later."""
        self._pages.append(dict(self.__dict__))
        self._startPage()  # type: ignore[attr-defined]  # the stub hides it

    def save(self) -> None:
        """Writes all pages."""
        for no, page in enumerate(self._pages, 1):
            self.__dict__.update(page)
            self.setFont(FONT, 6.5)
            self.setFillColor(GREY)
            self.drawString(MARGIN, 11 * mm, self.note)
            self.drawRightString(A4[0] - MARGIN, 11 * mm, f"pagina {no} di {len(self._pages)}")
            super().showPage()
        super().save()


def document(output: IO[bytes], *, title: str, author: str) -> BaseDocTemplate:
    """An empty document."""
    _registered()
    made = BaseDocTemplate(output, pagesize=A4, title=title, author=author, creator="Socio", lang="it-IT", invariant=1)
    frame = Frame(MARGIN, BOTTOM, WIDTH, A4[1] - BOTTOM - MARGIN, 0, 0, 0, 0)
    made.addPageTemplates(PageTemplate(frames=[frame]))
    return made


def heading(text: str) -> Flowable:
    """The title of a section."""
    return Paragraph(plain(text), style(7, colour=GREY, bold=True, before=10, after=3))


def text(
    words: str | None, size: float = 8, *, bold: bool = False, grey: bool = False, right: bool = False
) -> Paragraph:
    """A paragraph; line breaks stay."""
    shown = plain(words or "").replace("\n", "<br/>")
    return Paragraph(shown, style(size, colour=GREY if grey else INK, bold=bold, right=right))


def gap(height: float) -> Spacer:
    """Air."""
    return Spacer(1, height)


def columns(left: Sequence[Flowable], right: Sequence[Flowable], share: float = 0.5) -> Table:
    """Two blocks beside each other."""
    return Table(
        [[list(left), list(right)]],
        colWidths=[WIDTH * share, WIDTH * (1 - share)],
        style=[("VALIGN", (0, 0), (-1, -1), "TOP"), *_no_padding(), ("LEFTPADDING", (1, 0), (1, 0), 12)],
        splitInRow=1,
    )


def grid(of: Sequence[Column], rows: Sequence[Sequence[str]]) -> Table:
    """A table whose headings are repeated on each page; in a column of figures everything stands right."""
    size = 7.5
    fixed = sum(width or 0 for _, width, _ in of)
    widths = [WIDTH - fixed if width is None else width for _, width, _ in of]
    cells = [[text(name, 6.5, grey=True, right=figures) for name, _, figures in of]]
    styles: list[Any] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        *_row_padding(),
        ("LINEBELOW", (0, 0), (-1, 0), 0.8, GREY),
    ]
    for row in rows:
        parts = portions(row, widths, size)
        first, last = len(cells), len(cells) + len(parts) - 1
        styles += [("LINEBELOW", (0, last), (-1, last), 0.4, HAIR), *_closed(first, last)]
        cells += [
            [text(value, size, right=right) for value, (_, _, right) in zip(part, of, strict=True)] for part in parts
        ]
    return Table(cells, colWidths=widths, style=styles, repeatRows=1)


def portions(row: Sequence[str], widths: Sequence[float], size: float) -> list[Sequence[str]]:
    """The row as several of about `_LINES` lines: reportlab wraps a cell anew, to its end, for each page it is on."""
    cells = [_pieces(value, width - 6, size) for value, width in zip(row, widths, strict=True)]
    return list(zip_longest(*cells, fillvalue=""))


def _pieces(words: str, width: float, size: float) -> list[str]:
    lines: list[str] = []
    for line in words.split("\n"):
        *parts, last = _wrapped(line, width, size)
        lines += [*(f"{part} " for part in parts), f"{last}\n"]
    return ["".join(lines[at : at + _LINES])[:-1] for at in range(0, len(lines), _LINES)]


def _wrapped(line: str, width: float, size: float) -> list[str]:
    _registered()
    most = int(width / size)
    parts = simpleSplit(line, FONT, size, width) or [""]
    # A word wider than the column is broken, at the latest where its widest letters would fill it.
    ends = [most if pdfmetrics.stringWidth(part, FONT, size) > width else len(part) or 1 for part in parts]
    return [part[at : at + end] for part, end in zip(parts, ends, strict=True) for at in range(0, len(part) or 1, end)]


def _closed(first: int, last: int) -> list[Any]:
    """No air between the rows that are one."""
    return [
        (name, (0, start), (-1, end), 0)
        for name, start, end in (("BOTTOMPADDING", first, last - 1), ("TOPPADDING", first + 1, last))
        if first < last
    ]


def sums(rows: Sequence[tuple[str, str, bool]]) -> Table:
    """Label and amount, at the right of the page; what is marked stands out."""
    cells = [[text(label, 8, bold=bold), text(value, 8, bold=bold, right=True)] for label, value, bold in rows]
    marked = [("BACKGROUND", (0, no), (-1, no), TINT) for no, (_, _, bold) in enumerate(rows) if bold]
    lines = [("LINEBELOW", (0, no), (-1, no), 0.4, HAIR) for no in range(len(rows))]
    return Table(
        cells, colWidths=[WIDTH * 0.31, WIDTH * 0.19], hAlign="RIGHT", style=[*marked, *lines, *_row_padding()]
    )


def plain(words: str) -> str:
    """Text as markup: nothing in it is a command; what the font lacks is shown by its nearest letter, else by «?»."""
    glyphs = _glyphs()
    shown = "".join(each if ord(each) in glyphs or each == "\n" else _nearest(each, glyphs) for each in words)
    return escape(_ENDLESS.sub(_broken, shown))


def _broken(word: re.Match[str]) -> str:
    return " ".join(word[0][at : at + 40] for at in range(0, len(word[0]), 40))


@cache
def style(
    size: float, *, colour: Color = INK, bold: bool = False, right: bool = False, before: float = 0, after: float = 0
) -> ParagraphStyle:
    """A style of paragraphs."""
    return ParagraphStyle(
        f"{size}{bold}{right}{before}{after}",
        fontName=BOLD if bold else FONT,
        fontSize=size,
        leading=size * 1.4,
        textColor=colour,
        alignment=TA_RIGHT if right else TA_LEFT,
        spaceBefore=before,
        spaceAfter=after,
        # A code without blanks is broken, rather than running over its neighbour.
        splitLongWords=1,
    )


def _row_padding() -> list[Any]:
    sides = (("TOPPADDING", 2.5), ("BOTTOMPADDING", 3.5), ("LEFTPADDING", 3), ("RIGHTPADDING", 3))
    return [(name, (0, 0), (-1, -1), points) for name, points in sides]


def _no_padding() -> list[Any]:
    return [(f"{side}PADDING", (0, 0), (-1, -1), 0) for side in ("TOP", "BOTTOM", "LEFT", "RIGHT")]


@cache
def _registered() -> TTFont:
    normal = TTFont(FONT, "Vera.ttf")
    pdfmetrics.registerFont(normal)
    pdfmetrics.registerFont(TTFont(BOLD, "VeraBd.ttf"))
    return normal


@cache
def _glyphs() -> frozenset[int]:
    return frozenset(_registered().face.charToGlyph)


@cache
def _nearest(character: str, glyphs: frozenset[int]) -> str:
    base = unicodedata.normalize("NFKD", character)[0]
    return base if ord(base) in glyphs else " " if base.isspace() else "?"
