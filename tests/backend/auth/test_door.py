"""Sign-ins with a password come in a few at a time; whoever sends slowly or wants something else takes no place."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from backend.auth import door
from backend.auth.door import Door

pytestmark = pytest.mark.anyio

WHOLE: Message = {"type": "http.request", "body": b"{}", "more_body": False}


def asked(path: str = "/auth/v1/token", query: bytes = b"grant_type=password", size: bytes = b"2") -> Scope:
    headers = [(b"content-length", size)] if size else []
    return {"type": "http", "path": path, "root_path": "/auth/v1", "query_string": query, "headers": headers}


class House:
    """Counts who is in, and lets nobody out before `open` is set."""

    def __init__(self, places: int = 2) -> None:
        self.bodies: list[bytes] = []
        self.are_sent_away = False
        self.open = asyncio.Event()
        self.door = Door(self._answer, places)

    async def _answer(self, scope: Scope, receive: Receive, _send: Send) -> None:
        message = await receive()
        body: bytes = message["body"]
        while message.get("more_body"):
            message = await receive()
            body += message["body"]
        self.bodies.append(body)
        if self.are_sent_away:
            await door.leave(Request(scope))
        await self.open.wait()

    def visit(self, scope: Scope, *messages: Message) -> asyncio.Task[None]:
        """Somebody who says these things, and then nothing any more."""
        left = [*messages]

        async def receive() -> Message:
            if not left:
                await asyncio.Event().wait()
            return left.pop(0)

        async def send(_message: Message) -> None:
            raise AssertionError

        return asyncio.create_task(self.door(scope, receive, send))


async def test_a_storm_comes_in_a_few_at_a_time_and_everybody_gets_in() -> None:
    house = House()
    storm = [house.visit(asked(), WHOLE) for _ in range(50)]
    await asyncio.sleep(0.05)
    assert len(house.bodies) == 2
    house.open.set()
    await asyncio.gather(*storm)
    assert house.bodies == [b"{}"] * 50


async def test_whose_refusal_only_waits_keeps_nobody_out() -> None:
    house = House()
    house.are_sent_away = True
    storm = [house.visit(asked(), WHOLE) for _ in range(50)]
    await asyncio.sleep(0.05)
    assert len(house.bodies) == 50
    house.open.set()
    await asyncio.gather(*storm)


@pytest.mark.parametrize(
    "scope",
    [
        asked(query=b"grant_type=refresh_token"),
        asked("/auth/v1/user"),
        asked("/auth/v1/token/x"),
        asked(size=b"1000000"),
        asked(size=b""),
        asked(size=b"many"),
    ],
)
async def test_nobody_else_waits(scope: Scope) -> None:
    house = House(places=1)
    visits = [house.visit(asked(), WHOLE) for _ in range(3)] + [house.visit(scope, WHOLE) for _ in range(5)]
    await asyncio.sleep(0.05)
    assert len(house.bodies) == 1 + 5
    house.open.set()
    await asyncio.gather(*visits)


async def test_who_sends_slowly_keeps_nobody_out() -> None:
    house = House(places=1)
    silent = [house.visit(asked()) for _ in range(5)]
    dripping = house.visit(asked(), {**WHOLE, "body": b"{", "more_body": True}, {**WHOLE, "body": b"}"})
    quick = house.visit(asked(), WHOLE)
    await asyncio.sleep(0.05)
    assert sorted(house.bodies) == [b"{}", b"{}"]
    house.open.set()
    await asyncio.gather(dripping, quick)
    for each in silent:
        each.cancel()
    await asyncio.gather(*silent, return_exceptions=True)


async def test_a_body_that_never_comes_is_left_to_who_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.auth.door.PATIENCE_S", 0.01)
    refused = asyncio.Event()

    async def answer(_scope: Scope, receive: Receive, _send: Send) -> None:
        refused.set()

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(_message: Message) -> None: ...

    await Door(answer, 1)(asked(), receive, send)
    assert refused.is_set()
