"""Words as lines and cells: the page is laid straight first, for a scan's words lie as they lie on the scan.

A cell is what stands together in a line; a wide gap ends it. All measures are points on the straightened page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from statistics import median

from functions._shared.extraction.pages import Box, Page, Word
from functions._shared.names import fold

# A gap wider than so many letter heights ends a cell.
CELL_GAP = 1.5
# Slopes that are tried, as rise over run: up to the twelve degrees within which recognition lays a picture straight.
SLOPES = [step * 0.004 for step in range(-54, 55)]
# How much better than straight the words must gather; chance does more of it at a steep slope, above six degrees.
STEEP, GAIN, STEEP_GAIN = 0.105, 1.05, 1.3
BIN = 3.0
FEW_WORDS = 12
# What tells a label from the value that is written on to it: «IBAN:IT60», «n.12», «€1.250,00».
SPLIT = re.compile(r".+?[:€°º](?=.)|.*?[a-zA-Z]\.(?=\d)|.+")
LOOKALIKE = str.maketrans("i1|!05", "llllos")


@dataclass(frozen=True)
class Token:
    """A word, or a part of one that was written together with the next."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    word: Word

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @cached_property
    def plain(self) -> str:
        """Letters and digits only, small."""
        return plain(self.text)


@dataclass(frozen=True, eq=False)
class Cell:
    """Tokens that stand together; `line` counts from the top of the page."""

    tokens: tuple[Token, ...]
    page: int
    line: int

    @cached_property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens)

    @cached_property
    def starts(self) -> list[int]:
        """Where each token begins in the text."""
        starts, at = [], 0
        for token in self.tokens:
            starts.append(at)
            at += len(token.text) + 1
        return starts

    @cached_property
    def left(self) -> float:
        return min(token.left for token in self.tokens)

    @cached_property
    def right(self) -> float:
        return max(token.right for token in self.tokens)

    @cached_property
    def top(self) -> float:
        return min(token.top for token in self.tokens)

    @cached_property
    def bottom(self) -> float:
        return max(token.bottom for token in self.tokens)

    @cached_property
    def height(self) -> float:
        """Of its largest letters."""
        return max(token.height for token in self.tokens)

    def between(self, start: int, end: int) -> tuple[int, int]:
        """The tokens of a part of the text: the first, and the one after the last."""
        inside = [
            at for at, begin in enumerate(self.starts) if begin < end and begin + len(self.tokens[at].text) > start
        ]
        return inside[0], inside[-1] + 1


@dataclass(frozen=True, eq=False)
class Sheet:
    """A page as lines of cells."""

    no: int
    width: float
    height: float
    lines: tuple[tuple[Cell, ...], ...]

    @property
    def cells(self) -> Iterator[Cell]:
        """In reading order."""
        return (cell for line in self.lines for cell in line)


def plain(text: str) -> str:
    """Letters and digits only, small."""
    return "".join(each for each in fold(text) if each.isalnum() or each in "|!")


def compact(text: str) -> str:
    """The same, with what looks alike on a scan as one."""
    return plain(text).translate(LOOKALIKE)


def box_of(tokens: Iterable[Token]) -> Box:
    """The frame around their words, as the page is shown."""
    words = [token.word for token in tokens]
    return (
        min(word.x0 for word in words),
        min(word.y0 for word in words),
        max(word.x1 for word in words),
        max(word.y1 for word in words),
    )


def read(page: Page) -> Sheet:
    """The page's words, straightened and ordered."""
    words = [word for word in page.words if word.text.strip()]
    tokens = [part for word in words for part in _parts(word, page)]
    tokens, width, height = _upright(tokens, page.width, page.height)
    tokens = _straight(tokens, height)
    lines = sorted(_lines(tokens), key=lambda line: median(token.middle for token in line))
    typical = median(token.height for token in tokens) if tokens else 0
    cells = [tuple(_cells(line, page.no, number, typical)) for number, line in enumerate(lines)]
    return Sheet(page.no, width, height, tuple(cells))


def _parts(word: Word, page: Page) -> Iterator[Token]:
    parts = SPLIT.findall(word.text.strip()) or [word.text]
    left, step = word.x0, (word.x1 - word.x0) / max(1, sum(map(len, parts)))
    for part in parts:
        right = left + step * len(part)
        across, down = page.width / 10_000, page.height / 10_000
        yield Token(part, left * across, word.y0 * down, right * across, word.y1 * down, word)
        left = int(right)


