"""What the storage service may answer when it cannot do what was asked.

    StorageError        code of the closed list, the status the original means, the message
    └── …               the usual ones as functions below

On the wire almost every refusal is HTTP 400 with the meant status as a text in the body, as upstream's clients
expect (STORAGE-03; supabase/storage: src/internal/errors/codes.ts).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import StrEnum

import asyncpg
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, ExceptionHandler, Message, Receive, Scope, Send

from backend.core import disk, errors
from backend.core.errors import ApiError

logger = logging.getLogger("backend.storage")


class Code(StrEnum):
    """The closed list; upstream's names."""

    NO_SUCH_BUCKET = "NoSuchBucket"
    NO_SUCH_KEY = "NoSuchKey"
    KEY_ALREADY_EXISTS = "KeyAlreadyExists"
    BUCKET_ALREADY_EXISTS = "BucketAlreadyExists"
    RESOURCE_NOT_EMPTY = "ResourceNotEmpty"
    ACCESS_DENIED = "AccessDenied"
    INVALID_JWT = "InvalidJWT"
    INVALID_MIME_TYPE = "InvalidMimeType"
    ENTITY_TOO_LARGE = "EntityTooLarge"
    INVALID_KEY = "InvalidKey"
    INVALID_BUCKET_NAME = "InvalidBucketName"
    INVALID_RANGE = "InvalidRange"
    INVALID_SIGNATURE = "InvalidSignature"
    INVALID_REQUEST = "InvalidRequest"
    INVALID_PARAMETER = "InvalidParameter"
    INVALID_UPLOAD_SIGNATURE = "InvalidUploadSignature"
    RESOURCE_LOCKED = "ResourceLocked"
    DATABASE_TIMEOUT = "DatabaseTimeout"
    FEATURE_NOT_ENABLED = "FeatureNotEnabled"
    OUT_OF_SPACE = "InsufficientStorage"
    SLOW_DOWN = "SlowDown"
    TOO_MANY_UPLOADS = "TooManyUploads"
    QUOTA_EXCEEDED = "QuotaExceeded"
    INTERNAL = "InternalError"


# Statuses that stay on the wire; every other refusal is a 400.
ON_THE_WIRE = frozenset({429, 500, 503, 507, 544})


class StorageError(ApiError):
    """A refusal in the original's words; `status` is the one it means, `error` the short text beside the code."""

    def __init__(
        self,
        status: int,
        code: Code,
        message: str,
        *,
        error: str | None = None,
        cause: BaseException | str | None = None,
        headers: Mapping[str, str] | None = None,
        wire_status: int | None = None,
    ) -> None:
        super().__init__(status, code, message, cause=cause, headers=headers)
        self.error = error if error is not None else str(code)
        self.wire_status = wire_status or (status if status in ON_THE_WIRE else 400)

    @property
    def is_certain(self) -> bool:
        """Whether nothing was written: a commit that only took too long may have happened."""
        return self.code != Code.DATABASE_TIMEOUT


def no_such_bucket() -> StorageError:
    return StorageError(404, Code.NO_SUCH_BUCKET, "Bucket not found", error="Bucket not found")


def no_such_key() -> StorageError:
    """Also the answer to whoever may not read: a stranger does not learn that the object is there."""
    return StorageError(404, Code.NO_SUCH_KEY, "Object not found", error="not_found")


def already_exists(code: Code = Code.KEY_ALREADY_EXISTS) -> StorageError:
    return StorageError(409, code, "The resource already exists", error="Duplicate")


def denied(message: str = "new row violates row-level security policy", cause: str | None = None) -> StorageError:
    return StorageError(403, Code.ACCESS_DENIED, message, error="Unauthorized", cause=cause)


class PlainError(StorageError):
    """A refusal whose answer is its message and nothing else, as upstream's server of resumable uploads has it."""


def resumable_too_large() -> PlainError:
    """tus-node-server: packages/utils/src/constants.ts, ERR_MAX_SIZE_EXCEEDED."""
    return PlainError(413, Code.ENTITY_TOO_LARGE, "Maximum size exceeded\n", wire_status=413)


def piece_too_large() -> PlainError:
    """The same file, ERR_SIZE_EXCEEDED: what the Content-Length of a piece announces does not fit."""
    return PlainError(413, Code.ENTITY_TOO_LARGE, "upload's size exceeded\n", wire_status=413)


def no_key() -> StorageError:
    """Upstream's answer to a request without any key, in the words of its validator."""
    message = "headers must have required property 'authorization'"
    return StorageError(400, Code.INVALID_REQUEST, message, error="Error")


def no_token() -> StorageError:
    """Upstream's answer to a request without any key where it has no validator: in the words of its token library."""
    return denied("Invalid Compact JWS")


