"""/object/move and /object/copy. Moving changes a row; copying makes a blob of its own."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.storage import content, errors, forms, names, objects, queries
from backend.storage.backends import Missing, OutOfSpace
from backend.storage.models import Object, Upload, instant
from backend.storage.service import Asked, asked


def _places(body: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Source bucket and name, target bucket and name. Raises InvalidKey, InvalidRequest."""
    source = forms.text(body, "bucketId")
    target = forms.text(body, "destinationBucket", default=source)
    return (
        source,
        names.written(forms.text(body, "sourceKey")),
        target,
        names.key(forms.text(body, "destinationKey")),
    )


async def _require_room(caller: Asked, bucket_id: str, found: Object, mime_type: str) -> None:
    """A bucket's limits hold for what comes from another one too.

    Raises NoSuchBucket, InvalidMimeType, EntityTooLarge.
    """
    bucket = await caller.bucket(bucket_id)
    objects.require_type(bucket, mime_type)
    if found.size_bytes > objects.size_limit(caller, bucket):
        raise errors.too_large()


async def move(request: Request) -> Response:
    """POST /object/move; needs select and update. The bytes stay where they are."""
    caller = asked(request)
    source_bucket, source, target_bucket, target = _places(await forms.json_body(request))
    found = await caller.object(source_bucket, source, "object.move")
    await _require_room(caller, target_bucket, found, found.mime_type)
    async with caller.transaction("object.move") as connection:
        if not await queries.move_object(connection, found.id, target_bucket, target):
            raise errors.denied("Access denied")
    return JSONResponse({"message": "Successfully moved", "Id": str(found.id), "Key": f"{target_bucket}/{target}"})


@dataclass(frozen=True)
class _Copy:
    """What the copy shall say of itself; empty is what the source says."""

    keeps_metadata: bool
    mime_type: str
    cache_control: str
    metadata: str


def _said(request: Request, body: Mapping[str, Any]) -> _Copy:
    """With `copyMetadata: false` the body's `metadata` and the header `x-metadata` count. Raises InvalidRequest."""
    if body.get("copyMetadata", True) is not False:
        return _Copy(True, "", "", "")
    given = body.get("metadata") or {}
    if not isinstance(given, Mapping):
        raise errors.bad_request("body/metadata must be object")
    mime_type, cache_control = forms.text(given, "mimetype", ""), forms.text(given, "cacheControl", "")
    return _Copy(False, mime_type, cache_control, request.headers.get("x-metadata", ""))


async def _mime_type(caller: Asked, found: Object, wanted: str) -> str:
    """The wanted type, unless the bytes prove another one. Raises NoSuchKey."""
    try:
        blob = await caller.blobs.open(found.version)
    except (Missing, ValueError) as error:
        raise errors.no_such_key() from error
    try:
        head = b"".join([piece async for piece in blob.read(0, min(content.HEAD_BYTES, blob.size_bytes))])
    finally:
        await blob.close()
    return content.settle(wanted, head)


async def _replaced_metadata(caller: Asked, bucket_id: str, name: str) -> Mapping[str, Any] | None:
    """Return the user metadata of the object that a copy replaces: as upstream, saying nothing clears nothing."""
    async with caller.by_service().transaction("object.copy") as connection:
        replaced = await queries.object_named(connection, bucket_id, name)
    return None if replaced is None else replaced.user_metadata


async def copy(request: Request) -> Response:
    """POST /object/copy; needs select on the source and insert, with `x-upsert: true` update too."""
    caller = asked(request)
    body = await forms.json_body(request)
    source_bucket, source, target_bucket, target = _places(body)
    found = await caller.object(source_bucket, source, "object.copy")
    said = _said(request, body)
    mime_type = await _mime_type(caller, found, said.mime_type) if said.mime_type else found.mime_type
    await _require_room(caller, target_bucket, found, mime_type)
    upserts = request.headers.get("x-upsert") == "true"
    user_metadata = found.user_metadata if said.keeps_metadata else objects.user_metadata(said.metadata)
    if user_metadata is None and upserts and not said.keeps_metadata:
        user_metadata = await _replaced_metadata(caller, target_bucket, target)
    upload = Upload(
        target_bucket,
        target,
        mime_type,
        cache_control=objects.cache_control(said.cache_control) if said.cache_control else found.cache_control,
        user_metadata=user_metadata,
        upsert=upserts,
        owner_id=caller.owner_id,
    )
    await objects.probe(caller, upload)
    version = str(uuid.uuid4())
    try:
        await caller.blobs.copy(found.version, version)
    except Missing as error:
        raise errors.no_such_key() from error
    except OutOfSpace as error:
        raise errors.out_of_space(error) from error
    changed = {
        "cacheControl": upload.cache_control,
        "mimetype": mime_type,
        "lastModified": instant(caller.resources.now()),
    }
    stored = await objects.finish_row(caller, upload, version, {**found.metadata, **changed})
    made = await caller.by_service().object(target_bucket, target, "object.copy")
    return JSONResponse({**made.row_json(), **stored})
