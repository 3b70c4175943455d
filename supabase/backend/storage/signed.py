"""/object/sign and /object/upload/sign: addresses that work without a token of the person's."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.storage import forms, names, objects, queries, tokens, transformations
from backend.storage.models import Upload
from backend.storage.service import Asked, anonymous, asked

LONGEST_S = 2**31
# Supabase's documented life of an upload address; its server's own default, 60 s, is shorter than a slow upload.
UPLOAD_LIFE_S = 2 * 3600


async def sign(request: Request) -> Response:
    """POST /object/sign/:bucket/* `{expiresIn, transform?}` → `{signedURL}`"""
    caller = asked(request)
    body = await forms.json_body(request)
    life_s = forms.number(body, "expiresIn", None, 1, LONGEST_S)
    bucket_id, name = objects.target(request)
    await caller.object(bucket_id, name, "object.sign")
    transform = transformations.of_body(body.get("transform"))
    return JSONResponse({"signedURL": _address(caller, bucket_id, name, life_s, transform)})


async def sign_many(request: Request) -> Response:
    """POST /object/sign/:bucket `{expiresIn, paths}` → `[{error, path, signedURL}]`"""
    caller = asked(request)
    body = await forms.json_body(request)
    life_s = forms.number(body, "expiresIn", None, 1, LONGEST_S)
    paths, bucket_id = forms.texts(body, "paths"), request.path_params["bucket"]
    stored = {path: names.written(path) for path in paths}
    async with caller.transaction("object.sign_many") as connection:
        readable = await queries.readable(connection, bucket_id, list(stored.values()))
    missing = "Either the object does not exist or you do not have access to it"
    return JSONResponse(
        [
            {"error": None, "path": path, "signedURL": _address(caller, bucket_id, name, life_s, None)}
            if name in readable
            else {"error": missing, "path": path, "signedURL": None}
            for path, name in ((path, stored[path]) for path in paths)
        ]
    )


def _address(caller: Asked, bucket_id: str, name: str, life_s: int, transform: dict[str, Any] | None) -> str:
    claims = {"transformations": transformations.written(transform)} if transform else {}
    token = tokens.sign(caller.resources, f"{bucket_id}/{name}", "download", life_s, **claims)
    door = "render/image/sign" if transform else "object/sign"
    # As upstream the name is not percent-encoded: the official clients encode the whole address, and twice is wrong.
    return f"/{door}/{bucket_id}/{name}?{urlencode({'token': token})}"


async def sign_upload(request: Request) -> Response:
    """POST /object/upload/sign/:bucket/* → `{url, token}`; needs what the upload itself would need."""
    caller = asked(request)
    bucket_id, name = objects.target(request)
    bucket = await caller.bucket(bucket_id)
    upsert = request.headers.get("x-upsert") == "true"
    await objects.probe(caller, Upload(bucket.id, name, "", upsert=upsert, owner_id=caller.owner_id))
    token = tokens.sign(
        caller.resources, f"{bucket_id}/{name}", "upload", UPLOAD_LIFE_S, upsert=upsert, owner=caller.owner_id
    )
    address = f"/object/upload/sign/{quote(bucket_id)}/{quote(name)}?{urlencode({'token': token})}"
    return JSONResponse({"url": address, "token": token})


async def upload(request: Request) -> Response:
    """PUT /object/upload/sign/:bucket/*?token=; the signer's right counts, not the sender's."""
    bucket_id, name = objects.target(request)
    caller = anonymous(request).by_service()
    claims = tokens.verify(caller.resources, request.query_params.get("token", ""), f"{bucket_id}/{name}", "upload")
    owner = claims.get("owner")
    stored = await objects.receive(
        caller,
        bucket_id,
        name,
        upsert=claims.get("upsert") is True,
        owner_id=owner if isinstance(owner, str) else None,
    )
    return JSONResponse(stored)
