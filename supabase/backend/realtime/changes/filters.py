"""The filters of subscriptions: `column=op.value`, several joined by comma (api-reference 4.5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from backend.realtime.changes.pgoutput import UNCHANGED, Value
from backend.realtime.changes.types import SubscriptionError
from backend.realtime.changes.values import NUMBERS

MAX_IN = 100
ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda left, right: bool(left == right),
    "neq": lambda left, right: bool(left != right),
    "lt": lambda left, right: bool(left < right),
    "lte": lambda left, right: bool(left <= right),
    "gt": lambda left, right: bool(left > right),
    "gte": lambda left, right: bool(left >= right),
}
PATTERNS = frozenset({"like", "ilike", "match", "imatch"})
IS = frozenset({"null", "true", "false", "unknown"})


@dataclass(frozen=True)
class Condition:
    """One comparison; `value` is a list for `in`."""

    column: str
    operator: str
    value: str | tuple[str, ...]
    negated: bool = False

    def holds(self, text: str | None, type_name: str) -> bool:
        """Whether a value of this column satisfies it; null satisfies nothing but `is` and `isdistinct`, as in SQL."""
        try:
            found = self._compare(text, type_name)
        except ValueError:  # a value Python cannot order, such as the date infinity
            return False
        return False if found is None else found is not self.negated

    def _compare(self, text: str | None, type_name: str) -> bool | None:
        value = self.value
        if self.operator == "is":
            return text is None if value in ("null", "unknown") else text == ("t" if value == "true" else "f")
        if self.operator == "isdistinct":
            if value == "null":
                return text is not None
            return text is None or comparable(text, type_name) != comparable(str(value), type_name)
        if text is None:
            return None
        if self.operator == "in":
            return comparable(text, type_name) in {comparable(item, type_name) for item in value}
        if self.operator in PATTERNS:
            return _matches(self.operator, text, str(value))
        return ORDERED[self.operator](comparable(text, type_name), comparable(str(value), type_name))


def parse(given: str | None, columns: Mapping[str, str]) -> tuple[Condition, ...]:
    """The conditions of a filter; `columns` are the table's names and types. Raises SubscriptionError."""
    return () if not given else tuple(_condition(part, columns) for part in _split(given))


def _split(given: str) -> list[str]:
    """At commas outside of parentheses and quotes."""
    parts, current, depth, quoted = [], "", 0, False
    for character in given:
        if character == '"':
            quoted = not quoted
        elif not quoted and character in "()":
            depth += 1 if character == "(" else -1
        if character == "," and depth == 0 and not quoted:
            parts.append(current)
            current = ""
        else:
            current += character
    return [*parts, current]


def _condition(part: str, columns: Mapping[str, str]) -> Condition:
    match = re.fullmatch(r"\s*([^=]+)=(not\.)?([a-z]+)\.(.*)", part, re.DOTALL)
    if match is None:
        raise SubscriptionError(f"the filter {part[:100]!r} is not column=operator.value")
    column, negated, operator, value = match[1], bool(match[2]), match[3], match[4]
    if column not in columns:
        raise SubscriptionError(f"there is no column {column[:100]!r}")
    if operator == "in":
        return Condition(column, operator, _items(value, columns[column]), negated)
    if operator == "is" and value not in IS:
        raise SubscriptionError("is takes null, true, false or unknown")
    if operator not in (*ORDERED, *PATTERNS, "is", "isdistinct"):
        raise SubscriptionError(f"there is no operator {operator!r}")
    plain = _unquoted(value)
    if operator in ("match", "imatch"):
        _compiled(operator, plain)
    elif operator in ORDERED or (operator == "isdistinct" and plain != "null"):
        _require(plain, columns[column])
    return Condition(column, operator, plain, negated)


def _items(value: str, type_name: str) -> tuple[str, ...]:
    if not (value.startswith("(") and value.endswith(")")):
        raise SubscriptionError("in takes a list in parentheses")
    items = tuple(_unquoted(item.strip()) for item in _split(value[1:-1]))
    if len(items) > MAX_IN:
        raise SubscriptionError(f"in takes at most {MAX_IN} values")
    for item in items:
        _require(item, type_name)
    return items


def _require(text: str, type_name: str) -> None:
    try:
        comparable(text, type_name)
    except ValueError as error:
        raise SubscriptionError(f"{text[:100]!r} is no {type_name}") from error


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value


def comparable(text: str, type_name: str) -> Any:
    """A value that compares as Postgres compares this type. Raises ValueError for what is none."""
    if type_name in NUMBERS:
        try:
            return Decimal(text)
        except InvalidOperation as error:
            raise ValueError(text) from error
    if type_name == "bool":
        known = {"t": True, "true": True, "f": False, "false": False}
        if text.lower() not in known:
            raise ValueError(text)
        return known[text.lower()]
    if type_name in ("timestamptz", "timestamp"):
        moment = datetime.fromisoformat(text)
        return moment.astimezone() if type_name == "timestamptz" else moment.replace(tzinfo=None)
    return text.lower() if type_name == "uuid" else text


def _matches(operator: str, text: str, pattern: str) -> bool:
    if operator in ("match", "imatch"):
        return _compiled(operator, pattern).search(text) is not None
    escaped = re.sub(r"\\?.", _like, pattern, flags=re.DOTALL)
    flags = re.DOTALL | (re.IGNORECASE if operator == "ilike" else 0)
    return re.fullmatch(escaped, text, flags) is not None


def _like(match: re.Match[str]) -> str:
    part = match[0]
    if len(part) == 2:
        return re.escape(part[1])
    return {"%": ".*", "_": "."}.get(part, re.escape(part))


def _compiled(operator: str, pattern: str) -> re.Pattern[str]:
    if len(pattern) > 200 or re.search(r"[+*}]\)?[+*{]", pattern):
        raise SubscriptionError("the pattern is too long or too expensive")
    try:
        return re.compile(pattern, re.IGNORECASE if operator == "imatch" else 0)
    except re.error as error:
        raise SubscriptionError(f"the pattern is malformed: {error}") from error


def admits(conditions: Sequence[Condition], row: Mapping[str, Value], types: Mapping[str, str]) -> bool:
    """Whether a row satisfies all; a column that is not in the row (a deleted one's) is not asked."""
    for condition in conditions:
        value = row.get(condition.column, UNCHANGED)
        if not isinstance(value, str) and value is not None:
            continue
        if not condition.holds(value, types[condition.column]):
            return False
    return True
