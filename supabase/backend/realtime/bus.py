"""What the processes of the backend tell each other, through Postgres: LISTEN and NOTIFY.

A notification carries at most 8000 bytes, so longer content lies in a row meanwhile. While no other process is there
nothing is sent at all. Delivery is at most once, as a broadcast's is; who was away says hello and is told the state.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from backend.core import db, endless
from backend.core.errors import ServiceUnavailable
from backend.core.resources import Resources
from backend.realtime import queries

logger = logging.getLogger("backend.realtime.bus")

CHANNEL = "realtime_bus"
MESSAGES_CHANNEL = "realtime_messages"
MAX_NOTIFICATION_BYTES = 7900
BEAT_S = 5.0
# A process that has not said anything for so long is dead.
SILENCE_S = 16.0
MAX_WAITING = 10_000
BATCH = 100

Handler = Callable[[UUID, Mapping[str, Any]], None]


class Bus:
    """One process's end of it. `on_message` hears the others, `on_rows` of messages from the database,
    `on_gone` of processes that died, `on_hello` of new ones."""

    def __init__(
        self,
        resources: Resources,
        *,
        on_message: Handler,
        on_rows: Callable[[list[queries.Message]], None],
        on_gone: Callable[[UUID], None],
        on_hello: Callable[[], None],
    ) -> None:
        self.node = uuid4()
        self.peers: set[UUID] = set()
        self._fresh: set[UUID] = set()
        self._resources = resources
        self._on_message = on_message
        self._on_rows = on_rows
        self._on_gone = on_gone
        self._on_hello = on_hello
        self._sequence = itertools.count()
        self._outbox: asyncio.Queue[str] = asyncio.Queue(MAX_WAITING)
        self._rows: asyncio.Queue[UUID] = asyncio.Queue(MAX_WAITING)
        self._parcels: asyncio.Queue[int] = asyncio.Queue(MAX_WAITING)
        self.ready = asyncio.Event()

    def tell(self, content: Mapping[str, Any]) -> None:
        """Sends to every other process, if there is one."""
        if self.peers:
            self._put(content)

    def _put(self, content: Mapping[str, Any]) -> None:
        # The number keeps Postgres from taking two equal notifications of one transaction for one.
        text = json.dumps([str(self.node), next(self._sequence), content], separators=(",", ":"))
        try:
            self._outbox.put_nowait(text)
        except asyncio.QueueFull:
            logger.warning("the bus is too slow, a message is lost")

    async def run(self) -> None:
        """Keeps listening and sending until cancelled; outlives restarts of Postgres."""
        await endless.keep_up(self._session, logger, "bus connection lost")

    async def _session(self) -> None:
        connection = await db.connect(self._resources.settings)
        try:
            lost = asyncio.Event()
            connection.add_termination_listener(lambda _connection: lost.set())
            await connection.add_listener(CHANNEL, self._heard)
            await connection.add_listener(MESSAGES_CHANNEL, self._heard_row)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._beat())
                tasks.create_task(self._send())
                tasks.create_task(self._fetch_rows())
                tasks.create_task(self._fetch_parcels())
                tasks.create_task(_raise_when(lost))
        except* endless.LOST as group:
            raise group.exceptions[0] from group
        finally:
            self.ready.clear()
            connection.terminate()

    async def _beat(self) -> None:
        while True:
            self._fresh.clear()
            async with db.connection(self._resources.pool) as connection:
                there = await queries.beat(connection, self.node, SILENCE_S)
            # Who was heard while we asked may have come too late for the answer.
            there |= self._fresh
            for gone in self.peers - there:
                self._on_gone(gone)
            self.peers = there
            if not self.ready.is_set():
                self._greet()
                self.ready.set()
            await asyncio.sleep(BEAT_S * random.uniform(0.8, 1.0))

    def _greet(self) -> None:
        """Also after a lost connection: the others then tell what was missed."""
        self._put({"kind": "hello"})

    async def _send(self) -> None:
        while True:
            batch = [await self._outbox.get()]
            while len(batch) < BATCH and not self._outbox.empty():
                batch.append(self._outbox.get_nowait())
            async with db.connection(self._resources.pool) as connection:
                ready = [await self._fitting(connection, content) for content in batch]
                await queries.notify(connection, CHANNEL, ready)

    async def _fitting(self, connection: db.Connection, content: str) -> str:
        if len(content.encode()) <= MAX_NOTIFICATION_BYTES:
            return content
        return json.dumps([str(self.node), next(self._sequence), await queries.put_parcel(connection, content)])

    def _heard(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        self._take(str(payload))

    def _take(self, text: str) -> None:
        sender, _number, content = json.loads(text)
        if sender == str(self.node):
            return
        if isinstance(content, int):
            with suppress(asyncio.QueueFull):
                self._parcels.put_nowait(content)
            return
        peer = UUID(sender)
        if content["kind"] == "bye":
            self.peers.discard(peer)
            self._on_gone(peer)
            return
        self.peers.add(peer)
        self._fresh.add(peer)
        if content["kind"] == "hello":
            self._on_hello()
        else:
            self._on_message(peer, content)

    def _heard_row(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        with suppress(asyncio.QueueFull):
            self._rows.put_nowait(UUID(str(payload)))

    async def _fetch_rows(self) -> None:
        while True:
            ids = [await self._rows.get()]
            while len(ids) < BATCH and not self._rows.empty():
                ids.append(self._rows.get_nowait())
            async with db.connection(self._resources.pool) as connection:
                self._on_rows(await queries.messages(connection, ids))

    async def _fetch_parcels(self) -> None:
        while True:
            parcel_id = await self._parcels.get()
            async with db.connection(self._resources.pool) as connection:
                content = await queries.parcel(connection, parcel_id)
            if content is not None:
                self._take(content)

    async def leave(self) -> None:
        """Says good-bye, if the database is there to say it to."""
        content = json.dumps([str(self.node), next(self._sequence), {"kind": "bye"}])
        with suppress(ServiceUnavailable, asyncpg.PostgresError, OSError):
            async with db.connection(self._resources.pool) as connection:
                await queries.leave(connection, self.node)
                await queries.notify(connection, CHANNEL, [content])


async def _raise_when(lost: asyncio.Event) -> None:
    await lost.wait()
    raise ConnectionError("the listening connection was lost")
