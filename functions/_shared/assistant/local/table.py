"""The table of intents (intents.json), read once: word classes, rules in their order, slots as decision lists.

A class is a list of words and sayings; `stem~` stands for every form in which one asks for something («sposta»,
«spostami», «spostare»). A rule is «saying = settings». A saying that begins with «&» names classes that all have to
occur («-X»: must not); any other is a sequence: CLASS or word, «|» between alternatives, «?» optional, «…» a gap,
«<slot>» what is taken.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Settings = dict[str, str]

_CLITICS = (
    "mi",
    "ti",
    "gli",
    "le",
    "lo",
    "la",
    "li",
    "ci",
    "mela",
    "melo",
    "mele",
    "meli",
    "glielo",
    "gliela",
    "telo",
    "tela",
)
TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("intents.json").read_text("utf-8"))


_MOODS = ("a", "i", "are", "ere", "ire", "iamo", "assi", "essi", "issi")
_BEFORE_CLITICS = ("a", "i", "ar", "er", "ir", "iamo")
_ENDINGS = f"(?:{'|'.join(_MOODS)}|(?:{'|'.join(_BEFORE_CLITICS)})(?:{'|'.join(_CLITICS)}))"


def _forms(stem: str) -> list[str]:
    """«sposta», «spostiamo», «spostare», «spostarmi» …"""
    return [*(stem + mood for mood in _MOODS), *(stem + mood + each for mood in _BEFORE_CLITICS for each in _CLITICS)]


def _words(written: str) -> list[str]:
    return sorted({each.replace("_", " ") for each in written.split() if each[-1] != "~"}, key=len, reverse=True)


def _stems(written: str) -> list[str]:
    return [each[:-1] for each in written.split() if each[-1] == "~"]


def _any_of(written: str) -> str:
    """What matches any word, saying or form of a list."""
    options = [re.escape(word).replace(r"\ ", " ") for word in _words(written)]
    if stems := _stems(written):
        options.append(f"(?:{'|'.join(stems)}){_ENDINGS}")
    return f"(?:{'|'.join(options)})"


_WRITTEN: dict[str, str] = TABLE["classes"]
# The words and sayings of each class, without what stems stand for.
CLASSES = {name: _words(written) for name, written in _WRITTEN.items()}
ALIASES: dict[str, str] = TABLE["aliases"]


def words(name: str) -> frozenset[str]:
    """A plain list of words."""
    return frozenset(TABLE["words"][name].split())


ELISIONS = words("elisions")
_SAYINGS = [saying for group in TABLE["rules"] for saying in group["says"]]
# Every word of the classes; no name begins with one in small letters.
OF_CLASSES = frozenset(word for words in CLASSES.values() for saying in words for word in saying.split()) | frozenset(
    form for written in _WRITTEN.values() for stem in _stems(written) for form in _forms(stem)
)
# Every word that a rule uses.
VOCABULARY = (
    OF_CLASSES
    | frozenset(word for saying in _SAYINGS for word in re.findall(r"[a-z]+", saying))
    | words("figures")
    | words("stop")
    | words("imperatives")
)
# What is no slip of anything.
KNOWN = VOCABULARY | words("common")


def shortened(word: str) -> set[str]:
    """The word, and the word without any one of its letters."""
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}


def _near() -> dict[str, str]:
    """Index the known words by their shortened forms, several words of one form with spaces between.

    Nearly every form has one word, and a string that exists takes no memory: a list for each took 9 MB.
    """
    index: dict[str, str] = {}
    for word in KNOWN:
        if len(word) >= 5 and word.isalpha():
            for form in shortened(word):
                index[form] = f"{index[form]} {word}" if form in index else word
    return index


NEAR = _near()


# What a slot begins with, or holds, beside words of a class.
_LETTERS = "|".join(
    re.escape(each) for each in CLASSES["PURPOSE"] + CLASSES["DUN"] + CLASSES["THANK"] + CLASSES["OFFER"]
)
_BEGINS = {
    "QUOTED": '(?=[«"“])',
    "REACHED": r"(?=.*(?:@|[0-9]{3}))",
    # «la mail di Bianchi», but not «la mail di sollecito», «la mail di ieri a Rossi».
    "PERSON": rf"(?!(?:{_LETTERS}) )(?!.*(?<![^ ])(?:a|ad|al|alla|per|che|:) )",
}


def _item(written: str) -> str:
    optional = written.endswith("?") and len(written) > 1
    written = written.removesuffix("?") if optional else written
    if written == "…":
        return r"(?:\S+ )*?"
    if written[0] == "<":
        name, _, kind = written[1:-1].partition(":")
        if kind == "SPAN":
            # «due giorni»
            return f"(?P<{name}>{_any_of(_WRITTEN['NUMBER'])} {_any_of(_WRITTEN['UNIT'])} )"
        begins = _BEGINS.get(kind) or (f"(?={_any_of(_WRITTEN[kind])} )" if kind else "")
        return f"(?P<{name}>{begins}(?:\\S+ )+?)"
    options = " ".join(_WRITTEN.get(each, each) for each in written.split("|"))
    return f"(?:{_any_of(options)} ){'?' if optional else ''}"


@dataclass(frozen=True)
class Rule:
    """One saying of an intent: a sequence (`form`) or classes that have to occur, or must not."""

    intent: str
    form: re.Pattern[str] | None
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]
    settings: Settings


def _rule(intent: str, written: str) -> Rule:
    saying, _, right = written.partition(" = ")
    settings = {name: value or "1" for name, _, value in (each.partition(":") for each in right.split())}
    if not saying.startswith("& "):
        return Rule(intent, re.compile("".join(map(_item, saying.split())) + "$"), (), (), settings)
    names = saying[2:].split()
    wanted = tuple(each for each in names if each[0] != "-")
    return Rule(intent, None, wanted, tuple(each[1:] for each in names if each[0] == "-"), settings)


def _occurs(alternatives: str) -> re.Pattern[str]:
    return re.compile(f"(?<![^ ]){_any_of(' '.join(_WRITTEN[each] for each in alternatives.split('|')))} ")


RULES = [_rule(group["intent"], written) for group in TABLE["rules"] for written in group["says"]]
# Per intent and slot, in order: value and the classes that say so.
SLOTS = {
    intent: {slot: [_rule(value, f"& {classes}") for value, classes in choices] for slot, choices in slots.items()}
    for intent, slots in TABLE["slots"].items()
}
OCCURS = {
    name: _occurs(name)
    for rule in [*RULES, *(rule for slots in SLOTS.values() for rules in slots.values() for rule in rules)]
    for name in (*rule.wanted, *rule.unwanted)
} | {name: _occurs(name) for name in _WRITTEN}
LEAD = re.compile(f"(?:(?:{_any_of(_WRITTEN['LEAD'])}) (?:, )?|mi (?=\\S+i |fai |dai ))")
TAIL = re.compile(f"(?<![^ ])(?:{_any_of(_WRITTEN['TAIL'])}|[,.?!;:…]) $")
