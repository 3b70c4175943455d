"""What a service may answer when it cannot do what was asked, and how that looks on the wire.

    ApiError                 any refusal: status, code, message for the client, cause for the log
    └── ServiceUnavailable   something we need is away; the client should come back

The body is `{"code", "message", "request_id"}`; the auth service renders its own subclass in GoTrue's formats.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ExceptionHandler

from backend.core import log

logger = logging.getLogger("backend.errors")


class Code(StrEnum):
    """The codes every service shares; a service adds its own enum."""

    BAD_JSON = "bad_json"
    VALIDATION_FAILED = "validation_failed"
    NO_AUTHORIZATION = "no_authorization"
    BAD_JWT = "bad_jwt"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    REQUEST_ENTITY_TOO_LARGE = "request_entity_too_large"
    REQUEST_TIMEOUT = "request_timeout"
    UNEXPECTED_FAILURE = "unexpected_failure"
    SERVICE_UNAVAILABLE = "service_unavailable"


class ApiError(Exception):
    """A refusal with its HTTP status, a code from a closed list and a message the client may show."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        cause: BaseException | str | None = None,
        headers: Mapping[str, str] | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.cause = cause
        self.headers = dict(headers or {})
        self.details = dict(details or {})


class ServiceUnavailable(ApiError):
    """The database or PostgREST is away; `Retry-After` says when to come back."""

    def __init__(self, message: str, *, cause: BaseException | str | None = None, retry_after_s: int = 1) -> None:
        super().__init__(
            503, Code.SERVICE_UNAVAILABLE, message, cause=cause, headers={"Retry-After": str(retry_after_s)}
        )


def record(error: ApiError) -> None:
    """Log a refusal with its cause if there is one, as a warning when it is our fault."""
    level = logging.WARNING if error.status >= 500 else logging.INFO
    cause = error.cause if error.cause is not None else error.__cause__
    details = {"status": error.status, "code": str(error.code)}
    if cause is not None:
        details["cause"] = f"{type(cause).__name__}: {cause}" if isinstance(cause, BaseException) else cause
    logger.log(level, "request refused", extra=details)


def response(
    status: int,
    code: str,
    message: str,
    headers: Mapping[str, str] | None = None,
    details: Mapping[str, Any] | None = None,
) -> JSONResponse:
    """Render an error of any service but auth; `details` is in the body only when the refusal has some."""
    body: dict[str, object] = {"code": str(code), "message": message, "request_id": log.request_id.get()}
    if details:
        body["details"] = dict(details)
    return JSONResponse(body, status_code=status, headers=dict(headers or {}))


async def render(_request: Request, error: Exception) -> Response:
    """Starlette's handler of ApiError."""
    assert isinstance(error, ApiError)
    record(error)
    return response(error.status, error.code, error.message, error.headers, error.details)


async def render_http(_request: Request, error: Exception) -> Response:
    """Starlette's handler of its own HTTPException: unknown routes and methods."""
    assert isinstance(error, HTTPException)
    code = {404: Code.NOT_FOUND, 405: Code.METHOD_NOT_ALLOWED}.get(error.status_code, Code.VALIDATION_FAILED)
    return response(error.status_code, code, HTTPStatus(error.status_code).phrase, error.headers)


# What a service passes to Starlette(exception_handlers=…).
HANDLERS: Mapping[type[Exception], ExceptionHandler] = {ApiError: render, HTTPException: render_http}
