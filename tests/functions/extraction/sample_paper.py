"""A sheet to draw samples on, A4 or a strip of a till, measured in points from its top left corner."""

from __future__ import annotations

import io
from collections.abc import Sequence

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
FAMILIES = {
    "sans": ("Helvetica", "Helvetica-Bold"),
    "serif": ("Times-Roman", "Times-Bold"),
    "mono": ("Courier", "Courier-Bold"),
    "vera": ("Vera", "VeraBd"),
}
# reportlab brings it along.
for name in FAMILIES["vera"]:
    pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))


class Paper:
    """Pages that are drawn one after the other."""

    def __init__(self, family: str = "sans", size: float = 9, page: tuple[float, float] = A4) -> None:
        self._buffer = io.BytesIO()
        self._width, self._height = page
        # Invariant: the same seed gives the same bytes.
        self._canvas = Canvas(self._buffer, pagesize=page, invariant=1)
        self._fonts = FAMILIES[family]
        self.size = size

    def text(self, x: float, y: float, words: str, *, size: float = 0, bold: bool = False, align: str = "left") -> None:
        """`y` is the base line; `align` says what `x` is: the left end, the right end or the middle."""
        self._canvas.setFont(self._fonts[bold], size or self.size)
        draw = {
            "left": self._canvas.drawString,
            "right": self._canvas.drawRightString,
            "centre": self._canvas.drawCentredString,
        }[align]
        draw(x, self._height - y, words)

    def lines(self, x: float, y: float, lines: Sequence[str], *, step: float = 0, **style: object) -> float:
        """One below the other; answers where the next would stand."""
        for line in lines:
            self.text(x, y, line, **style)  # type: ignore[arg-type]
            y += step or self.size * 1.35
        return y

    def row(self, y: float, cells: Sequence[tuple[float, str]], *, bold: bool = False, size: float = 0) -> None:
        """Cells at their places; a negative place is a right end."""
        for x, words in cells:
            self.text(abs(x), y, words, bold=bold, size=size, align="left" if x > 0 else "right")

    def paragraph(self, x: float, y: float, words: str, width: float, *, step: float = 0) -> float:
        """Wrapped text; answers where the next line would stand."""
        line = ""
        for word in words.split():
            longer = f"{line} {word}".strip()
            if pdfmetrics.stringWidth(longer, self._fonts[0], self.size) > width:
                self.text(x, y, line)
                y, line = y + (step or self.size * 1.35), word
            else:
                line = longer
        self.text(x, y, line)
        return y + (step or self.size * 1.35)

    def rule(self, y: float, left: float = 40, right: float = 0) -> None:
        """A horizontal line."""
        right = right or self._width - 40
        self._canvas.setLineWidth(0.6)
        self._canvas.line(left, self._height - y, right, self._height - y)

    def box(self, left: float, top: float, right: float, bottom: float) -> None:
        """A frame."""
        self._canvas.setLineWidth(0.6)
        self._canvas.rect(left, self._height - bottom, right - left, bottom - top)

    def next_page(self) -> None:
        self._canvas.showPage()

    def pdf(self) -> bytes:
        """The finished document."""
        self._canvas.save()
        return self._buffer.getvalue()
