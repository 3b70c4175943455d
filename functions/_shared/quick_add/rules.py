"""The tables of rules, read once: words with their values, and sayings as sequences of words and slots.

rules.json holds what a task says and is also read by the browser; periods.json adds what only questions say.
A rule is «saying = settings». A saying is a sequence of items: words joined by «|» are alternatives, «?» makes an item
optional, «<n>» is a slot, «<to:day>» a slot under another name. A slot of periods.json may hold a phrase: «<to:Day>»
puts «to_» before the names of its values. Settings are values («n:2») or conditions («lower»).
"""

import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions._shared.names import fold

# Which slot of the answer an operation fills.
GROUPS = {
    "in": "date",
    "weekday": "date",
    "monthday": "date",
    "date": "date",
    "nth": "date",
    "edge": "date",
    "clock": "time",
    "moment": "time",
    "part": "time",
    "wait": "time",
    "every": "recurrence",
    "level": "priority",
    "someday": "someday",
    "leave": "leave",
    "void": "void",
}
Value = int | str | list[int]
Values = dict[str, Value]


@dataclass(frozen=True)
class Slot:
    """A place that takes a value: `name` in the answer, `type` in the table."""

    name: str
    type: str


@dataclass(frozen=True)
class Item:
    options: tuple[str | Slot, ...]
    optional: bool


@dataclass(frozen=True)
class Rule:
    """One saying: its operation, its items, and what it sets or demands."""

    op: str
    items: tuple[Item, ...]
    settings: Values

    @property
    def group(self) -> str:
        return GROUPS.get(self.op, "period")


def _option(written: str) -> str | Slot:
    if len(written) < 3 or written[0] != "<":
        return fold(written)
    name, _, kind = written[1:-1].partition(":")
    return Slot(name, kind or name)


def items_of(saying: str) -> tuple[Item, ...]:
    """A saying as the matcher wants it."""
    return tuple(
        Item(
            tuple(_option(each) for each in written.removesuffix("?").split("|")),
            len(written) > 1 and written[-1] == "?",
        )
        for written in saying.split()
    )


def _value(written: str) -> Value:
    if re.fullmatch("-?[0-9]+", written):
        return int(written)
    return [int(each) for each in written.split(",")] if re.fullmatch("[0-9,]+", written) else written


def _rule(op: str, written: str) -> Rule:
    saying, _, right = written.partition(" = ")
    pairs = (each.partition(":") for each in right.split())
    return Rule(op, items_of(saying), {name: _value(value) if value else 1 for name, _, value in pairs})


def _lexicon(written: str) -> dict[str, Value]:
    """«0 lun mar» counts from zero, «natale=1225» says its value; «lunedi'» is lunedì on a foreign keyboard."""
    words: dict[str, Value] = {}
    count = 0
    for each in written.split():
        if each.isdigit():
            count = int(each)
            continue
        names, _, value = each.partition("=")
        for name in names.split("|"):
            words[fold(name)] = _value(value) if value else count
            if unicodedata.normalize("NFD", name)[-1] == "\u0300":
                words[fold(name) + "'"] = words[fold(name)]
        count += 1
    return words


def first_words(items: tuple[Item, ...]) -> frozenset[str] | None:
    """Return the words that a saying may begin with; None if it may begin with a number."""
    words = set[str]()
    for item in items:
        for option in item.options:
            found = _words_of(option)
            if found is None:
                return None
            words |= found
        if not item.optional:
            break
    return frozenset(words)


def _words_of(option: str | Slot) -> frozenset[str] | None:
    if isinstance(option, str):
        return frozenset({option})
    if option.type not in PHRASES:
        return frozenset(WORDS[option.type]) if option.type in WORDS else None
    found = [first_words(items) for items in PHRASES[option.type]]
    return None if None in found else frozenset().union(*(each or () for each in found))


def _table(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(Path(__file__).with_name(name).read_text("utf-8"))
    return read


TABLE = _table("rules.json")
_PERIODS = _table("periods.json")
WORDS = {name: _lexicon(written) for name, written in (TABLE["words"] | _PERIODS["words"]).items()}
for _name, _parts in TABLE["lists"].items():
    WORDS[_name] = {word: value for part in _parts.split() for word, value in WORDS[part].items()}
NUMBERS = TABLE["numbers"] | _PERIODS["numbers"]
SHAPES = {name: (re.compile(shape[0]), shape[1:]) for name, shape in (TABLE["shapes"] | _PERIODS["shapes"]).items()}
PHRASES = {name: [items_of(each) for each in sayings] for name, sayings in _PERIODS["phrases"].items()}
RULES = [_rule(op, written) for op, sayings in TABLE["rules"].items() for written in sayings]
PERIODS = [_rule(op, written) for op, sayings in _PERIODS["periods"].items() for written in sayings]
PAST_DAYS = [_rule("past", written) for written in _PERIODS["past_days"]]
TAILS = [_rule("every", written) for written in TABLE["tails"]]
LEADS = {group: [_rule("leave", written) for written in sayings] for group, sayings in TABLE["leads"].items()}
ENDS = {name: items_of(saying) for name, saying in TABLE["ends"].items()}
NOT_AFTER = {group: frozenset(words.split()) for group, words in TABLE["not_after"].items()}
