"""Real servers on loopback in front of one database, and sockets that speak the protocol to them."""

from __future__ import annotations

import asyncio
import itertools
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from websockets.asyncio.client import ClientConnection, connect

from backend import gateway
from backend.core.config import Realtime, Settings
from backend.core.resources import Resources, open_all
from backend.core.server import options
from tests import door
from tests.conftest import Clock

ANNA, BRUNO = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
PATIENCE_S = 20


class Client:
    """One socket; messages are objects whatever the version."""

    def __init__(self, socket: ClientConnection, version: str) -> None:
        self.socket = socket
        self.version = version
        self._refs = itertools.count(1)
        self._kept: list[dict[str, Any]] = []

    async def push(self, topic: str, event: str, payload: Any, join_ref: str | None = None) -> str:
        ref = str(next(self._refs))
        if self.version == "2.0.0":
            await self.socket.send(json.dumps([join_ref, ref, topic, event, payload]))
        else:
            message = {"topic": topic, "event": event, "payload": payload, "ref": ref, "join_ref": join_ref}
            await self.socket.send(json.dumps(message))
        return ref

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE_S):
            data = await self.socket.recv()
        if isinstance(data, bytes):
            return binary(data)
        parsed = json.loads(data)
        if self.version == "2.0.0":
            return dict(zip(("join_ref", "ref", "topic", "event", "payload"), parsed, strict=True))
        found: dict[str, Any] = parsed
        return found

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message like this; others are kept for later questions."""
        for position, message in enumerate(self._kept):
            if wanted(message):
                return self._kept.pop(position)
        while True:
            message = await self.next()
            if wanted(message):
                return message
            self._kept.append(message)

    async def event(self, name: str) -> dict[str, Any]:
        return await self.until(lambda message: message["event"] == name)

    async def reply(self, ref: str) -> dict[str, Any]:
        message = await self.until(lambda message: message["event"] == "phx_reply" and message["ref"] == ref)
        payload: dict[str, Any] = message["payload"]
        return payload

    async def join(self, topic: str, token: str | None = None, **config: Any) -> dict[str, Any]:
        """Joins and answers the reply's payload."""
        payload: dict[str, Any] = {"config": config}
        if token:
            payload["access_token"] = token
        ref = str(next(self._refs))
        if self.version == "2.0.0":
            await self.socket.send(json.dumps([ref, ref, f"realtime:{topic}", "phx_join", payload]))
        else:
            message = {"topic": f"realtime:{topic}", "event": "phx_join", "payload": payload, "ref": ref}
            await self.socket.send(json.dumps({**message, "join_ref": ref}))
        return await self.reply(ref)

    async def quiet(self) -> None:
        """Everything that was on its way has come: a heartbeat has gone round."""
        ref = await self.push("phoenix", "heartbeat", {})
        await self.reply(ref)

    def heard(self, event: str) -> list[dict[str, Any]]:
        return [message for message in self._kept if message["event"] == event]


def binary(data: bytes) -> dict[str, Any]:
    """A binary broadcast as an object."""
    assert data[0] == 4
    topic, event, meta = data[1], data[2], data[3]
    rest = data[5:]
    content = rest[topic + event + meta :]
    return {
        "topic": rest[:topic].decode(),
        "event": "broadcast",
        "ref": None,
        "payload": {
            "event": rest[topic : topic + event].decode(),
            "payload": json.loads(content) if data[4] == 1 else content,
            "meta": json.loads(rest[topic + event : topic + event + meta] or b"{}"),
        },
    }


def token(resources: Resources, who: str, *, life: timedelta = timedelta(hours=1), **claims: Any) -> str:
    now = resources.now()
    content = {"sub": who, "role": "authenticated", "iat": int(now.timestamp()), **claims}
    return resources.keys.sign({**content, "exp": int((now + life).timestamp())})


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, realtime=Realtime(enabled=True))


@asynccontextmanager
async def served(settings: Settings, now: Clock) -> AsyncIterator[tuple[Resources, str]]:
    """A gateway on a free port, as one process of the backend would be; answers its websocket address."""
    async with (
        open_all(settings, now) as resources,
        gateway.application(resources) as app,
        door.serving(app, **options()) as address,
    ):
        yield resources, f"{address.replace('http', 'ws')}/realtime/v1/websocket"


Connect = Callable[..., Awaitable[Client]]


@pytest.fixture
async def server(settings: Settings, now: Clock) -> AsyncIterator[tuple[Resources, str]]:
    async with served(settings, now) as running:
        yield running


@pytest.fixture
async def sockets(server: tuple[Resources, str]) -> AsyncIterator[Connect]:
    """Opens sockets to the server: `await sockets(version="1.0.0")`."""
    resources, address = server
    async with AsyncExitStack() as stack:

        async def opened(version: str = "2.0.0", at: str = address, key: str = "", ip: str = "") -> Client:
            url = f"{at}?apikey={key or resources.keys.publishable_key}&vsn={version}"
            headers = {"X-Forwarded-For": ip} if ip else None
            opening = connect(url, max_size=None, compression=None, additional_headers=headers)
            return Client(await stack.enter_async_context(opening), version)

        yield opened


@pytest.fixture
async def owner(database: str) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close()
