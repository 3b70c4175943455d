"""GET and HEAD of objects: as the caller, of public buckets, by signed address; whole, in ranges, or unchanged.

The blob is opened before the first header goes out, so what is deleted or replaced meanwhile is still sent whole.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from backend.storage import content, errors, names, queries, tokens
from backend.storage.backends import Blob, Missing
from backend.storage.errors import Code, StorageError
from backend.storage.models import Object
from backend.storage.service import Asked, anonymous, asked, has_key

# Below these paths upstream's validator asks for a key, before it looks whether the bucket is public.
FOR_KEYS = ("/storage/v1/object/authenticated/", "/storage/v1/object/info/authenticated/")
# What is shown may still hold scripts that a browser would run, as PDFs may: it gets no rights at all.
SANDBOX = "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; sandbox"


async def authenticated(request: Request) -> Response:
    """GET /object/:bucket/* and /object/authenticated/:bucket/*; as upstream the former needs no key where all read."""
    if not _needs_key(request):
        return await public(request)
    caller = asked(request)
    found = await _readable(caller, "object.get_authenticated")
    return await deliver(caller, found, own_cache(found))


async def _readable(caller: Asked, operation: str) -> Object:
    """The object, for whoever a policy lets read it; of a public bucket for everybody. Raises NoSuchKey."""
    bucket_id, name = place(caller.request)
    try:
        return await caller.object(bucket_id, name, operation)
    except StorageError as error:
        if error.code != Code.NO_SUCH_KEY:
            raise
        async with caller.by_service().transaction(operation) as connection:
            bucket = await queries.bucket(connection, bucket_id)
        if bucket is None or not bucket.public:
            raise
    return await caller.by_service().object(bucket_id, name, operation)


def _needs_key(request: Request) -> bool:
    """Whether the caller counts: only a request that brings no key may do without one."""
    return has_key(request) or request.url.path.startswith(FOR_KEYS)


async def public(request: Request) -> Response:
    """GET /object/public/:bucket/*; other buckets are not there."""
    caller, found = await public_object(request, "object.get_public")
    return await deliver(caller, found, {"cache-control": found.cache_control})


async def signed(request: Request) -> Response:
    """GET /object/sign/:bucket/*?token=; a token for a changed picture does not open the original."""
    caller, found, claims = await signed_object(request, "object.get_signed")
    if "transformations" in claims:
        raise errors.bad_signature()
    return await deliver(caller, found, own_cache(found, tokens.life_s(caller.resources, claims)))


async def public_object(request: Request, operation: str) -> tuple[Asked, Object]:
    """An object of a public bucket. Raises NoSuchBucket, NoSuchKey."""
    caller = anonymous(request).by_service()
    bucket_id, name = place(request)
    bucket = await caller.bucket(bucket_id)
    if not bucket.public:
        raise errors.no_such_bucket()
    return caller, await caller.object(bucket_id, name, operation)


async def signed_object(request: Request, operation: str) -> tuple[Asked, Object, Mapping[str, Any]]:
    """The object a signed address stands for, with its token's claims.

    Raises InvalidJWT, InvalidSignature, NoSuchKey.
    """
    caller = anonymous(request).by_service()
    bucket_id, name = place(request)
    token = request.query_params.get("token", "")
    claims = tokens.verify(caller.resources, token, f"{bucket_id}/{name}", "download")
    return caller, await caller.object(bucket_id, name, operation), claims


async def info(request: Request) -> Response:
    """GET and HEAD /object/info/:bucket/* and /object/info/authenticated/:bucket/*; the former as `authenticated`."""
    if not _needs_key(request):
        return await public_info(request)
    caller = asked(request)
    return _told(await _readable(caller, "object.get_authenticated_info"))


async def public_info(request: Request) -> Response:
    """GET and HEAD /object/info/public/:bucket/*"""
    _, found = await public_object(request, "object.get_public_info")
    return _told(found)


def _told(found: Object) -> Response:
    """What is known of an object: as the body, and as far as HTTP has headers for it, in them."""
    changed = format_datetime(found.updated_at, usegmt=True)
    headers = {"etag": found.etag, "last-modified": changed, "cache-control": "no-cache"}
    return JSONResponse(found.info_json(), headers=headers)


def place(request: Request) -> tuple[str, str]:
    """Bucket and name of what is looked for, out of the path."""
    return request.path_params["bucket"].replace("\0", ""), names.written(request.path_params["name"])


def own_cache(found: Object, life_s: int | None = None) -> dict[str, str]:
    """What the uploader said about caching, for a file that is not everybody's: its reader alone may keep it, no longer
    than the address is good, and whoever is signed in next in the same browser is not its reader.
    """
    given = found.cache_control.lower()
    age = re.search(r"max-age=(\d+)", given)
    if "no-store" in given:
        kept = "no-store"
    elif age is None or "no-cache" in given:
        kept = "no-cache"
    else:
        kept = f"max-age={age[1] if life_s is None else min(int(age[1]), life_s)}"
    return {"cache-control": f"private, {kept}", "vary": "Authorization"}


async def deliver(caller: Asked, found: Object, caching: Mapping[str, str]) -> Response:
    """The object's bytes, or what the conditions of the request make of them (RFC 9110, 13 and 14)."""
    request = caller.request
    headers = {**_headers(found, request.query_params.get("download")), **caching}
    if _unchanged(found, request.headers):
        return Response(status_code=304, headers=headers)
    try:
        blob = await caller.blobs.open(found.version)
    except (Missing, ValueError) as error:
        raise errors.no_such_key() from error
    try:
        span = _range(request.headers, found, blob.size_bytes)
    except StorageError:
        await blob.close()
        raise
    start, end = span or (0, blob.size_bytes)
    headers["content-length"] = str(end - start)
    if span:
        headers["content-range"] = f"bytes {start}-{end - 1}/{blob.size_bytes}"
    status = 206 if span else 200
    if request.method == "HEAD":
        await blob.close()
        return Response(status_code=status, headers=headers)
    return StreamingResponse(_sent(blob, start, end), status, headers=headers)


async def _sent(blob: Blob, start: int, end: int) -> AsyncIterator[bytes]:
    try:
        async for piece in blob.read(start, end):
            yield piece
    finally:
        await blob.close()


def _headers(found: Object, download: str | None) -> dict[str, str]:
    mime_type = found.mime_type
    headers = {
        "accept-ranges": "bytes",
        "content-type": mime_type,
        "etag": found.etag,
        "last-modified": format_datetime(found.updated_at, usegmt=True),
        "x-robots-tag": "none",
        "content-security-policy": SANDBOX,
    }
    if download is not None or not content.is_shown(mime_type):
        headers["content-disposition"] = disposition(
            download or (found.name.rpartition("/")[2] if download is None else "")
        )
    return headers


def disposition(name: str) -> str:
    """`attachment`, with a name for old and new browsers (RFC 6266)."""
    if not name:
        return "attachment"
    plain = re.sub(r'[^\x20-\x7e]|["\\]', "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _unchanged(found: Object, headers: Mapping[str, str]) -> bool:
    if (tags := headers.get("if-none-match")) is not None:
        known = [tag.strip().removeprefix("W/") for tag in tags.split(",")]
        return "*" in known or found.etag in known
    try:
        since = parsedate_to_datetime(headers.get("if-modified-since", ""))
    except (ValueError, OverflowError):
        return False
    return since.tzinfo is not None and found.updated_at.replace(microsecond=0) <= since


def _range(headers: Mapping[str, str], found: Object, size: int) -> tuple[int, int] | None:
    """The one range asked for, as start and end; None sends all. Raises InvalidRange."""
    given = headers.get("range")
    if given is None or headers.get("if-range", found.etag) != found.etag:
        return None
    match = re.fullmatch(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*", given)
    if match is None or match[1] == match[2] == "":
        return None  # other units and several ranges may be ignored
    if match[1] == "":
        start, end = max(0, size - int(match[2])), size
    else:
        start, end = int(match[1]), min(size, int(match[2]) + 1) if match[2] else size
    if start >= size or start >= end:
        raise StorageError(
            416,
            Code.INVALID_RANGE,
            "invalid range provided",
            error="invalid_range",
            headers={"Content-Range": f"bytes */{size}"},
            wire_status=416,
        )
    return start, end
