"""Parse and apply the filters of subscriptions: `column=op.value`, several joined by comma (REALTIME-06)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

import re2  # type: ignore[import-untyped]

from backend.realtime.changes.pgoutput import UNCHANGED, Value
from backend.realtime.changes.types import SubscriptionError
from backend.realtime.changes.values import NUMBERS

MAX_IN = 100
MAX_FILTER_BYTES = 1024
MAX_CONDITIONS = 20
# RE2 takes time in proportion to a pattern's steps and the text's length, whatever either says: 15 ms for the worst
# filter and value that these let in, 0.02 ms for `like.%word%`.
MAX_PATTERN_CHARS = 200
MAX_PATTERN_STEPS = 500
MAX_MATCHED_BYTES = 4096
PATTERN_MEMORY_BYTES = 128 * 1024
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
        except (ValueError, ArithmeticError):  # a value Python cannot order, such as the date infinity or NaN
            return False
        return False if found is None else found is not self.negated

    def _compare(self, text: str | None, type_name: str) -> bool | None:
        value = self.value
        if self.operator == "is":
            return text is None if value in ("null", "unknown") else text == ("t" if value == "true" else "f")
        if self.operator == "isdistinct":
            if value == "null":
                return text is not None
            return text is None or comparable(text, type_name) != _given(str(value), type_name)
        if text is None:
            return None
        if self.operator == "in":
            return comparable(text, type_name) in _given_any(tuple(value), type_name)
        if self.operator in PATTERNS:
            return _matches(self.operator, text, str(value))
        return ORDERED[self.operator](comparable(text, type_name), _given(str(value), type_name))


def parse(given: str | None, columns: Mapping[str, str]) -> tuple[Condition, ...]:
    """The conditions of a filter; `columns` are the table's names and types. Raises SubscriptionError."""
    if not given:
        return ()
    if len(given.encode()) > MAX_FILTER_BYTES:
        raise SubscriptionError(f"a filter has at most {MAX_FILTER_BYTES} bytes")
    parts = _split(given)
    if len(parts) > MAX_CONDITIONS:
        raise SubscriptionError(f"a filter has at most {MAX_CONDITIONS} conditions")
    conditions = tuple(_condition(part, columns) for part in parts)
    patterns = [_compiled(one.operator, str(one.value)) for one in conditions if one.operator in PATTERNS]
    if sum(pattern.programsize for pattern in patterns) > MAX_PATTERN_STEPS:
        raise SubscriptionError("the pattern is too long or too expensive")
    return conditions


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
    if operator in PATTERNS:
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
        value = comparable(text, type_name)
    except ValueError as error:
        raise SubscriptionError(f"{text[:100]!r} is no {type_name}") from error
    if isinstance(value, Decimal) and value.is_nan():  # it has no order; infinity has, as in Postgres
        raise SubscriptionError(f"{text[:100]!r} cannot be compared")


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
        if type_name == "timestamp":
            return moment.replace(tzinfo=None)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return text.lower() if type_name == "uuid" else text


@lru_cache(4096)
def _given(text: str, type_name: str) -> Any:
    """A filter's own value, read once for many rows."""
    return comparable(text, type_name)


@lru_cache(1024)
def _given_any(items: tuple[str, ...], type_name: str) -> frozenset[Any]:
    return frozenset(comparable(item, type_name) for item in items)


def _matches(operator: str, text: str, pattern: str) -> bool | None:
    """Unknown, as of null, for a text too long to be looked through in the loop that serves everybody."""
    if len(text.encode()) > MAX_MATCHED_BYTES:
        return None
    compiled = _compiled(operator, pattern)
    found = compiled.fullmatch(text) if operator in ("like", "ilike") else compiled.search(text)
    return found is not None


@lru_cache(256)
def _compiled(operator: str, pattern: str) -> Any:
    """The pattern for RE2, which never goes back in a text. Raises SubscriptionError, also for what it cannot do."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise SubscriptionError("the pattern is too long or too expensive")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = PATTERN_MEMORY_BYTES
    options.never_capture = True
    options.dot_nl = True  # as in Postgres
    options.case_sensitive = operator in ("like", "match")
    try:
        compiled = re2.compile(_expression(pattern) if operator in ("like", "ilike") else pattern, options)
    except re2.error as error:
        raise SubscriptionError(f"the pattern is malformed: {error.args[0].decode(errors='replace')}") from error
    if compiled.programsize > MAX_PATTERN_STEPS:
        raise SubscriptionError("the pattern is too long or too expensive")
    return compiled


def _expression(like: str) -> str:
    """A pattern of SQL's LIKE as a regular expression; a backslash takes the next character as it is."""
    parts = re.findall(r"\\?.", like, re.DOTALL)
    if parts and parts[-1] == "\\":
        raise SubscriptionError("the pattern is malformed: it ends with a backslash")
    return "".join({"%": ".*", "_": "."}.get(part) or re2.escape(part[-1]) for part in parts)


def admits(conditions: Sequence[Condition], row: Mapping[str, Value], types: Mapping[str, str]) -> bool:
    """Whether a row satisfies all; a column that is not in the row (a deleted one's) is not asked."""
    for condition in conditions:
        value = row.get(condition.column, UNCHANGED)
        if not isinstance(value, str) and value is not None:
            continue
        if not condition.holds(value, types[condition.column]):
            return False
    return True
