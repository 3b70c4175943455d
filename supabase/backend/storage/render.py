"""Answer GET /render/image/…: a stored picture in another size or format (STORAGE-05)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.core import http, sandbox
from backend.core.places import Full, Places
from backend.storage import downloads, errors, tokens, transformations
from backend.storage.backends import Missing
from backend.storage.errors import Code, StorageError
from backend.storage.models import Object
from backend.storage.pictures import MIME_TYPES, NO_PICTURE, TOO_MANY_PIXELS
from backend.storage.service import Asked, asked

# Upstream's limit for a source picture.
MAX_SOURCE_BYTES = 25 * 1024 * 1024
# Each takes a core, up to a gibibyte, and its source in our own memory; the others wait for their turn without it.
PLACES = Places(at_once=2)
KINDS = {mime: kind for kind, mime in MIME_TYPES.items()}


async def authenticated(request: Request) -> Response:
    """GET /render/image/authenticated/:bucket/*"""
    caller = asked(request, errors.no_token)
    found = await caller.object(*downloads.place(request), "render.image_authenticated")
    return await _render(caller, found, transformations.checked(request.query_params), downloads.own_cache(found))


async def public(request: Request) -> Response:
    """GET /render/image/public/:bucket/*"""
    caller, found = await downloads.public_object(request, "render.image_public")
    return await _render(
        caller, found, transformations.checked(request.query_params), {"cache-control": found.cache_control}
    )


async def signed(request: Request) -> Response:
    """GET /render/image/sign/:bucket/*?token=; what is done with the picture stands in the token."""
    caller, found, claims = await downloads.signed_object(request, "render.image_sign")
    wanted = transformations.read(str(claims.get("transformations", "")))
    caching = downloads.own_cache(found, tokens.life_s(caller.resources, claims))
    return await _render(caller, found, wanted, caching)


async def _render(caller: Asked, found: Object, wanted: Mapping[str, Any], caching: Mapping[str, str]) -> Response:
    if not caller.settings.storage.image_transformation.enabled:
        raise errors.not_enabled("imageTransformation")
    request = caller.request
    kind = _kind(found, wanted.get("format"), request.headers.get("accept", ""))
    options = {**wanted, "format": kind}
    made_of = f"{found.version} {json.dumps(options, sort_keys=True)}"
    etag = f'"{hashlib.sha256(made_of.encode()).hexdigest()[:32]}"'
    headers = {
        "etag": etag,
        **caching,
        "vary": ", ".join(["Accept", *filter(None, [caching.get("vary")])]),
        "x-robots-tag": "none",
        "content-security-policy": downloads.SANDBOX,
    }
    if (applied := transformations.applied(wanted)) != "":
        headers["x-transformations"] = applied
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if (name := request.query_params.get("download")) is not None:
        headers["content-disposition"] = downloads.disposition(name)
    return Response(await _made(caller, found, options), media_type=MIME_TYPES[kind], headers=headers)


def _kind(found: Object, wanted: str | None, accept: str) -> str:
    """Pillow's name of the format: the wanted one, else WebP for who takes it, else the picture's own."""
    if wanted in ("avif", "webp"):
        return wanted.upper()
    if wanted is None and "image/webp" in accept and found.mime_type != "image/gif":
        return "WEBP"
    return KINDS.get(found.mime_type, "JPEG")


async def _made(caller: Asked, found: Object, options: Mapping[str, Any]) -> bytes:
    """The picture, changed when its turn has come. Raises SlowDown and what makes it impossible."""
    try:
        async with PLACES.one(caller.owner_id or http.client_ip(caller.request, caller.settings)):
            return await _changed(await _source(caller, found), options)
    except Full as error:
        raise errors.slow_down("Too many pictures are being changed") from error


async def _source(caller: Asked, found: Object) -> bytes:
    if found.size_bytes > MAX_SOURCE_BYTES:
        raise errors.too_large()
    try:
        blob = await caller.blobs.open(found.version)
    except (Missing, ValueError) as error:
        raise errors.no_such_key() from error
    try:
        return b"".join([piece async for piece in blob.read()])
    finally:
        await blob.close()


async def _changed(source: bytes, options: Mapping[str, Any]) -> bytes:
    """The picture, changed in the sandbox. Raises StorageError for what is none, or too much."""
    result = await sandbox.run("backend.storage.pictures", options, source)
    match result.ending, result.status:
        case sandbox.Ending.DONE, _:
            return result.output
        case sandbox.Ending.TOOK_TOO_LONG, _:
            reason = "The picture takes too long to change"
        case sandbox.Ending.REFUSED, status if status == TOO_MANY_PIXELS:
            reason = "The picture has too many pixels"
        case sandbox.Ending.REFUSED, status if status == NO_PICTURE:
            reason = "The object is no picture"
        case _:
            reason = "The picture cannot be changed"
    raise StorageError(400, Code.INVALID_REQUEST, reason)
