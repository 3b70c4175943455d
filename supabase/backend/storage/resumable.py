"""/upload/resumable: uploads that survive a lost connection (TUS 1.0.0, https://tus.io/protocols/resumable-upload).

Extensions: creation, creation-with-upload, creation-defer-length, termination, expiration. The client learns by HEAD
how much has arrived and goes on from there; when all is there the file becomes an object like any other. Finishing
may be repeated: a crash after the last byte is healed by the client's next HEAD.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from email.utils import format_datetime
from uuid import UUID

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.core import db
from backend.core.config import Settings
from backend.storage import content, errors, forms, names, objects, resumable_queries, tokens
from backend.storage.backends import Missing, OutOfSpace, Written
from backend.storage.errors import Code, StorageError
from backend.storage.models import Bucket, Upload
from backend.storage.parts import Parts, Taken, WrongOffset
from backend.storage.resumable_queries import Resumable
from backend.storage.service import SERVICE, Asked, anonymous, asked

PREFIX = "/upload/resumable"
VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,creation-defer-length,termination,expiration"
BODY_TYPE = "application/offset+octet-stream"
# As long as hosted Supabase gives.
LIFE = timedelta(hours=24)
# Of one account: what has arrived of each may be as long as the longest object.
MOST_UNFINISHED = 50


class Advertised:
    """Every answer below /upload/resumable says which protocol it speaks, OPTIONS also how far."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._limit = str(int(settings.storage.file_size_limit))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_version(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Tus-Resumable"] = VERSION
                if scope["method"] == "OPTIONS":
                    headers["Tus-Version"] = VERSION
                    headers["Tus-Extension"] = EXTENSIONS
                    headers["Tus-Max-Size"] = self._limit
            await send(message)

        ours = scope["type"] == "http" and scope["path"].removeprefix(scope.get("root_path", "")).startswith(PREFIX)
        await self.app(scope, receive, send_with_version if ours else send)


async def create(request: Request) -> Response:
    """POST: reserves an upload and answers where it lives; takes the first bytes along when they are there.

    Raises TooManyUploads.
    """
    metadata = _metadata(request.headers.get("upload-metadata", ""))
    caller, upload = _signed(request, metadata) if _is_signed(request) else _own(request, metadata)
    _require_version(request)
    bucket = await caller.bucket(upload.bucket)
    length = _length(request, caller, bucket)
    objects.require_type(bucket, upload.mime_type)
    await objects.probe(caller, upload)
    now = caller.resources.now()
    async with db.as_claims(caller.resources.pool, SERVICE) as connection:
        if upload.owner_id and await resumable_queries.unfinished(connection, upload.owner_id, now) >= MOST_UNFINISHED:
            raise errors.too_many_uploads(MOST_UNFINISHED)
        made = await resumable_queries.create(
            connection, upload, length, request.headers.get("upload-metadata", ""), now + LIFE
        )
        try:
            _parts(request).create(made.id)
        except OutOfSpace as error:
            raise errors.out_of_space(error) from error
    signed = "/sign" if _is_signed(request) else ""
    headers = {"Location": f"{caller.settings.api.external_url}/storage/v1{PREFIX}{signed}/{made.id}"}
    if request.headers.get("content-type") == BODY_TYPE or length == 0:
        headers |= await _append(caller, made, 0)
    return Response(status_code=201, headers={**headers, **_expiry(made)})


def _own(request: Request, metadata: Mapping[str, str]) -> tuple[Asked, Upload]:
    caller = asked(request, errors.no_token)
    upsert = request.headers.get("x-upsert") == "true"
    return caller, _upload(metadata, upsert=upsert, owner_id=caller.owner_id)


def _signed(request: Request, metadata: Mapping[str, str]) -> tuple[Asked, Upload]:
    """An upload whose right was signed before; see signed.sign_upload. Raises InvalidJWT, InvalidSignature."""
    caller = anonymous(request).by_service()
    upload = _upload(metadata, upsert=False, owner_id=None)
    token = request.headers.get("x-signature", "")
    claims = tokens.verify(caller.resources, token, f"{upload.bucket}/{upload.name}", "upload")
    owner = claims.get("owner")
    return caller, _upload(metadata, upsert=claims.get("upsert") is True, owner_id=owner or None)


def _upload(metadata: Mapping[str, str], *, upsert: bool, owner_id: str | None) -> Upload:
    for needed in ("bucketName", "objectName"):
        if needed not in metadata:
            raise errors.bad_request(f"Upload-Metadata must have {needed}")
    return Upload(
        metadata["bucketName"],
        names.key(metadata["objectName"]),
        metadata.get("contentType") or content.UNKNOWN,
        cache_control=objects.cache_control(metadata.get("cacheControl", "")),
        user_metadata=objects.user_metadata(metadata.get("metadata", "")),
        upsert=upsert,
        owner_id=owner_id,
    )


