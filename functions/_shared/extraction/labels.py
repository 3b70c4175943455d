"""Labels: the words beside which values stand (labels.json), found in cells though a scan may have split or misread
them.

Phrases are compared without blanks and signs, so «P. IVA», «P.IVA» and «PIVA» are one, and with a letter or two
wrong when they are long. Of labels that overlap the longest counts: «totale imponibile» is not «totale».
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from functions._shared.extraction.layout import LOOKALIKE, Cell, Sheet, Token, compact, plain

# So many letters allow one of them to be wrong.
LETTERS_PER_MISTAKE = 8
MOST_TOKENS = 9
# Shorter ones must be written as they are: «il» is not «li», nor 11.
LOOSE_LETTERS = 4


@dataclass(frozen=True)
class Phrase:
    """What a label means: a key, and how sure it is, 0..1 (above for what a person taught)."""

    key: str
    weight: float
    letters: str

    @classmethod
    def of(cls, key: str, weight: float, words: str) -> Phrase:
        """From words as people write them."""
        letters = plain(words)
        return cls(key, weight, letters if len(letters) < LOOSE_LETTERS else compact(words))


@dataclass(frozen=True, eq=False)
class Label:
    """A phrase where it stands; `tokens` may come from two lines."""

    phrase: Phrase
    cell: Cell
    first: int
    last: int
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens).rstrip(" :.")

    @property
    def key(self) -> str:
        return self.phrase.key

    @property
    def weight(self) -> float:
        return self.phrase.weight


Table = Mapping[str, Sequence[Phrase]]


def _phrases() -> Iterator[Phrase]:
    table: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("labels.json").read_text("utf-8"))
    for key, weights in table.items():
        for weight, phrases in weights.items():
            yield from (Phrase.of(key, float(weight), each) for each in phrases.split("|"))


def table(taught: Iterable[tuple[str, str]] = ()) -> Table:
    """Phrases by their first letter, longest first; what was taught (key, label) outdoes the rest."""
    phrases = [Phrase.of(key, 2.0, label) for key, label in taught if plain(label)]
    known = {phrase.letters for phrase in phrases}
    return by_letter([*phrases, *(phrase for phrase in USUAL if phrase.letters not in known)])


def by_letter(phrases: Iterable[Phrase]) -> Table:
    """Phrases by their first letter, longest first."""
    rows: dict[str, list[Phrase]] = {}
    for phrase in sorted(phrases, key=lambda each: -len(each.letters)):
        rows.setdefault(phrase.letters[0], []).append(phrase)
    return rows


USUAL = tuple(_phrases())


def found(sheet: Sheet, phrases: Table) -> list[Label]:
    """The labels of a page, in reading order."""
    labels = []
    for number, line in enumerate(sheet.lines):
        for cell in line:
            labels += list(_inside(cell, cell.tokens, phrases))
            below = sheet.lines[number + 1] if number + 1 < len(sheet.lines) else ()
            labels += [each for under in below if _stacked(cell, under) for each in _across(cell, under, phrases)]
    return labels


def _inside(cell: Cell, tokens: tuple[Token, ...], phrases: Table) -> Iterator[Label]:
    at = 0
    while at < len(tokens):
        best = _longest(tokens, at, phrases)
        if best is None:
            at += 1
            continue
        phrase, end = best
        yield Label(phrase, cell, at, end, tokens[at:end])
        at = end


def _across(cell: Cell, under: Cell, phrases: Table) -> Iterator[Label]:
    """Labels that go on in the cell below; they stand where their end stands."""
    tokens = cell.tokens + under.tokens
    for label in _inside(under, tokens, phrases):
        if label.first == 0 and label.last == len(tokens):
            yield Label(label.phrase, under, 0, len(under.tokens), tokens)


def _stacked(cell: Cell, under: Cell) -> bool:
    if any(each.isdigit() for each in cell.text + under.text) or len(cell.tokens) + len(under.tokens) > 5:
        return False
    aligned = min(abs(cell.left - under.left), abs(cell.right - under.right)) < 12
    return aligned and under.top - cell.bottom < 1.2 * max(cell.height, under.height)


def _longest(tokens: Sequence[Token], at: int, phrases: Table) -> tuple[Phrase, int] | None:
    if not tokens[at].plain:
        return None
    ends = _ends(tokens, at)
    firsts = dict.fromkeys(joined[0] for _, *spellings in ends[:1] for joined in spellings)
    for phrase in sorted((each for first in firsts for each in phrases.get(first, ())), key=_length):
        spellings = [(end, written if len(phrase.letters) < LOOSE_LETTERS else loose) for end, written, loose in ends]
        same = next((end for end, read in spellings if read == phrase.letters), None)
        same = same or next((end for end, read in spellings if _misread(phrase.letters, read)), None)
        if same is not None:
            return phrase, same
    return None


def _length(phrase: Phrase) -> int:
    return -len(phrase.letters)


def _ends(tokens: Sequence[Token], at: int) -> list[tuple[int, str, str]]:
    """Where a label may end, with the letters up to there as written and with lookalikes as one."""
    joined, ends = "", []
    for end in range(at, min(at + MOST_TOKENS, len(tokens))):
        # A sign of its own, like a dash, ends no label.
        if tokens[end].plain:
            joined += tokens[end].plain
            ends.append((end + 1, joined, joined.translate(LOOKALIKE)))
    return ends


def _misread(phrase: str, read: str) -> bool:
    mistakes = len(phrase) // LETTERS_PER_MISTAKE
    # What lacks an end is another label: «fattura» is not «fattura n».
    if not mistakes or abs(len(phrase) - len(read)) > mistakes or phrase.startswith(read) or read.startswith(phrase):
        return False
    return _distance(phrase, read, mistakes) <= mistakes


def _distance(one: str, two: str, most: int) -> int:
    """How many letters must change, up to `most` + 1."""
    start = 0
    while start < min(len(one), len(two)) and one[start] == two[start]:
        start += 1
    one, two = one[start:], two[start:]
    if not one or not two or most == 0:
        return max(len(one), len(two)) if not one or not two else most + 1
    return 1 + min(
        _distance(one[1:], two[1:], most - 1), _distance(one[1:], two, most - 1), _distance(one, two[1:], most - 1)
    )
