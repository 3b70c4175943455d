"""A fake of a model's provider, for tests of streaming and of faults: `python -m tests.fakes.llm [port]`.

It listens on loopback only and speaks OpenAI's chat completions (`/v1/chat/completions`) and responses
(`/v1/responses`) and Anthropic's messages (`/v1/messages`), whole or streamed, with tools; any key is taken. To
`/v1/audio/transcriptions` it answers with what the script says to the name of the file. What it says comes from a
script (`PUT /_fake/script`) or from the name of the model: see `script.py`. What it received stands below
`/_fake/requests`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from backend.core import quiet
from tests import door
from tests.fakes.llm import asked, delivery, frames
from tests.fakes.llm.script import Answer, Fake, Received

PORT = 54327
JSON, EVENTS = "application/json", "text/event-stream"


def create_app(fake: Fake) -> Starlette:
    """The fake as an application."""
    table: list[tuple[str, str, Any]] = [
        ("POST", "/v1/chat/completions", completions),
        ("POST", "/v1/responses", responses),
        ("POST", "/v1/messages", messages),
        ("POST", "/v1/audio/transcriptions", transcriptions),
        ("PUT", "/_fake/script", set_script),
        ("POST", "/_fake/release", release),
        ("GET", "/_fake/requests", list_requests),
        ("DELETE", "/_fake/requests", forget_requests),
        ("GET", "/livez", live),
    ]
    app = Starlette(
        routes=[Route(path, handler, methods=[method]) for method, path, handler in table],
        # No website can reach it by DNS rebinding.
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"], www_redirect=False)],
    )
    app.state.fake = fake
    return app


async def completions(request: Request) -> ASGIApp:
    """OpenAI's way."""
    return await _answer(request, asked.of_completions, frames.completion, frames.completion_stream)


async def responses(request: Request) -> ASGIApp:
    """OpenAI's newer way."""
    return await _answer(request, asked.of_responses, frames.response, frames.response_stream)


async def messages(request: Request) -> ASGIApp:
    """Anthropic's way."""
    return await _answer(request, asked.of_messages, frames.message, frames.message_stream)


async def transcriptions(request: Request) -> ASGIApp:
    """OpenAI's way to hear a recording."""
    async with request.form() as form:
        file = form["file"]
        assert isinstance(file, UploadFile)
        body = {"model": str(form["model"]), "filename": file.filename, "bytes": len(await file.read())}
    return await _say(request, body, asked.of_transcription, lambda answer, _asked: {"text": answer.text}, None)


async def _answer(
    request: Request,
    read: Callable[[dict[str, Any]], asked.Asked],
    whole: Callable[[Answer, asked.Asked], dict[str, Any]],
    stream: Callable[[Answer, asked.Asked], Iterator[frames.Frame]],
) -> ASGIApp:
    return await _say(request, await request.json(), read, whole, stream)


async def _say(
    request: Request,
    body: dict[str, Any],
    read: Callable[[dict[str, Any]], asked.Asked],
    whole: Callable[[Answer, asked.Asked], dict[str, Any]],
    stream: Callable[[Answer, asked.Asked], Iterator[frames.Frame]] | None,
) -> ASGIApp:
    fake: Fake = request.app.state.fake
    # Anthropic's package knows both headers.
    key = request.headers.get("authorization", "").removeprefix("Bearer ") or request.headers.get("x-api-key", "")
    received = Received(request.url.path, key, body)
    fake.note(received)
    understood = read(body)
    answer = fake.answer(understood)
    if not key or answer.status != 200:
        received.state = "done"
        return refused(answer if key else Answer(status=401))
    is_stream = stream is not None and understood.stream
    pieces = stream(answer, understood) if stream and is_stream else delivery.whole(whole(answer, understood))
    if answer.garbage:
        pieces = delivery.spoiled(pieces, stream=is_stream)
    return delivery.Delivery(fake, received, answer, pieces, EVENTS if is_stream else JSON)


def refused(answer: Answer) -> Response:
    """An error in a form that both packages read, or a redirect."""
    headers = {"Retry-After": answer.retry_after, "Location": answer.location}
    body = {"type": "error", "error": {"type": "api_error", "message": "the fake was told to refuse", "code": None}}
    given = {name: value for name, value in headers.items() if value is not None}
    return Response(None, answer.status, given) if answer.location else JSONResponse(body, answer.status, given)


async def set_script(request: Request) -> Response:
    """{rules: [{when?, system?, steps: [answer, …]}], queue: [answer, …]}; an answer has the fields of `Answer`."""
    try:
        request.app.state.fake.script(**await request.json())
    except (ValueError, TypeError, KeyError) as error:
        return JSONResponse({"message": repr(error)}, 422)
    return JSONResponse({})


async def release(request: Request) -> Response:
    """What stalls goes on."""
    fake: Fake = request.app.state.fake
    fake.released.set()
    fake.released = asyncio.Event()
    return JSONResponse({})


async def list_requests(request: Request) -> Response:
    """What was asked, oldest first, and how it ended."""
    return JSONResponse({"data": [asdict(each) for each in request.app.state.fake.received]})


async def forget_requests(request: Request) -> Response:
    """Empties that list."""
    request.app.state.fake.received.clear()
    return JSONResponse({})


async def live(_: Request) -> Response:
    """For who waits until it is up."""
    return PlainTextResponse("ok")


@asynccontextmanager
async def serving(fake: Fake, port: int = 0) -> AsyncIterator[str]:
    """Its address (without `/v1`) while it listens on this port of loopback, a free one for 0, in this very process."""
    # Connections that are cut on purpose are no errors worth a line.
    async with door.serving(create_app(fake), port=port, log_level="critical", timeout_graceful_shutdown=1) as address:
        yield address
        fake.script()


def main(arguments: list[str]) -> None:
    """Runs until the process is told to stop; its first line is its address."""
    port = int(arguments[0]) if arguments else PORT
    print(json.dumps({"url": f"http://127.0.0.1:{port}"}), flush=True)
    settings = uvicorn.Config(
        create_app(Fake()), host="127.0.0.1", port=port, log_level="critical", timeout_graceful_shutdown=1
    )
    asyncio.run(quiet.Server(settings).serve())


if __name__ == "__main__":
    main(sys.argv[1:])
