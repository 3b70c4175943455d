"""Postgres' texts as JSON, the same that to_jsonb makes of the column."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_TRUE = "t"
INTEGERS = frozenset({"int2", "int4", "int8", "oid"})
NUMBERS = INTEGERS | {"float4", "float8", "numeric"}
TIMES = frozenset({"timestamp", "timestamptz"})
MAX_NUMBER_CHARS = 300


def to_json(text: str | None, type_name: str) -> Any:
    """One value; `type_name` is pg_type.typname, with an underscore in front for an array."""
    if text is None:
        return None
    if type_name.startswith("_"):
        inner = type_name[1:]
        return _array(text, lambda item: to_json(item, inner))
    if type_name in INTEGERS:
        return int(text)
    if type_name in NUMBERS:
        return _number(text)
    if type_name == "bool":
        return text == _TRUE
    if type_name in ("json", "jsonb"):
        return json.loads(text)
    if type_name in TIMES:
        return _time(text)
    return text


def _number(text: str) -> Any:
    """NaN and Infinity are texts in JSON, and so is what a double would take for infinity; a number keeps its digits as
    far as a double has them."""
    if len(text) > MAX_NUMBER_CHARS or not re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text):
        return text
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text)


def _time(text: str) -> str:
    """`2026-11-21 03:00:00.5+00` as ISO 8601; infinity stays as it is."""
    return re.sub(r"([+-]\d\d)$", r"\1:00", text.replace(" ", "T", 1)) if text[:1].isdigit() else text


def _array(text: str, convert: Callable[[str | None], Any]) -> Any:
    """`{1,NULL,"a,b"}`; https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO. Bounds are left out."""
    start = text.index("{")
    value, _ = _array_at(text, start, convert)
    return value


def _array_at(text: str, position: int, convert: Callable[[str | None], Any]) -> tuple[list[Any], int]:
    items: list[Any] = []
    position += 1
    while True:
        character = text[position]
        if character == "}":
            return items, position + 1
        if character == ",":
            position += 1
        elif character == "{":
            nested, position = _array_at(text, position, convert)
            items.append(nested)
        elif character == '"':
            item, position = _quoted(text, position + 1)
            items.append(convert(item))
        else:
            end = min(place for place in (text.find(",", position), text.find("}", position)) if place >= 0)
            plain = text[position:end]
            items.append(convert(None if plain == "NULL" else plain))
            position = end


def _quoted(text: str, position: int) -> tuple[str, int]:
    found = []
    while text[position] != '"':
        if text[position] == "\\":
            position += 1
        found.append(text[position])
        position += 1
    return "".join(found), position + 1
