"""A sentence as rules compare it: folded words, wrong letters put right, politeness taken off; places are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from functions._shared.assistant.local import table
from functions._shared.names import SPELLED_FORM, fold, join_forms

# Beyond these many characters nothing is ordered; what is dictated goes on.
READ_LENGTH = 2000
_TOKEN = re.compile(
    r"«[^»]*»|\"[^\"]*\"|“[^”]*”|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b[Pp]\.? ?(?:[Ii][Vv][Aa])\b"
    rf"|(?i:{SPELLED_FORM})"
    r"|[0-9]+(?:[.:/,][0-9]+)*[°º]?|[^\W\d_](?:[^\W_]|[\u0300-\u036f])*(?:[-&](?:[^\W_])+)*['’]?|\S"
)
# A word, the end of its sentence, and the capital that begins the next.
_BETWEEN = re.compile(r"([\w'’]+)([.!?]+)\s+(?=[A-ZÀ-Ý«])")
# Shorter words before a point are abbreviations.
SHORTEST_END = 3
_LONG = {"x": "per", "cn": "con", "tt": "tutto", "sn": "sono", "nn": "non", "xché": "perché"}
_DAYS = {"lun": "lunedì", "mar": "martedì", "mer": "mercoledì", "gio": "giovedì", "ven": "venerdì", "sab": "sabato"}
# «x» stands for «per» between words only, never between sizes.
_SHORT = re.compile(
    r"(?P<quoted>«[^»]*»|\"[^\"]*\"|“[^”]*”)"
    rf"|(?P<before>\b(?:per|a|di|entro|il) )(?P<day>{'|'.join(_DAYS)})\b(?! [A-Z])"
    r"|(?<![\w@./-])(?P<word>(?<!\d )x(?= [^\W\d])|cn|tt|sn|nn|xché)(?![\w@./'’-])"
)
_ENDS = frozenset("?!.;…")
# Shorter words are too near to others.
TYPO_LENGTH = 5


@dataclass(frozen=True)
class Word:
    """A token of the text; `norm` is what rules compare."""

    raw: str
    norm: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """Whether it is written as names are."""
        return self.raw[0].isalpha() and self.raw[0] != self.raw[0].lower()

    @property
    def quoted(self) -> bool:
        return len(self.raw) > 1 and self.raw[0] in '«"“'


@dataclass(frozen=True)
class Sentence:
    """Words `first` up to `end` of a text."""

    text: str
    words: tuple[Word, ...]
    asks: bool
    _places: dict[int, int] = field(default_factory=dict)

    @cached_property
    def line(self) -> str:
        """The words as rules see them, each followed by a space."""
        return "".join(f"{word.norm} " for word in self.words)

    @cached_property
    def starts(self) -> list[int]:
        """Where each word begins in `line`, and its end."""
        places = [0]
        for word in self.words:
            places.append(places[-1] + len(word.norm) + 1)
        return places

    def said(self, first: int, end: int) -> str:
        """The words from `first` up to `end` as the person wrote them."""
        if first >= end:
            return ""
        return self.text[self.words[first].start : self.words[end - 1].end]

    def part(self, first: int, end: int) -> Sentence:
        """Some of the words."""
        return Sentence(self.text, self.words[first:end], self.asks)

    def place(self, offset: int) -> int:
        """Which word begins at an offset of `line`."""
        return self.starts.index(offset)


# «Mi dici quante persone ho?» asks how many there are.
_ASKS_TO_SAY = re.compile(
    r"^\s*(?:ciao|ehi|buongiorno|senti|scusa)?[ ,]*(?:mi (?:dici|puoi dire|sai dire|fai sapere|fai vedere|"
    "mostri|ricordi)|(?:puoi|sai|sapresti|potresti) dirmi"
    "|dimmi|fammi (?:sapere|vedere|capire)|ricordami|mi (?:serve|servirebbe|interessa) sapere|vorrei "
    "(?:sapere|vedere|capire)"
    r"|voglio (?:sapere|vedere|capire)|devo (?:sapere|capire))(?: (?:un po'|un attimo|per favore))?,? "
    r"(?=(?:quant\w*|qual\w*|chi|cosa|cos'|quando|dove|come|in (?:che|quale|quant\w+)|a (?:chi|quanto|quale|"
    "che)|da (?:chi|quanto)"
    r"|con (?:chi|quale)|di (?:chi|quanto|che)|entro quando|per (?:chi|quanto|quale)|se)\b)(?:se )?",
    re.IGNORECASE,
)


# The point of «Sig. Bonfanti» ends no name; what is dictated keeps its titles.
_TITLE = re.compile(r"\b(?:Sig|Dott|Ing|Avv|Arch|Geom|Rag|Prof)(?:\.(?:ra|ri|ssa))?\.? ?(?<=[.a] )(?=[A-ZÀ-Ý])")


def asked_directly(text: str) -> str:
    """Return a question without the request to answer it: «mi dici quante persone ho?» → «quante persone ho?»."""
    text = _ASKS_TO_SAY.sub("", text)
    return _TITLE.sub("", text) if text.rstrip().endswith("?") else text


def spelled_out(text: str) -> str:
    """«x ven» → «per venerdì», «nn» → «non»: as chats abbreviate, but nothing within quotation marks."""
    for _ in ("words", "the days after them"):
        text = _SHORT.sub(_spelled, text[:READ_LENGTH]) + text[READ_LENGTH:]
    return text


def _spelled(found: re.Match[str]) -> str:
    if found["quoted"]:
        return found[0]
    return f"{found['before']}{_DAYS[found['day']]}" if found["day"] else _LONG[found["word"]]


def sentence_of(text: str) -> Sentence:
    """What the person wrote, read word by word."""
    words = [_word(found, place) for place, found in enumerate(_TOKEN.finditer(text[:READ_LENGTH]))]
    asks = "?" in text[-3:]
    while words and words[-1].norm in _ENDS:
        words.pop()
    return Sentence(text, tuple(words), asks)


def parts_of(text: str) -> list[str]:
    """The sentences of a message; the point of «sig.», «dott.», «n.» ends none."""
    parts, begin = list[str](), 0
    for found in _BETWEEN.finditer(text[:READ_LENGTH]):
        is_short = len(found[1]) < SHORTEST_END or fold(found[1]) in table.words("titles")
        if not (is_short and found[2] == "."):
            parts.append(text[begin : found.end(2)].strip())
            begin = found.end()
    return [each for each in (*parts, text[begin:].strip()) if each] or [text]


def plain(sentence: Sentence) -> Sentence:
    """The sentence without «ciao», «per favore», «mi puoi …»."""
    first, end = 0, len(sentence.words)
    while (found := table.LEAD.match(sentence.part(first, end).line)) and found.end():
        first += sentence.part(first, end).place(found.end())
    # What follows a colon is to be written as it is, thanks and all.
    is_dictated = any(word.raw == ":" for word in sentence.words)
    while not is_dictated and (found := table.TAIL.search(sentence.part(first, end).line)):
        end = first + sentence.part(first, end).place(found.start())
    return sentence.part(first, end) if first < end else sentence


_FIRST_END = re.compile(r"[?!;] +")


def asked_in(sentence: Sentence) -> str:
    """Return its first sentence without courtesies and signs at its end, folded: what readers of questions match."""
    said = plain(sentence)
    if not said.words:
        return ""
    text = fold(said.text[said.words[0].start : said.words[-1].end])
    return " ".join(_FIRST_END.split(text)[0].split()).strip(" .!?,")


def _word(found: re.Match[str], place: int) -> Word:
    raw = found[0]
    norm = join_forms(fold(raw))
    if norm[-1] == "'" and norm not in table.ELISIONS:
        norm = norm[:-1] or norm
    norm = table.ALIASES.get(norm, norm)
    # A capital within the sentence is a name, whatever it looks like.
    if len(norm) >= TYPO_LENGTH and norm.isalpha() and norm not in table.KNOWN and (place == 0 or raw[0].islower()):
        norm = _put_right(norm)
    return Word(raw, norm.replace(" ", "_") if "@" not in norm else norm, found.start(), found.end())


def _put_right(word: str) -> str:
    """The one known word that this is a slip of, if there is one: one letter, two in long words."""
    allowed = 2 if len(word) > 8 else 1
    near = {known for form in table.shortened(word) for known in table.NEAR.get(form, "").split()}
    # Of words as near the longest: letters are forgotten more often than added.
    ranked = sorted((distance(word, known), -len(known), known) for known in near)
    if not ranked or ranked[0][0] > allowed:
        return word
    return ranked[0][2]


def distance(left: str, right: str) -> int:
    """Letters to change, add, drop or swap (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, one in enumerate(left, 1):
        last, before, row = before, row, [i]
        for j, other in enumerate(right, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (one != other))
            if i > 1 and j > 1 and one == right[j - 2] and left[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
