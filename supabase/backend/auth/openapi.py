"""GET /openapi.json: this service as an OpenAPI 3.1 document, made from the route table and its description.

https://spec.openapis.org/oas/v3.1.1.html
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backend.auth import description
from backend.auth.description import DESCRIBED, Described
from backend.auth.errors import Code

_TEXT = {"type": "string"}
_MOMENT = {"type": "string", "format": "date-time"}
_UUID = {"type": "string", "format": "uuid"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


SCHEMAS: Mapping[str, dict[str, Any]] = {
    "Error": {
        **_object(code={"type": "string", "enum": [str(code) for code in Code]}, message=_TEXT),
        "required": ["code", "message"],
    },
    "User": {
        **_object(
            id=_UUID,
            aud=_TEXT,
            role=_TEXT,
            email=_TEXT,
            phone=_TEXT,
            app_metadata={"type": "object"},
            user_metadata={"type": "object"},
            identities={"type": "array", "items": {"type": "object"}},
            created_at=_MOMENT,
            updated_at=_MOMENT,
            is_anonymous={"type": "boolean"},
        ),
        "required": ["id", "aud", "role", "email", "phone", "app_metadata", "user_metadata", "created_at"],
    },
    "Session": {
        **_object(
            access_token=_TEXT,
            token_type={"const": "bearer"},
            expires_in={"type": "integer"},
            expires_at={"type": "integer"},
            refresh_token=_TEXT,
            user=_reference("User"),
        ),
        "required": ["access_token", "token_type", "expires_in", "expires_at", "refresh_token", "user"],
    },
    # RFC 6749, 5.1; an application gets no user.
    "Tokens": {
        **_object(
            access_token=_TEXT,
            token_type={"const": "bearer"},
            expires_in={"type": "integer"},
            refresh_token=_TEXT,
            id_token=_TEXT,
            scope=_TEXT,
        ),
        "required": ["access_token", "token_type", "expires_in"],
    },
    "SessionOrUser": {"anyOf": [_reference("Session"), _reference("User")]},
    "Sessions": {
        "type": "array",
        "items": _object(
            id=_UUID,
            created_at=_MOMENT,
            refreshed_at={"type": ["string", "null"], "format": "date-time"},
            user_agent={"type": ["string", "null"]},
            ip={"type": ["string", "null"]},
            aal={"enum": ["aal1", "aal2", "aal3"]},
            current={"type": "boolean"},
        ),
    },
    "Object": {"type": "object"},
    "List": {"type": "array"},
}
# Answers without a body.
_BODILESS = ("Nothing", "Redirect")
_SECURITY: Mapping[str, list[dict[str, list[str]]]] = {
    description.ANYBODY: [],
    description.USER: [{"token": []}],
    description.ADMIN: [{"token": []}, {"key": []}],
}


async def document(request: Request) -> Response:
    """This service as an OpenAPI document; it changes only with the software."""
    return JSONResponse(request.app.state.openapi, headers={"Cache-Control": "public, max-age=600"})


def build(routes: Sequence[Route], external_url: str) -> dict[str, Any]:
    """The document of these routes."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = route.path.replace(":path}", "}")
        for method in sorted((route.methods or set()) - {"HEAD"}):
            paths.setdefault(path, {})[method.lower()] = _operation(route, method, path)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Auth",
            "version": "1",
            "description": "Speaks the API of Supabase Auth (GoTrue); send X-Supabase-Api-Version: 2024-01-01.",
        },
        "servers": [{"url": external_url}],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
                "key": {"type": "apiKey", "in": "header", "name": "apikey"},
            },
        },
    }


def _operation(route: Route, method: str, path: str) -> dict[str, Any]:
    described = DESCRIBED.get(f"{method} {path}", Described())
    made: dict[str, Any] = {
        "operationId": f"{method.lower()} {path}",
        "summary": (inspect.getdoc(route.endpoint) or path).partition("\n")[0],
        "security": _SECURITY[described.caller],
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": _TEXT} for name in route.param_convertors),
            *(
                {"name": name, "in": "query", **_needed(needed), "schema": _TEXT}
                for name, _, needed in _fields(described.query)
            ),
        ],
        "responses": {str(described.status): _answer(described.answer), "default": _answer("Error")},
    }
    if described.body:
        content = {"application/json": {"schema": _body(described.body)}}
        made["requestBody"] = {"content": content}
    return made


def _answer(name: str) -> dict[str, Any]:
    if name in _BODILESS:
        return {"description": name}
    return {"description": name, "content": {"application/json": {"schema": _reference(name)}}}


def _body(fields: str) -> dict[str, Any]:
    parsed = _fields(fields)
    needed = [name for name, _, is_needed in parsed if is_needed]
    properties = {name: {"type": [kind, "null"]} for name, kind, _ in parsed}
    return {"type": "object", "properties": properties, **({"required": needed} if needed else {})}


def _fields(text: str) -> list[tuple[str, str, bool]]:
    """(name, type, needed) of each field of a description."""
    found = []
    for word in text.split():
        name, _, kind = word.removesuffix("!").partition(":")
        found.append((name, kind or "string", word.endswith("!")))
    return found


def _needed(needed: bool) -> dict[str, bool]:
    return {"required": True} if needed else {}
