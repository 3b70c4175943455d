"""Words, numbers and signs of a line, with their places; what stands in quotes is one closed token."""

import re
from dataclasses import dataclass

from functions._shared.names import fold

# Quoted text, @name or #name, runs of «!», words with their apostrophe, numbers with what binds them, any other sign.
_QUOTED = r"«[^»]*»|\"[^\"]*\"|“[^”]*”"
_NAME = r"\w+(?:[.&'’+-]\w+)*"
_TOKEN = re.compile(
    rf"{_QUOTED}|[@#](?:{_QUOTED}|{_NAME})|!+|‼\ufe0f?|(?:[^\W\d_]|[\u0300-\u036f])+['’]?"
    r"|[0-9]+(?:[.:/,-][0-9]+)*[°º]?|\S"
)


@dataclass(frozen=True)
class Token:
    """`norm` is what rules compare: lower case, no accents, straight apostrophe."""

    raw: str
    norm: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        return self.raw[0].isalpha() and self.raw[0] != self.raw[0].lower()


def tokens_of(text: str) -> list[Token]:
    """All tokens in order; white space is between them."""
    return [Token(found[0], fold(found[0]), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def opens(text: str, place: int) -> bool:
    """Whether a part may begin here: not in the middle of a word, an address, a quotation."""
    return place == 0 or text[place - 1].isspace() or text[place - 1] in "([,;"


def closes(text: str, place: int) -> bool:
    """Whether a part may end here."""
    rest = text[place : place + 2]
    if not rest or rest[0].isspace():
        return True
    if rest[0] in ",;":
        return not rest[1:].isdigit()
    return rest[0] in ".:!?)]…" and (len(rest) < 2 or rest[1].isspace() or rest[1] in ".,;:!?)]…")
