"""Sayings against tokens: how far a rule reaches from a place, and which values it took on its way."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from functions._shared.quick_add import rules
from functions._shared.quick_add.rules import Item, Rule, Slot, Values
from functions._shared.quick_add.tokens import Token, closes, opens

_NUMBER = re.compile("([0-9]{1,4})[°º]?")
_NAMES = frozenset(rules.TABLE["names"].split())
_VERBS = tuple(rules.TABLE["verbs"].split())
_JOINS = frozenset(rules.TABLE["joins"].split())
_LEFT = [rule for rule in rules.RULES if rule.op == "leave"]


@dataclass(frozen=True)
class Match:
    """Tokens from `first` up to `end`, read by `rule`; `kind` is what the part is shown as."""

    rule: Rule
    kind: str
    first: int
    end: int
    values: Values


@dataclass(frozen=True)
class Line:
    """What is read: the text, its tokens, and how many characters of it are looked at."""

    text: str
    tokens: list[Token]

    def reach(self, items: tuple[Item, ...], place: int, step: int = 0) -> tuple[int, Values] | None:
        """Where the saying ends if it begins at `place`; optional items are taken when they can be."""
        if step == len(items):
            return place, {}
        if place < len(self.tokens):
            for option in items[step].options:
                taken = self._take(option, place)
                rest = taken and self.reach(items, taken[0], step + 1)
                if taken and rest:
                    return rest[0], taken[1] | rest[1]
        return self.reach(items, place, step + 1) if items[step].optional else None

    def _take(self, option: str | Slot, place: int) -> tuple[int, Values] | None:
        token = self.tokens[place]
        if isinstance(option, str):
            return (place + 1, {}) if token.norm == option else None
        if option.type in rules.TABLE["lists"]:
            return self._list(option, place)
        if option.type in rules.PHRASES:
            return self._phrase(option, place)
        values = _read(option, token)
        return None if values is None else (place + 1, values)

    def _list(self, slot: Slot, place: int) -> tuple[int, Values] | None:
        """«lunedì, mercoledì e venerdì»."""
        words, found, end = rules.WORDS[slot.type], list[int](), place
        while place < len(self.tokens):
            value = words.get(self.tokens[place].norm)
            if isinstance(value, int):
                found.append(value)
                end = place + 1
            elif not found or self.tokens[place].norm not in _JOINS:
                break
            place += 1
        return (end, {slot.name: sorted(set(found))}) if found else None

    def _phrase(self, slot: Slot, place: int) -> tuple[int, Values] | None:
        """Read the first of the phrases that holds."""
        reached = (self.reach(items, place) for items in rules.PHRASES[slot.type])
        end, values = next((each for each in reached if each), (0, {}))
        prefix = "" if slot.name == slot.type else f"{slot.name}_"
        return (end, {f"{prefix}{name}": value for name, value in values.items()}) if end else None

    def match(self, rule: Rule, place: int) -> Match | None:
        """Apply one rule at a place."""
        return self._apply(rule, None, place, place, (-1, "")) if opens(self.text, self.tokens[place].start) else None

    def matches(self, place: int, last: tuple[int, str]) -> Iterator[Match]:
        """Every rule that holds at this place; `last` is where the part before ended, and its group."""
        if not opens(self.text, self.tokens[place].start):
            return
        starts: list[tuple[str, Rule | None, int]] = [("", None, place)]
        for group, leads in rules.LEADS.items():
            for lead in leads:
                reached = self.reach(lead.items, place)
                if reached and self._follows(lead, place, last):
                    starts.append((group, lead, reached[0]))
        for group, led, begin in starts:
            for rule in rules.RULES:
                found = self._apply(rule, led, place, begin, last) if not led or rule.group == group else None
                if found:
                    yield found

    def cuts(self, found: Match) -> bool:
        """Whether a «leave» begins within a match and goes beyond it: «alle 15 aziende»."""
        within = range(found.first + 1, found.end)
        left = (self._apply(rule, None, each, each, (-1, "")) for each in within for rule in _LEFT)
        return any(each.end > found.end for each in left if each)

    def _apply(self, rule: Rule, lead: Rule | None, first: int, place: int, last: tuple[int, str]) -> Match | None:
        settings, led = rule.settings, lead.settings if lead else {}
        if (
            not _may_lead(rule, lead)
            or not self._follows(rule, first, last)
            or self._refused(rule, lead, first, last[0])
        ):
            return None
        reached = self.reach(rule.items, place)
        if reached is None or ("lower" in settings and self.tokens[place].capital):
            return None
        end, values = reached
        if "to" in led:
            end = self._range_end(str(led["to"]), end)
        if end <= 0 or not closes(self.text, self.tokens[end - 1].end) or not self._conditions(settings, first, end):
            return None
        kind = "deadline" if "deadline" in led else rule.group
        return Match(rule, kind, first, end, settings | values)

    def _range_end(self, name: str, place: int) -> int:
        """«dalle 15 alle 16» is one part; «tra le 15» alone says nothing."""
        until = self.reach(rules.ENDS[name], place)
        clocks = [self.reach(rule.items, until[0]) for rule in rules.RULES if rule.op == "clock"] if until else []
        return max((each[0] for each in clocks if each), default=0 if name == "between" else place)

    def _follows(self, rule: Rule, place: int, last: tuple[int, str]) -> bool:
        wanted = str(rule.settings.get("after", ""))
        if not wanted:
            return True
        comma = place > 0 and self.tokens[place - 1].norm == ","
        return last[0] in ((place, place - 1) if comma else (place,)) and last[1] in wanted.split(",")

    def _refused(self, rule: Rule, lead: Rule | None, first: int, last: int) -> bool:
        """«fattura del 5 dicembre» names a thing."""
        held = (lead and "after" in lead.settings) or "after" in rule.settings
        return not held and 0 < first != last and self.tokens[first - 1].norm in rules.NOT_AFTER.get(rule.group, ())

    def _conditions(self, settings: Values, first: int, end: int) -> bool:
        if "last" in settings and any(each.raw[0].isalnum() for each in self.tokens[end:]):
            return False
        if "then" in settings and not self.reach(rules.items_of(str(settings["then"])), end):
            return False
        if "not_then" in settings and self.reach(rules.items_of(str(settings["not_then"])), end):
            return False
        if "unless" in settings and first and self.reach(rules.items_of(str(settings["unless"])), first - 1):
            return False
        pairs = zip(self.tokens[first : end - 1], self.tokens[first + 1 : end], strict=True)
        return "glued" not in settings or all(left.end == right.start for left, right in pairs)


def _may_lead(rule: Rule, lead: Rule | None) -> bool:
    """Hours need «alle»; «entro» takes more than other words."""
    led = lead.settings if lead else {}
    if rule.op == "clock":
        return lead is not None and "bare" not in led
    if rule.group == "time" and lead:
        return "bare" in led and rule.op != "part"
    return "deadline" not in rule.settings or "deadline" in led


def _read(slot: Slot, token: Token) -> Values | None:
    if slot.type == "Capital":
        return {} if token.capital and not token.norm.endswith(_VERBS) else None
    if slot.type == "Name":
        return {} if token.capital and token.norm in _NAMES else None
    if slot.type in rules.SHAPES:
        return _shape(slot, token)
    if slot.type in rules.NUMBERS:
        digits = _NUMBER.fullmatch(token.raw)
        value = int(digits[1]) if digits else rules.WORDS["number"].get(token.norm)
        low, high = rules.NUMBERS[slot.type]
        if not isinstance(value, int) or not low <= value <= high:
            return None
        exact = {"exact": 1} if slot.name == "hour" and token.raw[0] == "0" else {}
        return {slot.name: value, **exact}
    word = rules.WORDS[slot.type].get(token.norm)
    return None if word is None else {slot.name: word}


def _shape(slot: Slot, token: Token) -> Values | None:
    pattern, names = rules.SHAPES[slot.type]
    found = pattern.fullmatch(token.raw)
    if not found:
        return None
    if slot.name != slot.type:
        return {}
    values: Values = {name: int(digits) for name, digits in zip(names, found.groups(), strict=True)}
    if isinstance(values.get("year"), int) and len(found[names.index("year") + 1]) == 2:
        values["year"] = 2000 + int(found[names.index("year") + 1])
    exact = "hour" in names and (token.raw[0] == "0" or ":" in token.raw)
    return values | ({"exact": 1} if exact else {})