def too_large() -> StorageError:
    message = "The object exceeded the maximum allowed size"
    return StorageError(413, Code.ENTITY_TOO_LARGE, message, error="Payload too large")


def bad_mime_type(given: str) -> StorageError:
    message = f"mime type {given} is not supported"
    return StorageError(415, Code.INVALID_MIME_TYPE, message, error="invalid_mime_type")


def bad_key(name: str) -> StorageError:
    return StorageError(400, Code.INVALID_KEY, f"Invalid key: {name}")


def bad_request(message: str, code: Code = Code.INVALID_REQUEST) -> StorageError:
    return StorageError(400, code, message)


def bad_token(message: str) -> StorageError:
    return StorageError(400, Code.INVALID_JWT, message)


def bad_signature() -> StorageError:
    return StorageError(400, Code.INVALID_SIGNATURE, "Invalid signature")


def too_many_uploads(most: int) -> StorageError:
    """A 400 on the wire: waiting a moment, as clients do for a 429, changes nothing."""
    message = f"There are {most} unfinished uploads of this account: finish or cancel some first"
    return StorageError(429, Code.TOO_MANY_UPLOADS, message, wire_status=400)


def quota_exceeded() -> StorageError:
    return StorageError(402, Code.QUOTA_EXCEEDED, "The files of this account fill its quota: remove some first")


def not_enabled(feature: str) -> StorageError:
    return StorageError(409, Code.FEATURE_NOT_ENABLED, f"The feature {feature} is not enabled for this resource")


def out_of_space(cause: BaseException) -> StorageError:
    message = "There is no space left for this object"
    return StorageError(507, Code.OUT_OF_SPACE, message, cause=cause, headers={"Retry-After": str(disk.RETRY_AFTER_S)})


def slow_down(message: str) -> StorageError:
    return StorageError(429, Code.SLOW_DOWN, message, headers={"Retry-After": "1"})


def of_database(error: asyncpg.PostgresError, hint: str) -> StorageError | None:
    """What a statement's failure means for the caller; None for what is a bug of ours. `hint` goes to the log."""
    match error:
        case asyncpg.InsufficientPrivilegeError():
            return denied(cause=f"{error}; {hint}")
        case asyncpg.UniqueViolationError():
            bucket = error.table_name == "buckets"
            return already_exists(Code.BUCKET_ALREADY_EXISTS if bucket else Code.KEY_ALREADY_EXISTS)
        case asyncpg.ForeignKeyViolationError() if error.table_name == "objects":
            return no_such_bucket()
        case asyncpg.QueryCanceledError() | asyncpg.LockNotAvailableError():
            return StorageError(544, Code.DATABASE_TIMEOUT, "The database took too long", cause=error)
        case asyncpg.CharacterNotInRepertoireError() | asyncpg.UntranslatableCharacterError():
            return bad_request("The request holds characters that cannot be stored")
        case asyncpg.RaiseError():
            return bad_request(str(error))
        case _:
            return None


def response(error: ApiError) -> Response:
    """The one shape of a refusal, but for a PlainError."""
    known = error if isinstance(error, StorageError) else _foreign(error)
    if isinstance(known, PlainError):
        return PlainTextResponse(known.message, known.wire_status, {**known.headers, "Cache-Control": "no-store"})
    body = {"statusCode": str(known.status), "error": known.error, "message": known.message, "code": str(known.code)}
    return JSONResponse(body, status_code=known.wire_status, headers={**known.headers, "Cache-Control": "no-store"})


def _foreign(error: ApiError) -> StorageError:
    """A refusal of the core in the service's own words."""
    if error.status == 401:
        return denied(error.message)
    if error.status == 413:
        return too_large()
    code = Code.SLOW_DOWN if error.status in (429, 503) else Code.INVALID_REQUEST
    return StorageError(error.status, code, error.message, headers=error.headers)


async def render(_request: Request, error: Exception) -> Response:
    """Starlette's handler of ApiError."""
    assert isinstance(error, ApiError)
    errors.record(error)
    return response(error)


async def render_http(request: Request, error: Exception) -> Response:
    """Unknown routes and methods, in Fastify's words as upstream answers them."""
    assert isinstance(error, HTTPException)
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    body = {"message": f"Route {request.method}:{path} not found", "error": "Not Found", "statusCode": 404}
    return JSONResponse(body, status_code=404)


HANDLERS: Mapping[type[Exception], ExceptionHandler] = {ApiError: render, HTTPException: render_http}


class LastResort:
    """A bug still gets its answer in the service's format; its traceback goes to the log with the request id."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception as failure:
            if started or scope["type"] != "http":
                raise
            error = disk.refusal(failure)
            if isinstance(error, ApiError):
                errors.record(error)
            else:
                logger.exception("request failed")
                error = StorageError(500, Code.INTERNAL, "Internal Server Error")
            await response(error)(scope, receive, watched)
