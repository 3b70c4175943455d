"""POST and PUT /object/:bucket/*: from bytes on the wire to an object.

First the row is tried and taken back, so that nobody fills the disk with what policies refuse; then the bytes are
stored under a version of their own; then the row is written. A crash in between leaves a blob without row, which the
sweep finds; an object is never half there, and of two uploads to one path the last commit wins whole.
"""

from __future__ import annotations

import base64
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from backend.core import db
from backend.core.db import Connection
from backend.storage import content, errors, forms, names, queries
from backend.storage.backends import OutOfSpace, Written
from backend.storage.models import Bucket, Upload
from backend.storage.service import SERVICE, Acting, Asked, asked

MAX_USER_METADATA_BYTES = 1024 * 1024
UPLOAD = "object.upload"
REPLACE = "object.upload_update"
SHORT_BYTES = 64 * 1024


async def create(request: Request) -> Response:
    """POST: a new object, or with `x-upsert: true` new content for an old one. Answers `{Key, Id}`."""
    return await _receive(request, upsert=request.headers.get("x-upsert") == "true")


async def update(request: Request) -> Response:
    """PUT: new content, whether the object is there or not."""
    return await _receive(request, upsert=True)


async def _receive(request: Request, *, upsert: bool) -> Response:
    caller = asked(request)
    stored = await receive(caller, *target(request), upsert=upsert, owner_id=caller.owner_id)
    return JSONResponse(stored)


def target(request: Request) -> tuple[str, str]:
    """Bucket and name out of the path. Raises InvalidKey."""
    return request.path_params["bucket"], names.key(request.path_params["name"])


async def receive(caller: Asked, bucket_id: str, name: str, *, upsert: bool, owner_id: str | None) -> dict[str, str]:
    """Takes the request's body, raw or multipart, as an object; the answer of an upload."""
    bucket = await caller.bucket(bucket_id)
    async with forms.file_of(caller.request, size_limit(caller, bucket)) as file:

        def upload() -> Upload:
            described = file.described()
            if not described.is_type_open:
                require_type(bucket, described.mime_type)
            return Upload(
                bucket_id,
                name,
                described.mime_type,
                cache_control=cache_control(described.cache_control),
                user_metadata=user_metadata(described.metadata),
                upsert=upsert,
                owner_id=owner_id,
            )

        # What is here already costs no more to take and to drop again than to ask about first.
        if is_short(caller.request):
            await _require_quota(caller, upload())
        else:
            await probe(caller, upload())
        return await _store(caller, bucket, upload, file.chunks)


def is_short(request: Request) -> bool:
    """Whether the whole body fits into what one read brings."""
    length = request.headers.get("content-length", "")
    return length.isdigit() and int(length) <= SHORT_BYTES


def size_limit(caller: Asked, bucket: Bucket) -> int:
    """The most bytes an object of this bucket may have."""
    service = int(caller.settings.storage.file_size_limit)
    return min(service, bucket.file_size_limit) if bucket.file_size_limit else service


def require_type(bucket: Bucket, mime_type: str) -> None:
    """Raises InvalidMimeType."""
    if not content.allowed(content.plain(mime_type), bucket.allowed_mime_types):
        raise errors.bad_mime_type(mime_type)


class _Undo(Exception):
    """Takes the probe back."""


async def probe(caller: Asked, upload: Upload) -> None:
    """Whether the caller may write this object, tried and rolled back, and has room for it. Raises StorageError."""
    try:
        async with caller.transaction(REPLACE if upload.upsert else UPLOAD) as connection:
            await _write_row(connection, upload, str(uuid.uuid4()), {})
            raise _Undo
    except _Undo:
        pass
    await _require_quota(caller, upload)


async def _require_quota(caller: Asked, upload: Upload) -> None:
    """Until its other files fill the quota an account may write one more, however long it is. Raises QuotaExceeded."""
    quota = int(caller.settings.storage.account_quota)
    if not quota or upload.owner_id is None:
        return
    async with db.connection(caller.resources.pool) as connection:
        stored = await queries.stored_bytes(connection, upload.owner_id, upload.bucket, upload.name)
    if stored >= quota:
        raise errors.quota_exceeded()


async def _store(
    caller: Asked, bucket: Bucket, upload: Callable[[], Upload], chunks: AsyncIterator[bytes]
) -> dict[str, str]:
    """Stores the bytes and then the row; on any failure the bytes go again.

    `upload` is asked once more behind the bytes: a form may describe its file only there.
    """
    version = str(uuid.uuid4())
    head = bytearray()
    try:
        written = await caller.blobs.write(version, _watched(chunks, head, size_limit(caller, bucket)))
    except OutOfSpace as error:
        raise errors.out_of_space(error) from error
    except ClientDisconnect as error:
        raise errors.bad_request("The upload was cut") from error
    try:
        described = upload()
    except errors.StorageError:
        await caller.blobs.delete([version])
        raise
    return await finish(caller, bucket, described, version, written, bytes(head))


