"""GET /health: the service answers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

# The upstream release whose protocol we speak.
VERSION = "v2.190.0"


async def health(_request: Request) -> Response:
    """In upstream's words, for tools that look for them; whether the database answers is the gateway's /ready."""
    description = "GoTrue is a user registration and authentication API"
    return JSONResponse({"version": VERSION, "name": "GoTrue", "description": description})
