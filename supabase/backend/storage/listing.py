"""/object/list and /object/list-v2: what lies in a folder, or below it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.storage import errors, forms, listing_queries, names
from backend.storage.errors import Code, StorageError
from backend.storage.listing_queries import Entry, Page
from backend.storage.models import instant
from backend.storage.service import asked

COLUMNS = frozenset({"name", "created_at", "updated_at", "last_accessed_at"})
ORDERS = frozenset({"asc", "desc"})
MOST = 1000


async def listed(request: Request) -> Response:
    """POST /object/list/:bucket: folders first, then the files of one folder."""
    caller = asked(request)
    body = await forms.json_body(request)
    prefix = names.folder(forms.text(body, "prefix", default=""))
    column, order = _sorting(body)
    async with caller.transaction("object.list") as connection:
        found = await listing_queries.folder(
            connection,
            request.path_params["bucket"],
            f"{prefix}/" if prefix else "",
            search=names.written(forms.text(body, "search", default="")),
            column=column,
            order=order,
            limit=forms.number(body, "limit", 100, 1, MOST),
            offset=forms.number(body, "offset", 0, 0, 2**31),
        )
    return JSONResponse([_row(entry) for entry in found])


def _sorting(body: Mapping[str, Any]) -> tuple[str, str]:
    given = body.get("sortBy") or {}
    if not isinstance(given, Mapping):
        raise errors.bad_request("body/sortBy must be object")
    column, order = given.get("column") or "name", given.get("order") or "asc"
    if column not in COLUMNS or order not in ORDERS:
        raise errors.bad_request("body/sortBy must name a known column and order", Code.INVALID_PARAMETER)
    return str(column), str(order)


def _row(entry: Entry) -> dict[str, Any]:
    """Return the entry as a row of the list; a folder is a row of nulls (STORAGE-02)."""
    times = {"updated_at": entry.updated_at, "created_at": entry.created_at, "last_accessed_at": entry.last_accessed_at}
    return {
        "name": entry.name,
        "id": None if entry.id is None else str(entry.id),
        **{name: None if entry.id is None or moment is None else instant(moment) for name, moment in times.items()},
        "metadata": entry.metadata,
    }


async def listed_by_cursor(request: Request) -> Response:
    """POST /object/list-v2/:bucket: pages that stay right while objects come and go."""
    caller = asked(request)
    body = await forms.json_body(request)
    column, order = _sorting(body)
    page = Page(
        prefix=names.written(forms.text(body, "prefix", default="")),
        by_folder=body.get("with_delimiter") is True,
        column="name" if column == "last_accessed_at" else column,
        order=order,
        limit=forms.number(body, "limit", MOST, 1, MOST),
        after=_cursor(forms.text(body, "cursor", default=""), column),
    )
    async with caller.transaction("object.list_v2") as connection:
        found = await listing_queries.page(connection, request.path_params["bucket"], page)
    entries, more = found[: page.limit], len(found) > page.limit
    answer: dict[str, Any] = {
        "hasNext": more,
        "folders": [{**_row(entry), "key": entry.name.rstrip("/")} for entry in entries if entry.id is None],
        "objects": [{**_row(entry), "key": entry.name} for entry in entries if entry.id is not None],
    }
    if more:
        answer["nextCursor"] = _written_cursor(entries[-1], page)
    return JSONResponse(answer)


def _written_cursor(last: Entry, page: Page) -> str:
    value = (
        last.name if page.column == "name" else (last.updated_at if page.column == "updated_at" else last.created_at)
    )
    place = [value if isinstance(value, str) else None if value is None else value.isoformat(), last.name]
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def _cursor(given: str, column: str) -> tuple[str, str] | None:
    """Raises InvalidParameter for what `_written_cursor` cannot have written."""
    if not given:
        return None
    try:
        place = json.loads(base64.urlsafe_b64decode(given))
        value, name = forms.texts({"cursor": place}, "cursor")
        if column in ("created_at", "updated_at"):
            value = datetime.fromisoformat(value).isoformat()
    except (ValueError, TypeError, RecursionError, StorageError) as error:
        raise errors.bad_request("The cursor is none of ours", Code.INVALID_PARAMETER) from error
    return value, name
