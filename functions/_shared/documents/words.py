"""Words with their places, whether a text layer can be believed, and text without places laid out on pages."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from functions._shared.documents import limits

# Text, x0, y0, x1, y1 in 1/10000 of the page as it is shown, confidence 0..100: an item of document_pages.words.
Word: TypeAlias = tuple[str, int, int, int, int, int]

SCALE = 10_000
CERTAIN = 100
# A4 in points.
PAPER = (595.0, 842.0)
LINES_PER_PAGE, CHARS_PER_LINE = 60, 100
MARGIN = 400
# So few characters may be a stamp on a scan.
LEAST_CHARS = 25
LEAST_SHARE = 0.9
# Shares of vowels among Latin letters: Czech has 0.38, Italian 0.47, letters that are glyph numbers anything.
VOWELS = (0.26, 0.66)
ENOUGH_LETTERS = 60
MOJIBAKE = re.compile("[ÃÂâ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œž]")
PUNCTUATION = frozenset("€£$%&@#§°ºª«»“”‘’‚„…–—-−·•*/\\|()[]{}<>+=~^_.,;:!?'\"`´©®™×÷±½¼¾²³✓✔☐☑☒■□●○▪◦→\u00ad")


@dataclass(frozen=True)
class Page:
    """A page as it was read; width and height in points as it is shown, `rotation` how far it had to be turned
    clockwise."""

    text: str
    words: list[Word]
    width: float
    height: float
    source: str = "testo"
    rotation: int = 0
    confidence: float | None = None


def is_plausible(text: str) -> bool:
    """Whether a text layer says what a person sees: enough characters, and no mojibake, control or glyph numbers."""
    seen = [char for char in text if not char.isspace()]
    if len(seen) < LEAST_CHARS:
        return False
    wrong = sum(not _is_readable(char) for char in seen) + 2 * len(MOJIBAKE.findall(text))
    return wrong <= (1 - LEAST_SHARE) * len(seen) and _sounds_right(text)


def _is_readable(char: str) -> bool:
    return char in PUNCTUATION or (char.isalnum() and unicodedata.category(char) != "Co")


def _sounds_right(text: str) -> bool:
    """Italian and its neighbours have vowels; a font whose letters are numbered by its own table has not."""
    latin = [char for char in unicodedata.normalize("NFD", text.lower()) if "a" <= char <= "z"]
    if len(latin) < ENOUGH_LETTERS:
        return True
    share = sum(char in "aeiouy" for char in latin) / len(latin)
    return VOWELS[0] <= share <= VOWELS[1]


def laid_out(text: str) -> list[Page]:
    """Text that has no pages of its own, as if typed on A4: so its words have places too."""
    pages = []
    for sheet in text.replace("\r\n", "\n").replace("\r", "\n").split("\f"):
        lines = [line for raw in sheet.split("\n") for line in _wrapped(raw)]
        starts = range(0, len(lines), LINES_PER_PAGE)
        pages += [lines[start : start + LINES_PER_PAGE] for start in starts]
    return [Page("\n".join(page), list(_placed(page)), *PAPER) for page in pages]


def _wrapped(line: str) -> Sequence[str]:
    clean = "".join(char if char.isprintable() or char.isspace() else " " for char in line).expandtabs(4).rstrip()
    return textwrap.wrap(clean, CHARS_PER_LINE, drop_whitespace=False) if len(clean) > CHARS_PER_LINE else [clean]


def _placed(lines: Sequence[str]) -> Iterator[Word]:
    height = (SCALE - 2 * MARGIN) // LINES_PER_PAGE
    width = (SCALE - 2 * MARGIN) // CHARS_PER_LINE
    for number, line in enumerate(lines):
        top = MARGIN + number * height
        for found in re.finditer(r"\S+", line):
            left, right = (MARGIN + at * width for at in found.span())
            yield found.group(), left, top, right, top + height * 4 // 5, CERTAIN


def bounded(page: Page) -> Page:
    """What may be kept of a page: PostgreSQL knows no NUL, and a flood of words is cut."""
    text = page.text.replace("\0", "")[: limits.MAX_PAGE_CHARS]
    words = [(text.replace("\0", ""), *place) for text, *place in page.words[: limits.MAX_PAGE_WORDS]]
    return Page(text, words, page.width, page.height, page.source, page.rotation, page.confidence)  # type: ignore[arg-type]
