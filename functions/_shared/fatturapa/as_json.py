"""Frozen dataclasses as JSON and back, by their types: the shape of the JSON is the shape of `model`.

Days and moments are ISO text, tuples are lists, every field is there (null when it is None) except those whose metadata
say `in_json: False`.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from datetime import date, datetime
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def encoded(value: Any) -> Any:
    """What `json.dumps` takes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: encoded(getattr(value, name)) for name in _fields(type(value))}
    if isinstance(value, tuple):
        return [encoded(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value


def decoded(kind: type[T], value: Any) -> T:
    """The dataclass that was encoded; a field that came later is empty in it.

    Raises ValueError, TypeError or KeyError when it was another one.
    """
    result: T = _decoded(kind, value)
    return result


@functools.cache
def _fields(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in dataclasses.fields(kind) if each.metadata.get("in_json", True)}


def _decoded(kind: Any, value: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        inner = next(each for each in arguments if each is not type(None))
        return None if value is None else _decoded(inner, value)
    if origin is tuple:
        return tuple(_decoded(arguments[0], each) for each in value)
    if origin is Literal:
        return _expected(value in arguments, value)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return kind(**{name: _decoded(hint, _given(value, name, hint)) for name, hint in _fields(kind).items()})
    if kind in (date, datetime):
        return kind.fromisoformat(value)
    # bool is an int to Python; no amount is «true».
    return _expected(isinstance(value, kind) and isinstance(value, bool) == (kind is bool), value)


def _given(value: dict[str, Any], name: str, hint: Any) -> Any:
    if name in value:
        return value[name]
    if get_origin(hint) in (Union, types.UnionType):
        return None
    if get_origin(hint) is tuple:
        return []
    raise KeyError(name)


def _expected(fits: bool, value: Any) -> Any:
    if not fits:
        raise ValueError(f"unexpected value {value!r:.80}")
    return value
