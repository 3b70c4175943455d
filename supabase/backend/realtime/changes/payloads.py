"""Write the payload of a change as upstream does (REALTIME-06)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from backend.realtime.changes.catalog import Access, Table
from backend.realtime.changes.pgoutput import Change, Value
from backend.realtime.changes.values import to_json

# Beyond it only small values are sent (REALTIME-06).
MAX_RECORD_BYTES = 1024 * 1024
SMALL_BYTES = 64
TOO_LARGE = "Error 413: Payload Too Large"


def data(
    table: Table, access: Access, change: Change, select: tuple[str, ...] | None, errors: list[str]
) -> dict[str, Any]:
    """The `data` of a message, as upstream writes it."""
    shown = [
        name
        for name in table.columns
        if name in access.columns and (select is None or name in select or name in table.key)
    ]
    data: dict[str, Any] = {
        "type": change.operation,
        "schema": table.schema,
        "table": table.name,
        "commit_timestamp": change.committed_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "columns": [{"name": name, "type": table.columns[name]} for name in shown],
        "errors": errors or None,
    }
    if errors:
        return {**data, "columns": [], "record": {}, "old_record": {}}
    if change.new is not None:
        record = _record(table, shown, change, change.new)
        if sum(len(value) for value in change.new.values() if isinstance(value, str)) > MAX_RECORD_BYTES:
            record = {name: value for name, value in record.items() if len(json.dumps(value)) <= SMALL_BYTES}
            data["errors"] = [TOO_LARGE]
        data["record"] = record
    if change.operation != "INSERT":
        data["old_record"] = _old_record(table, shown, change)
    return data


def _old_record(table: Table, shown: Sequence[str], change: Change) -> dict[str, Any]:
    """What identified the row before; under row level security never more than its primary key."""
    before = change.old if change.old is not None else {name: (change.new or {}).get(name) for name in table.key}
    names = [name for name in shown if name in before and (name in table.key or not table.has_rls)]
    as_json = change.json if change.operation == "DELETE" else None
    return _values(table, names, before, as_json)


def _record(table: Table, shown: Sequence[str], change: Change, row: Mapping[str, Value]) -> dict[str, Any]:
    return _values(table, [name for name in shown if name in row], row, change.json)


def _values(
    table: Table, names: Sequence[str], row: Mapping[str, Value], as_json: Mapping[str, Any] | None
) -> dict[str, Any]:
    if as_json is not None:
        return {name: as_json.get(name) for name in names}
    texts = {name: row[name] for name in names}
    return {
        name: to_json(value, table.columns[name])
        for name, value in texts.items()
        if isinstance(value, str) or value is None
    }