def _metadata(given: str) -> dict[str, str]:
    """`key base64, key base64`. Raises InvalidRequest."""
    found = {}
    for pair in filter(None, (part.strip() for part in given.split(","))):
        key, _, value = pair.partition(" ")
        try:
            found[key] = base64.b64decode(value, validate=True).decode().replace("\0", "")
        except ValueError as error:
            raise errors.bad_request("Upload-Metadata is malformed") from error
    return found


def _length(request: Request, caller: Asked, bucket: Bucket) -> int | None:
    """The announced length; None when it comes later. Raises EntityTooLarge, InvalidRequest."""
    given = request.headers.get("upload-length")
    if given is None:
        if request.headers.get("upload-defer-length") != "1":
            raise errors.bad_request("Upload-Length or Upload-Defer-Length: 1 is needed")
        return None
    if not given.isascii() or not given.isdigit() or len(given) > 18:
        raise errors.bad_request("Upload-Length must be a whole number")
    if int(given) > objects.size_limit(caller, bucket):
        raise errors.resumable_too_large()
    return int(given)


async def head(request: Request) -> Response:
    """HEAD: how much has arrived. An upload whose last byte came just before a crash is finished here."""
    _require_version(request)
    caller, found = await _found(request)
    offset = _offset(request, found)
    if found.finished_at is None and offset == found.length_bytes:
        async with _alone(request, found):
            await _finish(caller, found)
    length = {"Upload-Defer-Length": "1"} if found.length_bytes is None else {"Upload-Length": str(found.length_bytes)}
    headers = {"Upload-Offset": str(offset), "Upload-Metadata": found.upload_metadata, "Cache-Control": "no-store"}
    return Response(status_code=200, headers={**headers, **length, **_expiry(found)})


async def append(request: Request) -> Response:
    """PATCH: more bytes, from where the others end. 409 for another offset, 423 while another process writes."""
    _require_version(request)
    if request.headers.get("content-type") != BODY_TYPE:
        raise _on_the_wire(errors.bad_mime_type(request.headers.get("content-type", "")), 415)
    caller, found = await _found(request)
    given = request.headers.get("upload-offset", "")
    if not given.isascii() or not given.isdigit() or len(given) > 18:
        raise errors.bad_request("Upload-Offset must be a whole number")
    if found.length_bytes is None and "upload-length" in request.headers:
        found = await _set_length(request, caller, found)
    if found.finished_at is not None:
        if int(given) != found.length_bytes:
            raise _conflict()
        return Response(status_code=204, headers={"Upload-Offset": given, **_expiry(found)})
    return Response(status_code=204, headers={**await _append(caller, found, int(given)), **_expiry(found)})


async def _set_length(request: Request, caller: Asked, found: Resumable) -> Resumable:
    length = _length(request, caller, await caller.bucket(found.bucket_id))
    async with db.as_claims(caller.resources.pool, SERVICE) as connection:
        await resumable_queries.set_length(connection, found.id, length or 0)
        again = await resumable_queries.find(connection, found.id)
    if again is None:
        raise _gone()
    return again


async def _append(caller: Asked, found: Resumable, offset: int) -> dict[str, str]:
    request, parts = caller.request, _parts(caller.request)
    limit = objects.size_limit(caller, await caller.bucket(found.bucket_id))
    most = (limit if found.length_bytes is None else found.length_bytes) - offset
    announced = request.headers.get("content-length", "")
    async with _alone(request, found):
        # A wrong offset is a conflict, however long the piece is.
        if announced.isdigit() and int(announced) > most and parts.length(found.id) == offset:
            raise errors.piece_too_large()
        try:
            length = await parts.append(found.id, offset, _bounded(forms.patient(request.stream()), most))
        except (WrongOffset, FileNotFoundError) as error:
            raise _conflict() from error
        except OutOfSpace as error:
            raise errors.out_of_space(error) from error
        except ClientDisconnect as error:
            raise errors.bad_request("The upload was cut; go on from where it stands") from error
        if length == found.length_bytes:
            await _finish(caller, found)
    return {"Upload-Offset": str(length)}


