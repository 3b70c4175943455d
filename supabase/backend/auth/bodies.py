"""Reading request bodies: one frozen dataclass per endpoint, wrong types refused by the name of the field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from backend.auth import errors
from backend.core import http


@dataclass(frozen=True)
class Body:
    """The JSON object of a request, read field by field."""

    content: dict[str, Any]

    def text(self, name: str) -> str:
        """A string field, '' when absent or null."""
        return self.optional_text(name) or ""

    def optional_text(self, name: str) -> str | None:
        """A string field, None when absent or null."""
        if self.content.get(name) is None:
            return None
        value = http.field(self.content, name, str, "")
        _refuse_unstorable(name, value)
        return value

    def texts(self, name: str) -> list[str] | None:
        """A list of strings, None when absent or null."""
        if self.content.get(name) is None:
            return None
        values: list[Any] = http.field(self.content, name, list, [])
        if not all(isinstance(value, str) for value in values):
            raise errors.invalid(f"The field {name} must be a list of strings")
        _refuse_unstorable(name, values)
        return values

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean field."""
        return http.field(self.content, name, bool, default)

    def optional_object(self, name: str) -> dict[str, Any] | None:
        """An object field, None when absent or null."""
        if self.content.get(name) is None:
            return None
        value: dict[str, Any] = http.field(self.content, name, dict, {})
        _refuse_unstorable(name, value)
        return value


async def read(request: Request) -> Body:
    """The body. Raises ApiError 400 bad_json, 413 request_entity_too_large."""
    return Body(await http.json_object(request))


async def read_optional(request: Request) -> Body:
    """The body, an empty one when none was sent. Raises ApiError as read."""
    headers = request.headers
    if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
        return Body({})
    return await read(request)


async def read_if_any(request: Request) -> Body:
    """The body, an empty object where a request comes without one. Raises what `read` raises."""
    headers = request.headers
    announced = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    return await read(request) if announced else Body({})


def _refuse_unstorable(name: str, value: Any) -> None:
    if not http.is_storable(value):
        raise errors.invalid(f"The field {name} contains a character or a number that cannot be stored")
