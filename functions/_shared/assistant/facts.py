"""What a person's own message says that is worth keeping: a few Italian ways of saying it, and nothing else.

Only their own words count: what they quote, paste, forward or hand over to be worked on is somebody else's, and so is
a question, a supposition or a long text. Rather nothing than a wrong fact: every pattern names what it is about.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from functions._shared.assistant import origins
from functions._shared.names import fold

Kind = Literal["profilo", "preferenza", "contatto", "decisione", "obiettivo"]

# Longer messages are pasted, not said.
_SAID_LENGTH = 1500
_SHORTEST, _LONGEST = 12, 240

# How things are said, in Italian.
_SAYINGS: dict[str, Any] = json.loads(Path(__file__).with_name("facts.json").read_text(encoding="utf-8"))

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|«[^»]*(?:»|\Z)|“[^”]*(?:”|\Z)|\"[^\"\n]*(?:\"|$)", re.DOTALL | re.MULTILINE
)
_QUOTED_LINE = re.compile(r"^[ \t]*[>|].*$", re.MULTILINE)
# From here on it is a mail that was passed on, or a text to be worked on.
_OTHERS = re.compile(
    rf"^[ \t]*(?:(?:{_SAYINGS['headers']})[ \t]*:|-{{2,}}|_{{4,}}|begin:v|il giorno .*ha scritto)"
    rf"|\b(?:{_SAYINGS['others']})\b[^:\n]{{0,60}}:",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(r"(?<=[.!?;…])\s+|\n+")
_SHORTENED = re.compile(rf"\b(?:{_SAYINGS['shortened']})\.$", re.IGNORECASE)
_OPENING = re.compile(rf"(?:{_SAYINGS['openings']})(?:\s*[,:]\s*|\s+che\s+|\s+)", re.IGNORECASE)
_SUPPOSED = re.compile(rf"(?:{_SAYINGS['suppositions']})\b|.*\?\s*$", re.IGNORECASE)
# What is so today is no fact to keep; «quest'anno» is.
_PASSING = re.compile(rf"\b(?:{_SAYINGS['passing']})\b(?!['’])", re.IGNORECASE)
# What follows asks for something else.
_ASKED_NEXT = re.compile(rf"\s*[,;:–-]\s*(?:{_SAYINGS['asked next']})\b.*", re.IGNORECASE)
_REMEMBER = re.compile(
    rf"(?:(?:ti prego|per favore|mi raccomando)[,\s]*)?(?:{_SAYINGS['remember']})"
    r"(?:\s+(?:bene|sempre|pure|per favore))?\s*(?:,?\s*che\b|:)\s*(?P<fact>.+)",
    re.IGNORECASE,
)

_NAME = r"(?P<name>[A-ZÀ-Ý][\w'’&.-]*\w(?:\s+(?:(?:di|de|del|della|e|&)\s+)?[A-ZÀ-Ý][\w'’&.-]*\w){0,4})"
_TITLE = (
    r"(?:signora?|sig\.(?:ra)?|dott(?:or|oressa|\.(?:ssa)?)|avv(?:ocat[oa]|\.)|ing(?:egner|\.)|arch(?:itett[oa]|\.)|geom(?:etra|\.)|"
    r"cliente|fornitore|ditta|società)\s+"
)
_WHO = rf"(?:(?:[Ii]l|[Ll]a|[Ll]o|[Ii]|[Gg]li)\s+|[Ll]['’])?(?i:{_TITLE})?{_NAME}\s+"
_ADVERB = r"(?:(?:sempre|solo|di solito|in genere|spesso|ora|adesso|però)\s+)*"


def _filled(saying: str) -> str:
    for name, pattern in (("adverb", _ADVERB), ("role", _SAYINGS["role"]), ("time", _SAYINGS["time"])):
        saying = saying.replace(f"{{{name}}}", pattern)
    return saying


_NOBODY = frozenset(_SAYINGS["nobody"].split())
# Kind, what it is about (the same topic of the same person contradicts), and how it is said. Names have capitals.
_PATTERNS: tuple[tuple[Kind, str | None, re.Pattern[str]], ...] = (
    *((kind, topic, re.compile(_filled(saying), re.IGNORECASE)) for kind, topic, saying in _SAYINGS["own"]),
    *((kind, topic, re.compile(_WHO + _ADVERB + _filled(saying))) for kind, topic, saying in _SAYINGS["of somebody"]),
)


@dataclass(frozen=True)
class Fact:
    """A fact as it would be kept, the sentence it came from, and whose it is when it is about somebody."""

    kind: Kind
    body: str
    quote: str
    topic: str | None = None
    name: str | None = None


def facts(message: str) -> list[Fact]:
    """What a message says that is worth keeping, without what it asks to be remembered."""
    found = []
    for sentence in _sentences(message):
        if not _REMEMBER.match(_begun(sentence)):
            fact = _fact(sentence)
            if fact:
                found.append(fact)
    return found


def asked_to_remember(message: str) -> list[str]:
    """What the person says in so many words to remember («ricorda che …»)."""
    asked = (_REMEMBER.match(_begun(sentence)) for sentence in _sentences(message))
    return [_tidy(found["fact"]) for found in asked if found]


def understood(text: str) -> Fact:
    """A fact that is to be kept in any case: its kind, topic and name as far as they are known."""
    body = _tidy(text)
    known = _fact(body)
    return known or Fact("contatto" if re.match(_WHO, body) and not _nobody(body) else "profilo", body, body)


def said(fact: str, message: str) -> bool:
    """Whether a fact stands in the person's own words: all of its figures, and most of its words."""
    own = _stems(" ".join(_sentences(message)))
    words = _stems(fact)
    figures = {word for word in words if any(sign.isdigit() for sign in word)}
    return bool(words) and figures <= own and len(words & own) >= 0.6 * len(words)