async def _bounded(chunks: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """Raises EntityTooLarge for more bytes than were announced."""
    async for chunk in chunks:
        most -= len(chunk)
        if most < 0:
            raise errors.resumable_too_large()
        yield chunk


async def _finish(caller: Asked, found: Resumable) -> None:
    """Makes the arrived file an object. Bears being repeated after a crash at any point of it."""
    bucket = await caller.bucket(found.bucket_id)
    path = _parts(caller.request).path(found.id)
    async with db.as_claims(caller.resources.pool, SERVICE) as connection:
        now = await resumable_queries.find(connection, found.id)
    if now is None:
        raise _gone()
    if now.finished_at is not None:
        return
    try:
        written = await caller.blobs.adopt(found.version, path)
    except Missing:
        written = await _adopted_before(caller, found)
    except OutOfSpace as error:
        raise errors.out_of_space(error) from error
    if not await _is_object(caller, found):
        try:
            await objects.finish(caller, bucket, found.upload, found.version, written, await _head_of(caller, found))
        except StorageError as error:
            # Another process, which was asked meanwhile, may have been first.
            if not await _is_object(caller, found):
                if error.is_certain:  # its bytes are gone
                    await _forget(caller, found)
                raise
    async with db.as_claims(caller.resources.pool, SERVICE) as connection:
        await resumable_queries.mark_finished(connection, found.id)


async def _forget(caller: Asked, found: Resumable) -> None:
    async with db.as_claims(caller.resources.pool, SERVICE) as connection:
        await resumable_queries.delete(connection, found.id)


async def _adopted_before(caller: Asked, found: Resumable) -> Written:
    """The blob of an upload whose finishing was interrupted. Raises StorageError when it is lost."""
    digest = hashlib.sha256()
    try:
        blob = await caller.blobs.open(found.version)
    except Missing as error:
        raise _gone() from error
    try:
        async for piece in blob.read():
            digest.update(piece)
    finally:
        await blob.close()
    return Written(blob.size_bytes, digest.hexdigest())


async def _head_of(caller: Asked, found: Resumable) -> bytes:
    blob = await caller.blobs.open(found.version)
    try:
        return b"".join([piece async for piece in blob.read(0, content.HEAD_BYTES)])
    finally:
        await blob.close()


async def _is_object(caller: Asked, found: Resumable) -> bool:
    try:
        there = await caller.by_service().object(found.bucket_id, found.name, "object.upload")
    except StorageError:
        return False
    return there.version == found.version


async def terminate(request: Request) -> Response:
    """DELETE: the client does not want it any more."""
    _require_version(request)
    caller, found = await _found(request)
    async with _alone(request, found):
        await _forget(caller, found)
        _parts(request).drop(found.id)
    return Response(status_code=204)


async def _found(request: Request) -> tuple[Asked, Resumable]:
    """The upload of this address, for whoever began it; to others it is not there. Raises StorageError 404, 410."""
    caller = anonymous(request).by_service() if _is_signed(request) else asked(request, errors.no_token)
    try:
        upload_id = UUID(request.path_params["upload"])
    except ValueError as error:
        raise _gone() from error
    async with db.as_claims(caller.resources.pool, SERVICE) as connection:
        found = await resumable_queries.find(connection, upload_id)
    if found is None or found.expires_at <= caller.resources.now():
        raise _gone()
    if _is_signed(request):
        token = request.headers.get("x-signature", "")
        tokens.verify(caller.resources, token, f"{found.bucket_id}/{found.name}", "upload")
    elif found.owner_id != caller.owner_id and caller.claims.get("role") != "service_role":
        raise _gone()
    return caller, found


def _offset(request: Request, found: Resumable) -> int:
    if found.finished_at is not None:
        return found.length_bytes or 0
    length = _parts(request).length(found.id)
    # A file that has become a blob already: the finishing was interrupted.
    return (found.length_bytes or 0) if length is None else length


@asynccontextmanager
async def _alone(request: Request, found: Resumable) -> AsyncIterator[None]:
    try:
        async with _parts(request).alone(found.id):
            yield
    except Taken as error:
        raise StorageError(423, Code.RESOURCE_LOCKED, "The resource is locked", wire_status=423) from error


def _parts(request: Request) -> Parts:
    parts: Parts = request.app.state.parts
    return parts


def _is_signed(request: Request) -> bool:
    return f"{PREFIX}/sign" in request.scope["path"]


def _require_version(request: Request) -> None:
    if request.headers.get("tus-resumable") != VERSION:
        raise StorageError(412, Code.INVALID_REQUEST, f"Tus-Resumable must be {VERSION}", wire_status=412)


def _expiry(found: Resumable) -> dict[str, str]:
    return {"Upload-Expires": format_datetime(found.expires_at, usegmt=True)}


def _conflict() -> StorageError:
    return StorageError(409, Code.INVALID_REQUEST, "Upload-Offset conflict", wire_status=409)


def _gone() -> StorageError:
    return StorageError(404, Code.NO_SUCH_KEY, "The upload does not exist", error="not_found", wire_status=404)


def _on_the_wire(error: StorageError, status: int) -> StorageError:
    error.wire_status = status
    return error
