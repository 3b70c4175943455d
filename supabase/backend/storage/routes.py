"""List the routes of `/storage/v1`, as upstream has them (STORAGE-01)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from xml.sax.saxutils import escape

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from backend.core import log
from backend.core.config import Settings
from backend.core.http import Cors
from backend.storage import blobs, buckets, downloads, errors, listing, moving, objects, render, resumable, signed
from backend.storage.parts import Parts

REQUEST_HEADERS = (
    "Authorization, X-Client-Info, ApiKey, Content-Type, Cache-Control, X-Upsert, X-Metadata, X-Signature, Range, "
    "If-None-Match, If-Modified-Since, If-Range, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset, "
    "Upload-Defer-Length, Upload-Concat, X-HTTP-Method-Override, X-Requested-With, Traceparent, Tracestate, Baggage"
)
EXPOSED = (
    "Content-Range, Content-Length, Content-Disposition, ETag, Last-Modified, Accept-Ranges, Location, Tus-Resumable, "
    "Tus-Version, Tus-Max-Size, Tus-Extension, Upload-Offset, Upload-Length, Upload-Metadata, Upload-Expires, "
    "X-Transformations"
)
READ = ["GET"]  # Starlette adds HEAD


def routes() -> list[BaseRoute]:
    """The most particular path first."""
    return [
        Route("/status", _status, methods=READ),
        Route("/health", _health, methods=READ),
        Route("/version", _version, methods=READ),
        Route("/bucket", buckets.listed, methods=READ),
        Route("/bucket", buckets.create, methods=["POST"]),
        Route("/bucket/{bucket}", buckets.read, methods=READ),
        Route("/bucket/{bucket}", buckets.update, methods=["PUT"]),
        Route("/bucket/{bucket}", buckets.delete, methods=["DELETE"]),
        Route("/bucket/{bucket}/empty", buckets.empty, methods=["POST"]),
        Route("/object/list/{bucket}", listing.listed, methods=["POST"]),
        Route("/object/list-v2/{bucket}", listing.listed_by_cursor, methods=["POST"]),
        Route("/object/move", moving.move, methods=["POST"]),
        Route("/object/copy", moving.copy, methods=["POST"]),
        Route("/object/sign/{bucket}", signed.sign_many, methods=["POST"]),
        Route("/object/sign/{bucket}/{name:path}", signed.sign, methods=["POST"]),
        Route("/object/sign/{bucket}/{name:path}", downloads.signed, methods=READ),
        Route("/object/upload/sign/{bucket}/{name:path}", signed.sign_upload, methods=["POST"]),
        Route("/object/upload/sign/{bucket}/{name:path}", signed.upload, methods=["PUT"]),
        Route("/object/info/public/{bucket}/{name:path}", downloads.public_info, methods=READ),
        Route("/object/info/authenticated/{bucket}/{name:path}", downloads.info, methods=READ),
        Route("/object/info/{bucket}/{name:path}", downloads.info, methods=READ),
        Route("/object/public/{bucket}/{name:path}", downloads.public, methods=READ),
        Route("/object/authenticated/{bucket}/{name:path}", downloads.authenticated, methods=READ),
        Route("/render/image/authenticated/{bucket}/{name:path}", render.authenticated, methods=READ),
        Route("/render/image/public/{bucket}/{name:path}", render.public, methods=READ),
        Route("/render/image/sign/{bucket}/{name:path}", render.signed, methods=READ),
        Route("/object/{bucket}", objects.remove_many, methods=["DELETE"]),
        Route("/object/{bucket}/{name:path}", downloads.authenticated, methods=READ),
        Route("/object/{bucket}/{name:path}", objects.create, methods=["POST"]),
        Route("/object/{bucket}/{name:path}", objects.update, methods=["PUT"]),
        Route("/object/{bucket}/{name:path}", objects.remove, methods=["DELETE"]),
        *(
            Route(f"{resumable.PREFIX}{door}{path}", handler, methods=[method])
            for door in ("/sign", "")
            for path, handler, method in (
                ("", resumable.create, "POST"),
                ("/{upload}", resumable.append, "PATCH"),
                ("/{upload}", resumable.terminate, "DELETE"),
                ("/{upload}", resumable.head, "HEAD"),
            )
        ),
        *(Route(path, _no_s3, methods=["GET", "POST", "PUT", "DELETE"]) for path in ("/s3", "/s3/{rest:path}")),
        Route("/vector/{rest:path}", _gated, methods=["GET", "POST", "PUT", "DELETE"]),
        Route("/iceberg/{rest:path}", _gated, methods=["GET", "POST", "PUT", "DELETE"]),
        Route("/cdn/{rest:path}", _gated, methods=["GET", "POST", "PUT", "DELETE"]),
    ]


@asynccontextmanager
async def service(settings: Settings) -> AsyncIterator[Starlette]:
    """The service with its store of blobs open."""
    async with blobs.opened(settings) as store:
        app = Starlette(
            routes=routes(),
            middleware=[
                Middleware(resumable.Advertised, settings=settings),
                Middleware(Cors, headers=REQUEST_HEADERS, expose=EXPOSED),
                Middleware(errors.LastResort),
            ],
            exception_handlers=dict(errors.HANDLERS),
        )
        app.state.blobs = store
        app.state.parts = Parts(settings)
        yield app


async def _status(_request: Request) -> Response:
    return Response(status_code=200)


async def _health(_request: Request) -> Response:
    return JSONResponse({"healthy": True})


async def _version(_request: Request) -> Response:
    return PlainTextResponse("socio")


async def _no_s3(request: Request) -> Response:
    """The refusal as clients of S3 read it (Amazon S3 API Reference, Error responses)."""
    message = "The S3 protocol is not built into this storage: use its own API, or the store behind it"
    resource, request_id = (escape(text) for text in (request.url.path, log.request_id.get()))
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NotImplemented</Code>'
        f"<Message>{message}</Message><Resource>{resource}</Resource><RequestId>{request_id}</RequestId></Error>"
    )
    return Response(body, status_code=501, media_type="application/xml")


async def _gated(request: Request) -> Response:
    raise errors.not_enabled(request.scope["path"].split("/")[3])
