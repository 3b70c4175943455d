"""What a sentence is weighed by: its words, their beginnings and pieces, pairs of words, the classes of the rules.

Names, figures and addresses count as what they are, not by their letters.
"""

from __future__ import annotations

import itertools
import re
from datetime import date

from functions._shared.assistant.local import names, periods, table
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, Word, plain, sentence_of, spelled_out

# Letters that tell a word; its ending is grammar.
STEM = 6
_SHORT_STEM = 5
# Digits from which a number is to be called.
PHONE_DIGITS = 7
# Whether a period is named depends on no day.
_ANY_DAY = date(2026, 1, 1)
_PIECES = (3, 4, 5)
_INFINITIVE = re.compile(r"[aei]r(?:e|mi|gli|le|lo|la|ti)?$")
_IMPERATIVE = re.compile(r"[ai](?:mi|gli|le|lo|la)$")
# Grammar, not subject.
_UNTOLD = frozenset({"ART", "PREP", "LEAD", "TAIL", "NUMBER"})
_TOLD = tuple(name for name in table.CLASSES if name not in _UNTOLD)
_SETTINGS = frozenset({"when", "state", "direction", "field", "purpose", "stage", "what"})
# How much a sign counts beside a word.
_WEIGHTS = {"c": 0.4, "b": 0.8, "k": 0.5}


def signs(text: str, ruled: Said | None) -> dict[str, float]:
    """Every sign of a sentence with what it counts; `ruled` is what the rules read, if they may say."""
    said = plain(sentence_of(spelled_out(text)))
    stems = _stems(said)
    ends = ("^", *stems, "$")
    found = [
        *(f"b:{left} {right}" for left, right in itertools.pairwise(ends)),
        *(f"k:{left} {right}" for left, right in zip(ends, ends[2:], strict=False)),
        f"f:{' '.join(stems[:1])}",
        f"f2:{' '.join(stems[:2])}",
        f"l:{' '.join(stems[-1:])}",
        f"len{min(len(stems) // 3, 5)}",
        *_words(said),
        *(f"C:{name}" for name in _TOLD if table.OCCURS[name].search(said.line)),
        *_form(said, text),
        *(_ruled(ruled) if ruled else []),
    ]
    return {sign: _WEIGHTS.get(sign.partition(":")[0], 1.0) for sign in found}


def _ruled(ruled: Said) -> list[str]:
    """What the rules read: they are right more often than not."""
    told = (f"R:{ruled.intent} {name}:{value}" for name, value in ruled.slots.items() if name in _SETTINGS)
    return [f"R:{ruled.intent}", *told, *(f"R:{ruled.intent} {name}" for name in ruled.slots)]


def kind(word: Word) -> str | None:
    """What a word is by its form alone; None for letters."""
    if "@" in word.norm:
        return "<email>"
    if word.norm[0].isdigit():
        if ":" in word.norm:
            return "<time>"
        return "<phone>" if sum(each.isdigit() for each in word.norm) >= PHONE_DIGITS else "<number>"
    return None


def _stems(said: Sentence) -> list[str]:
    """The words by their beginnings; a name of several words, or a number in groups, is one."""
    named = names.places(said)
    stems: list[str] = []
    for place, word in enumerate(said.words):
        stem = kind(word) or ("<name>" if place in named else None)
        if stem is None:
            stems.append(word.norm[:STEM] if word.norm[0].isalpha() else word.norm[0])
        elif stem not in ("<name>", "<phone>") or stems[-1:] != [stem]:
            stems.append(stem)
    return stems


def _words(said: Sentence) -> list[str]:
    named = names.places(said)
    found: list[str] = []
    for place, word in enumerate(said.words):
        what = kind(word) or ("<name>" if place in named else None)
        if what or not word.norm[0].isalpha():
            found += [what] if what else []
            continue
        edged = f"^{word.norm}$"
        found += [f"w:{word.norm}", f"s:{word.norm[:_SHORT_STEM]}"]
        found += [f"c:{edged[at : at + size]}" for size in _PIECES for at in range(len(edged) - size + 1)]
    return found


def _form(said: Sentence, text: str) -> list[str]:
    first = said.words[0].norm if said.words else ""
    told = {
        "?": "?" in text,
        "has:": ":" in said.line,
        "period": periods.find(said, _ANY_DAY) is not None,
        "first:infinitive": bool(_INFINITIVE.search(first)),
        "first:imperative": bool(_IMPERATIVE.search(first)),
    }
    return [sign for sign, holds in told.items() if holds]