def _sentences(message: str) -> list[str]:
    """The person's own sentences, without what they quote or pass on."""
    if len(message) > _SAID_LENGTH:
        return []
    own = _QUOTED_LINE.sub("", _QUOTED.sub(" … ", origins.visible(message)))
    others = _OTHERS.search(own)
    sentences: list[str] = []
    for piece in _SENTENCE.split(own[: others.start()] if others else own):
        if sentences and _SHORTENED.search(sentences[-1]):
            sentences[-1] += " " + piece
        elif piece.strip():
            sentences.append(piece.strip())
    return [sentence for sentence in sentences if "…" not in sentence]


def _begun(sentence: str) -> str:
    """Without the words that a sentence begins with before it says something."""
    while (shorter := _OPENING.sub("", sentence, count=1) if _OPENING.match(sentence) else sentence) != sentence:
        sentence = shorter
    return sentence


def _fact(sentence: str) -> Fact | None:
    said_so = _ASKED_NEXT.sub("", _begun(sentence))
    body = _tidy(said_so)
    if _SUPPOSED.match(sentence) or _SUPPOSED.match(said_so) or _PASSING.search(said_so):
        return None
    if not _SHORTEST <= len(body) <= _LONGEST:
        return None
    for kind, topic, pattern in _PATTERNS:
        found = pattern.fullmatch(said_so) or pattern.fullmatch(body)
        name = found.groupdict().get("name") if found else None
        if found and not (name and _nobody(name)):
            return Fact(kind, body, sentence[:500], topic, name)
    return None


def _nobody(name: str) -> bool:
    return fold(name.split()[0]) in _NOBODY


def _tidy(text: str) -> str:
    """One line, with a capital and without the point at its end."""
    line = re.sub(r"\s+", " ", text).strip(" .;!,:…")
    return line[:1].upper() + line[1:]


def _stems(text: str) -> set[str]:
    """Words by their beginnings, figures as they are."""
    words = re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]{3,}", fold(text))
    return {word if word[0].isdigit() else word[:5] for word in words}
