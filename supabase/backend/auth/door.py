"""A storm of sign-ins waits at the door (GOAL-P3): those who wait have cost hardly anything and asked nobody.

Hashing bounds how many get through anyway. Let in all at once, 200 of them kept everybody else's request waiting for as
long as it takes to read them, find their routes and look up their limits.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/token"
# Where a request keeps its place, in its scope.
PLACE = "backend.auth.door"
GRANT = b"grant_type=password"
# Far more than an address and a password take; what is larger is refused unread, or is none of ours.
MOST_BYTES = 16 * 1024
# A body that has not begun by then comes in pieces.
PATIENCE_S = 1
# More than hash at once: the others ask the database meanwhile.
PLACES = 4 * (os.cpu_count() or 1)


class Door:
    """ASGI middleware: so many sign-ins with a password at a time, in the order of their arrival.

    A body that comes in pieces takes no place: whoever sends slowly keeps nobody out. A place is held until the answer,
    or until `leave`: with a hook that takes a second, as many get in a second as there are places.
    """

    def __init__(self, app: ASGIApp, places: int = PLACES) -> None:
        self.app = app
        self._places = asyncio.Semaphore(places)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_sign_in(scope):
            await self.app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(PATIENCE_S):
                first = await receive()
        except TimeoutError:
            # Who reads the body has the words for it.
            await self.app(scope, receive, send)
            return
        if first.get("more_body"):
            await self.app(scope, _again(first, receive), send)
            return
        async with AsyncExitStack() as place:
            await place.enter_async_context(self._places)
            await self.app({**scope, PLACE: place}, _again(first, receive), send)


async def leave(request: Request) -> None:
    """Before an answer that only waits: whoever comes next gets in. A request that came by another way has no place."""
    if place := request.scope.get(PLACE):
        await place.aclose()


def _is_sign_in(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["path"] != scope["root_path"] + PATH or GRANT not in scope["query_string"]:
        return False
    announced: bytes = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    return announced.isdigit() and int(announced) <= MOST_BYTES


def _again(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
