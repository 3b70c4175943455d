"""Answers what it was sent, in the same kind; `?as=` asks for another one."""

from collections.abc import AsyncIterator

from starlette.datastructures import UploadFile

from backend.edge import api


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """The body again, or what `as` names: a stream of events, who calls, the request itself."""
    match request.query_params.get("as"):
        case "events":
            return api.StreamingResponse(events(await request.body()), media_type="text/event-stream")
        case "caller":
            return api.JSONResponse({"user_id": context.user_id, "role": context.claims["role"]})
        case "request":
            headers = {name: request.headers.get(name) for name in ("x-region", "x-custom", "content-type")}
            return api.JSONResponse({"method": request.method, "path": request.url.path, **headers})
        case "refusal":
            raise api.Refused(409, "already_there", "È già lì")
        case "bug":
            raise RuntimeError("as asked")
    kind = request.headers.get("content-type", "application/octet-stream")
    if kind.startswith("multipart/form-data"):
        return api.JSONResponse(await fields(request))
    return api.Response(await request.body(), media_type=kind)


async def events(content: bytes) -> AsyncIterator[bytes]:
    """An event for each word."""
    for word in content.split():
        yield b"data: " + word + b"\n\n"


async def fields(request: api.Request) -> dict[str, str]:
    """A form's texts, and its files as their names and sizes."""
    async with request.form() as form:
        return {
            name: f"{value.filename}: {len(await value.read())} bytes" if isinstance(value, UploadFile) else value
            for name, value in form.items()
        }
