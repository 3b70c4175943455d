"""/bucket: making, changing, emptying and removing buckets; policies on storage.buckets decide."""

from __future__ import annotations

from typing import Any, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.storage import emptying, errors, forms, limits, names, queries
from backend.storage.errors import Code, StorageError
from backend.storage.queries import BucketColumn
from backend.storage.service import asked

COLUMNS = frozenset({"id", "name", "created_at", "updated_at"})
MOST = 1000


async def listed(request: Request) -> Response:
    """GET /bucket"""
    caller = asked(request)
    query = request.query_params
    column, order = query.get("sortColumn", "created_at"), query.get("sortOrder", "asc")
    if column not in COLUMNS or order not in queries.SORTED_DOWN:
        raise errors.bad_request("sortColumn and sortOrder must be known", Code.INVALID_PARAMETER)
    async with caller.transaction("bucket.list") as connection:
        found = await queries.buckets(
            connection,
            query.get("search", "").replace("\0", ""),
            cast("BucketColumn", column),
            order,
            _count(query.get("limit", str(MOST))),
            _count(query.get("offset", "0")),
        )
    return JSONResponse([bucket.json() for bucket in found])


def _count(given: str) -> int:
    if not given.isascii() or not given.isdigit():
        raise errors.bad_request("limit and offset must be whole numbers", Code.INVALID_PARAMETER)
    return min(int(given), 2**31)


async def create(request: Request) -> Response:
    """POST /bucket"""
    caller = asked(request)
    body = await forms.json_body(request)
    name = forms.text(body, "name")
    bucket_id = names.bucket(forms.text(body, "id", default=name))
    if body.get("type", "STANDARD") not in (None, "STANDARD"):
        raise errors.not_enabled(f"bucket type {body['type']}")
    wanted = _limits(body)
    async with caller.transaction("bucket.create") as connection:
        await queries.insert_bucket(
            connection,
            bucket_id,
            public=wanted.get("public", False),
            size_limit=wanted.get("file_size_limit"),
            mime_types=wanted.get("allowed_mime_types"),
            owner_id=caller.owner_id,
        )
    return JSONResponse({"name": bucket_id})


def _limits(body: Any) -> dict[str, Any]:
    """What the body says about access and limits, checked; only the keys it names. Raises InvalidRequest."""
    found: dict[str, Any] = {}
    if body.get("public") is not None:
        if not isinstance(body["public"], bool):
            raise errors.bad_request("body/public must be boolean")
        found["public"] = body["public"]
    if "file_size_limit" in body:
        found["file_size_limit"] = limits.size_bytes(body["file_size_limit"])
    if "allowed_mime_types" in body:
        found["allowed_mime_types"] = limits.mime_types(body["allowed_mime_types"])
    return found


async def read(request: Request) -> Response:
    """GET /bucket/:id"""
    caller = asked(request)
    async with caller.transaction("bucket.get") as connection:
        found = await queries.bucket(connection, request.path_params["bucket"])
    if found is None:
        raise errors.no_such_bucket()
    return JSONResponse(found.json())


async def update(request: Request) -> Response:
    """PUT /bucket/:id"""
    caller = asked(request)
    wanted = _limits(await forms.json_body(request))
    async with caller.transaction("bucket.update") as connection:
        changed = await queries.update_bucket(connection, request.path_params["bucket"], wanted)
    if not changed:
        raise errors.no_such_bucket()
    return JSONResponse({"message": "Successfully updated"})


async def delete(request: Request) -> Response:
    """DELETE /bucket/:id; only an empty one goes."""
    caller = asked(request)
    bucket_id = request.path_params["bucket"]
    async with caller.transaction("bucket.get") as connection:
        found = await queries.bucket(connection, bucket_id)
    if found is None:
        raise errors.no_such_bucket()
    async with caller.by_service().transaction("bucket.delete") as connection:
        full = await queries.has_objects(connection, bucket_id)
    if full:
        message = "The bucket you tried to delete is not empty"
        raise StorageError(409, Code.RESOURCE_NOT_EMPTY, message)
    async with caller.transaction("bucket.delete") as connection:
        if not await queries.delete_bucket(connection, bucket_id):
            raise errors.no_such_bucket()
    return JSONResponse({"message": "Successfully deleted"})


async def empty(request: Request) -> Response:
    """POST /bucket/:id/empty; for the service role. As upstream the first objects go at once, the others by a job."""
    caller = asked(request)
    if caller.claims.get("role") != "service_role":
        raise StorageError(403, Code.ACCESS_DENIED, "Access denied", error="Unauthorized", wire_status=403)
    bucket_id = request.path_params["bucket"]
    async with caller.transaction("bucket.empty") as connection:
        if await queries.bucket(connection, bucket_id) is None:
            raise errors.no_such_bucket()
        # The clock that objects are dated with.
        now = await queries.moment(connection)
    if await emptying.piece(caller.resources, caller.blobs, bucket_id, now) == emptying.PIECE:
        async with caller.transaction("bucket.empty") as connection:
            await emptying.enqueue(connection, bucket_id, now)
    message = "Empty bucket has been queued. Completion may take up to an hour."
    return JSONResponse({"message": message})
