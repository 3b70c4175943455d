"""All that a function may import from the backend.

A function is a file `functions/<slug>.py` (or a folder with `__init__.py`; hyphens of the slug are underscores in
the name) with one coroutine:

    from backend.edge import api

    async def handle(call: api.Call) -> api.Response:
        body = await call.json()
        async with call.as_caller() as connection:
            ...
        return api.JSONResponse({"url": url})

It acts as its caller. `as_service` bypasses row level security and is only for what the caller has no right to do by
design. `raise api.Refused(409, "already_paid", "…")` answers in the platform's error format.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import aiohttp
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from backend.core import db, http
from backend.core.db import Connection
from backend.core.errors import ApiError as Refused
from backend.core.jobs import enqueue
from backend.core.resources import Resources

__all__ = ["Call", "Connection", "JSONResponse", "Refused", "Response", "StreamingResponse", "enqueue"]


@dataclass(frozen=True)
class Call:
    """One request to a function; `claims` are those of the caller's verified token, or of the API key's role."""

    request: Request
    claims: Mapping[str, Any]
    _resources: Resources = field(repr=False)

    @property
    def user_id(self) -> str | None:
        """The signed-in caller."""
        return self.claims.get("sub")

    @property
    def client_ip(self) -> str:
        """The caller's address, forged headers ignored."""
        return http.client_ip(self.request, self._resources.settings)

    @property
    def http(self) -> aiohttp.ClientSession:
        """For outward calls; has a timeout."""
        return self._resources.http

    def now(self) -> datetime:
        """The time, aware, UTC."""
        return self._resources.now()

    def secret(self, purpose: str) -> bytes:
        """A key of 32 bytes for one purpose, the same in every process of this installation."""
        return self._resources.keys.derive(purpose)

    async def json(self) -> dict[str, Any]:
        """The body as a JSON object. Raises Refused 400, 413."""
        return await http.json_object(self.request)

    def as_caller(self) -> AbstractAsyncContextManager[Connection]:
        """A transaction with the caller's rights."""
        return db.as_claims(self._resources.pool, self.claims)

    def as_service(self) -> AbstractAsyncContextManager[Connection]:
        """A transaction as service_role."""
        return db.as_claims(self._resources.pool, {"role": "service_role"})