async def finish(
    caller: Asked, bucket: Bucket, upload: Upload, version: str, written: Written, head: bytes
) -> dict[str, str]:
    """The row of a stored blob, its type settled by its first bytes. Answers `{Key, Id}`. Raises StorageError."""
    mime_type = content.settle(upload.mime_type, head)
    if not content.allowed(mime_type, bucket.allowed_mime_types):
        await caller.blobs.delete([version])
        raise errors.bad_mime_type(mime_type)
    return await finish_row(caller, upload, version, upload.metadata(written, mime_type, caller.resources.now()))


async def finish_row(caller: Acting, upload: Upload, version: str, metadata: Mapping[str, Any]) -> dict[str, str]:
    """Writes the row of a stored blob; drops the blob when the row is refused. Answers `{Key, Id}`."""
    try:
        async with caller.transaction(REPLACE if upload.upsert else UPLOAD) as connection:
            object_id, replaced = await _write_row(connection, upload, version, metadata)
    except errors.StorageError as error:
        # After a commit that took too long, or whose connection was lost, the sweep will know.
        if error.is_certain and not await _is_named(caller, version):
            await caller.blobs.delete([version])
        raise
    await caller.drop_blobs(replaced)
    return {"Key": f"{upload.bucket}/{upload.name}", "Id": str(object_id)}


async def _is_named(caller: Acting, version: str) -> bool:
    """Whether a row has this blob: another process may have finished the same upload meanwhile."""
    async with db.as_claims(caller.resources.pool, SERVICE) as connection:
        return await queries.is_version_of_object(connection, version)


async def _write_row(
    connection: Connection, upload: Upload, version: str, metadata: Mapping[str, Any]
) -> tuple[uuid.UUID, list[str]]:
    """The id of the row, and the versions it had before."""
    object_id = uuid.uuid4()
    if not upload.upsert:
        await queries.insert_object(connection, object_id, upload, version, dict(metadata))
        return object_id, []
    before = await queries.object_named(connection, upload.bucket, upload.name)
    kept_id = await queries.upsert_object(connection, object_id, upload, version, dict(metadata))
    return kept_id, [before.version] if before else []


async def _watched(chunks: AsyncIterator[bytes], head: bytearray, limit: int) -> AsyncIterator[bytes]:
    """The stream, its beginning remembered and its length bounded. Raises EntityTooLarge."""
    size = 0
    async for chunk in chunks:
        if len(head) < content.HEAD_BYTES:
            head += chunk[: content.HEAD_BYTES - len(head)]
        size += len(chunk)
        if size > limit:
            raise errors.too_large()
        yield chunk


def cache_control(given: str) -> str:
    """`3600`, as forms send it, means max-age; a header counts as it is, as long as it is one."""
    if given.isdigit():
        return f"max-age={given[:10]}"
    return given if given and len(given) <= 200 and re.fullmatch(r"[\x20-\x7e]+", given) else "no-cache"


def user_metadata(given: str) -> dict[str, Any] | None:
    """The person's own metadata: a JSON object, in a header as base64. Raises InvalidRequest."""
    if not given:
        return None
    text = given
    if not given.lstrip().startswith("{"):
        try:
            text = base64.b64decode(given, validate=True).decode()
        except ValueError as error:
            raise errors.bad_request("The metadata is no base64") from error
    if len(text.encode()) > MAX_USER_METADATA_BYTES:
        raise errors.bad_request("The metadata is limited to 1 MB")
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.bad_request("The metadata is no JSON") from error
    if not isinstance(parsed, dict):
        raise errors.bad_request("The metadata must be a JSON object")
    return parsed


async def remove(request: Request) -> Response:
    """DELETE /object/:bucket/*"""
    caller = asked(request)
    bucket_id, name = request.path_params["bucket"], names.written(request.path_params["name"])
    async with caller.transaction("object.delete") as connection:
        removed = await queries.delete_objects(connection, bucket_id, [name])
    if not removed:
        raise errors.no_such_key()
    await caller.drop_blobs([gone.version for gone in removed])
    return JSONResponse({"message": "Successfully deleted"})


async def remove_many(request: Request) -> Response:
    """DELETE /object/:bucket `{prefixes}`: the removed rows; what the caller may not delete is left out."""
    caller = asked(request)
    prefixes = [names.written(each) for each in forms.texts(await forms.json_body(request), "prefixes")]
    async with caller.transaction("object.delete_many") as connection:
        removed = await queries.delete_objects(connection, request.path_params["bucket"], prefixes)
    await caller.drop_blobs([gone.version for gone in removed])
    return JSONResponse([gone.row_json() for gone in removed])
