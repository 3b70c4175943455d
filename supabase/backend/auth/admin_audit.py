"""GET /admin/audit: what happened, newest first."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, errors, paging, patterns, queries
from backend.core import db, http

# What `query=field:term` may look at, by the names of the payload.
_FIELDS = {"author": ["actor_username", "actor_name"], "action": ["action"], "type": ["log_type"]}


async def audit(request: Request) -> Response:
    """The entries of a page, as a list. Raises what access.admin raises, and AuthError validation_failed."""
    await access.admin(request)
    page = paging.read(request)
    fields, pattern = _read(request.query_params.get("query", ""))
    async with db.connection(http.resources(request).pool) as connection:
        total = await queries.audit.count(connection, fields, pattern)
        entries = await queries.audit.page(connection, fields, pattern, limit=page.size, offset=page.offset)
    return JSONResponse([entry.public() for entry in entries], headers=paging.headers(request, page, total))


def _read(query: str) -> tuple[list[str], str]:
    if not query:
        return [], ""
    field, colon, term = query.partition(":")
    if not colon or field not in _FIELDS:
        raise errors.invalid(f"Invalid query scope: {field[:50]}")
    return _FIELDS[field], patterns.containing("query", term)
