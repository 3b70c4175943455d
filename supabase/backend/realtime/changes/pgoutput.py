"""Reads `pgoutput`, the format of Postgres' own logical replication, version 1.

https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html. Values come as texts; `values` turns
them into JSON as PostgREST shows the same column.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
Operation = Literal["INSERT", "UPDATE", "DELETE", "TRUNCATE"]


class _Unchanged:
    """A long value that an update did not touch: it is not in the stream."""

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED = _Unchanged()
Value = str | None | _Unchanged


@dataclass(frozen=True)
class Column:
    """`in_key` says whether it belongs to the replica identity."""

    name: str
    type_oid: int
    in_key: bool


@dataclass(frozen=True)
class Relation:
    """A table as the stream describes it; `identity` is pg_class.relreplident: d, n, f or i."""

    oid: int
    schema: str
    table: str
    identity: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Change:
    """One changed row; `old` holds the replica identity's columns, all columns when the identity is full.

    Values are Postgres' texts; `json` holds those that came as JSON already, from a trigger.
    """

    relation: Relation
    operation: Operation
    committed_at: datetime
    new: Mapping[str, Value] | None
    old: Mapping[str, Value] | None
    json: Mapping[str, Any] | None = None


class Decoder:
    """Remembers the relations of one slot's stream."""

    def __init__(self) -> None:
        self._relations: dict[int, Relation] = {}
        self._committed_at = EPOCH

    def decode(self, messages: Sequence[bytes]) -> Iterator[Change]:
        """The changes in these messages, in the order of their commits."""
        for message in messages:
            reader = _Reader(message)
            match reader.byte():
                case "B":
                    reader.skip(8)
                    self._committed_at = EPOCH + timedelta(microseconds=reader.int64())
                case "R":
                    relation = _relation(reader)
                    self._relations[relation.oid] = relation
                case "I":
                    relation = self._relations[reader.uint32()]
                    reader.skip(1)
                    yield Change(relation, "INSERT", self._committed_at, _row(reader, relation), None)
                case "U":
                    yield self._update(reader)
                case "D":
                    relation = self._relations[reader.uint32()]
                    kind = reader.byte()
                    yield Change(relation, "DELETE", self._committed_at, None, _old_row(reader, relation, kind))
                case "T":
                    count = reader.uint32()
                    reader.skip(1)
                    for _ in range(count):
                        relation = self._relations[reader.uint32()]
                        yield Change(relation, "TRUNCATE", self._committed_at, None, None)
                case _:  # commit, origin, type, message
                    pass

    def _update(self, reader: _Reader) -> Change:
        relation = self._relations[reader.uint32()]
        kind, old = reader.byte(), None
        if kind in ("K", "O"):
            old = _old_row(reader, relation, kind)
            reader.skip(1)
        new = _row(reader, relation)
        if old is not None and kind == "O":
            # What was not touched stands in the old row when that is complete.
            new = {name: old.get(name) if value is UNCHANGED else value for name, value in new.items()}
        return Change(relation, "UPDATE", self._committed_at, new, old)


class _Reader:
    """Network byte order."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def _take(self, form: str, size: int) -> int:
        (value,) = struct.unpack_from(form, self._data, self._position)
        self._position += size
        return int(value)

    def byte(self) -> str:
        self._position += 1
        return chr(self._data[self._position - 1])

    def int64(self) -> int:
        return self._take("!q", 8)

    def uint32(self) -> int:
        return self._take("!I", 4)

    def int16(self) -> int:
        return self._take("!h", 2)

    def skip(self, size: int) -> None:
        self._position += size

    def text(self) -> str:
        end = self._data.index(b"\0", self._position)
        found = self._data[self._position : end].decode()
        self._position = end + 1
        return found

    def sized(self) -> str:
        size = self.uint32()
        found = self._data[self._position : self._position + size].decode()
        self._position += size
        return found


def _relation(reader: _Reader) -> Relation:
    oid, schema, table, identity = reader.uint32(), reader.text(), reader.text(), reader.byte()
    columns = []
    for _ in range(reader.int16()):
        in_key = reader.byte() == "\1"
        name, type_oid = reader.text(), reader.uint32()
        reader.skip(4)
        columns.append(Column(name, type_oid, in_key))
    return Relation(oid, schema, table, identity, tuple(columns))


def _row(reader: _Reader, relation: Relation) -> dict[str, Value]:
    row: dict[str, Value] = {}
    count = reader.int16()
    for column in relation.columns[:count]:
        match reader.byte():
            case "n":
                row[column.name] = None
            case "u":
                row[column.name] = UNCHANGED
            case _:
                row[column.name] = reader.sized()
    return row


def _old_row(reader: _Reader, relation: Relation, kind: str) -> dict[str, Value]:
    """Kind K holds the key's columns, with nulls in the place of the others."""
    row = _row(reader, relation)
    return row if kind == "O" else {column.name: row[column.name] for column in relation.columns if column.in_key}
