"""/object/move and /object/copy. Moving changes a row; copying makes a blob of its own."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.storage import errors, forms, names, objects, queries
from backend.storage.backends import Missing, OutOfSpace
from backend.storage.models import Object, Upload
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


async def _require_room(caller: Asked, bucket_id: str, found: Object) -> None:
    """A bucket's limits hold for what comes from another one too.

    Raises NoSuchBucket, InvalidMimeType, EntityTooLarge.
    """
    bucket = await caller.bucket(bucket_id)
    objects.require_type(bucket, found.mime_type)
    if found.size_bytes > objects.size_limit(caller, bucket):
        raise errors.too_large()


async def move(request: Request) -> Response:
    """POST /object/move; needs select and update. The bytes stay where they are."""
    caller = asked(request)
    source_bucket, source, target_bucket, target = _places(await forms.json_body(request))
    found = await caller.object(source_bucket, source, "object.move")
    await _require_room(caller, target_bucket, found)
    async with caller.transaction("object.move") as connection:
        if not await queries.move_object(connection, found.id, target_bucket, target):
            raise errors.denied("Access denied")
    return JSONResponse({"message": "Successfully moved", "Id": str(found.id), "Key": f"{target_bucket}/{target}"})


async def copy(request: Request) -> Response:
    """POST /object/copy; needs select on the source and insert, with `x-upsert: true` update too."""
    caller = asked(request)
    body = await forms.json_body(request)
    source_bucket, source, target_bucket, target = _places(body)
    found = await caller.object(source_bucket, source, "object.copy")
    await _require_room(caller, target_bucket, found)
    keeps_metadata = body.get("copyMetadata", True) is not False
    upload = Upload(
        target_bucket,
        target,
        found.mime_type,
        cache_control=found.cache_control if keeps_metadata else "no-cache",
        user_metadata=found.user_metadata if keeps_metadata else None,
        upsert=request.headers.get("x-upsert") == "true",
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
    stored = await objects.finish_row(caller, upload, version, {**found.metadata, "cacheControl": upload.cache_control})
    made = await caller.by_service().object(target_bucket, target, "object.copy")
    return JSONResponse({**made.row_json(), **stored})