def _upright(tokens: list[Token], width: float, height: float) -> tuple[list[Token], float, float]:
    """Turned as they are read, when most words stand on their sides or heads: words come in reading order."""
    steps: Counter[str] = Counter()
    for one, two in pairwise(tokens):
        across, down = (two.left + two.right - one.left - one.right) / 2, two.middle - one.middle
        steps[("right" if across > 0 else "left") if abs(across) > abs(down) else ("down" if down > 0 else "up")] += 1
    if not tokens or steps["right"] * 2 >= sum(steps.values()):
        return tokens, width, height
    turn = steps.most_common(1)[0][0]
    if turn == "left":
        return (
            [_placed(t, width - t.right, height - t.bottom, width - t.left, height - t.top) for t in tokens],
            width,
            height,
        )
    if sum(t.height > t.right - t.left for t in tokens) * 2 < len(tokens):
        return tokens, width, height
    if turn == "down":
        return [_placed(t, t.top, width - t.right, t.bottom, width - t.left) for t in tokens], height, width
    return [_placed(t, height - t.bottom, t.left, height - t.top, t.right) for t in tokens], height, width


def _placed(token: Token, left: float, top: float, right: float, bottom: float) -> Token:
    return replace(token, left=left, top=top, right=right, bottom=bottom)


def _straight(tokens: list[Token], height: float) -> list[Token]:
    """Lines laid level; a photograph's slope differs between its upper and its lower half."""
    upper = [token for token in tokens if token.middle < height / 2]
    lower = [token for token in tokens if token.middle >= height / 2]
    whole = _slope(tokens)
    above, below = (_slope(half) if len(half) >= FEW_WORDS else whole for half in (upper, lower))
    if not above and not below:
        return tokens
    straight = []
    for token in tokens:
        slope = above + (below - above) * min(1.0, max(0.0, (token.middle / height - 0.25) * 2))
        middle = token.middle - slope * (token.left + token.right) / 2
        # A frame around a sloping word is higher than the word.
        half = max(token.height - abs(slope) * (token.right - token.left), token.height / 4) / 2
        aside = slope * token.middle
        straight.append(_placed(token, token.left + aside, middle - half, token.right + aside, middle + half))
    return straight


def _slope(tokens: Sequence[Token]) -> float:
    """The slope at which words gather most in lines; 0 when straight is as good."""
    if len(tokens) < FEW_WORDS:
        return 0.0
    places = [((token.left + token.right) / 2, token.middle, len(token.text)) for token in tokens]

    def gathered(slope: float) -> float:
        heap: dict[int, float] = {}
        for x, y, weight in places:
            at = (y - slope * x) / BIN
            low = int(at)
            heap[low] = heap.get(low, 0.0) + weight * (1 - at + low)
            heap[low + 1] = heap.get(low + 1, 0.0) + weight * (at - low)
        return sum(value * value for value in heap.values())

    best = max(SLOPES, key=gathered)
    return best if gathered(best) > (STEEP_GAIN if abs(best) > STEEP else GAIN) * gathered(0.0) else 0.0


def _lines(tokens: Iterable[Token]) -> list[list[Token]]:
    """From left to right, each token goes on the line whose last token is level with it."""
    lines: list[list[Token]] = []
    for token in sorted(tokens, key=lambda each: each.left):
        near = [line for line in lines if _level(line, token)]
        if near:
            min(near, key=lambda line: abs(_middle(line) - token.middle)).append(token)
        else:
            lines.append([token])
    return lines


def _middle(line: Sequence[Token]) -> float:
    tall = line[-3:]
    return sum(token.middle for token in tall) / len(tall)


def _level(line: Sequence[Token], token: Token) -> bool:
    last = line[-1]
    if token.left < last.right - max(last.height, token.height):
        return False
    return abs(_middle(line) - token.middle) < 0.5 * max(
        min(last.height, token.height), 0.6 * max(last.height, token.height)
    )


def _cells(line: Sequence[Token], page: int, number: int, typical: float) -> Iterator[Cell]:
    cell = [line[0]]
    for token in line[1:]:
        if token.left - cell[-1].right > CELL_GAP * max(typical, cell[-1].height, token.height):
            yield Cell(tuple(cell), page, number)
            cell = []
        cell.append(token)
    yield Cell(tuple(cell), page, number)
