"""One websocket: reads the client's messages, writes what waits for it, and lets go of a client that is too slow."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from backend.core import server
from backend.core.errors import ServiceUnavailable
from backend.realtime import frames
from backend.realtime.channel import Channel
from backend.realtime.frames import BadFrame, Encoded, Frame, Text, Version
from backend.realtime.hub import PREFIX
from backend.realtime.joining import Config, Refused
from backend.realtime.limits import (
    BYTES_PER_S,
    MAX_BURST_BYTES,
    MAX_CHANNELS_PER_SOCKET,
    MAX_EVENTS_PER_S,
    MAX_JOIN_BYTES,
    MAX_JOINS_PER_S,
    MAX_MESSAGE_BYTES,
    MAX_TOPIC_BYTES,
    MAX_WAITING_BYTES,
    MAX_WAITING_MESSAGES,
    SILENCE_S,
    Allowance,
    Window,
)

if TYPE_CHECKING:
    from backend.realtime.routes import Service

logger = logging.getLogger("backend.realtime")

# RFC 6455: 1000 normal, 1009 too big, 1013 try again later.
NORMAL, TOO_BIG, TRY_LATER = 1000, 1009, 1013


class Socket:
    """The server's end of a connection."""

    def __init__(
        self, service: Service, websocket: WebSocket, version: Version, key: str, key_claims: Mapping[str, Any]
    ):
        self.service = service
        self.version = version
        self.key = key
        self.key_claims = key_claims
        self.channels: dict[str, Channel] = {}
        self._websocket = websocket
        self._transport: asyncio.Transport = websocket.scope["extensions"][server.TRANSPORT]
        self._waiting: deque[Encoded] = deque()
        self._waiting_bytes = 0
        # Whether the frame that left `_waiting` last still waits for the ones before it to go out.
        self._is_stuck = False
        # What of the frames that went out may still lie with the system.
        self._handed_bytes = 0
        self._wake = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._joins = Window(MAX_JOINS_PER_S, 1.0)
        self._events = Window(MAX_EVENTS_PER_S, 1.0)
        self._bytes = Allowance(BYTES_PER_S, MAX_MESSAGE_BYTES)
        self._close_code: int | None = None
        # What waits for this client and what is on its way to it.
        self.held_bytes = 0

    @staticmethod
    def now_s() -> float:
        """A clock for limits."""
        return time.monotonic()

    async def run(self) -> None:
        """Serves the connection until it ends."""
        await self._websocket.accept()
        writing = asyncio.create_task(self._write())
        try:
            await self._read(writing)
        except (WebSocketDisconnect, TimeoutError):
            pass
        finally:
            writing.cancel()
            self._close_code = self._close_code or NORMAL  # nothing more is kept for it
            self._hold(-self.held_bytes)
            for channel in list(self.channels.values()):
                channel.leave()
            if self._websocket.application_state is WebSocketState.CONNECTED:
                with suppress(RuntimeError, WebSocketDisconnect):
                    await self._websocket.close(self._close_code)

    async def _read(self, writing: asyncio.Task[None]) -> None:
        while self._close_code is None and not writing.done():
            size_bytes = await self._take()
            if size_bytes is None:
                return
            if pause_s := self._bytes.pause_s(size_bytes, self.now_s()):
                # Nothing more is read meanwhile: who sends too fast is slowed down by TCP.
                await asyncio.wait((writing,), timeout=pause_s)

    async def _take(self) -> int | None:
        """Handles the next message, of which nothing is kept; returns its length, None when it was the last."""
        async with asyncio.timeout(SILENCE_S):
            message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        data = message.get("text")
        if data is None:
            data = message.get("bytes") or b""
        if len(data) > MAX_MESSAGE_BYTES:
            self._close_code = TOO_BIG
            return None
        try:
            await self._handle(frames.decode(data, self.version))
        except BadFrame as error:
            # Upstream's socket dies of it; ours says nothing and goes on, as the client cannot know which it was.
            logger.info("frame not understood", extra={"cause": str(error)})
        except ServiceUnavailable as error:
            logger.info("message not handled", extra={"cause": error.message})
        return len(data)

    async def _handle(self, frame: Frame) -> None:
        if frame.topic == "phoenix":
            if frame.event == "heartbeat":
                self.say(frames.reply(frame, "ok", {}))
            return
        if frame.event == "phx_join":
            await self._join(frame)
            return
        channel = self.channels.get(frame.topic)
        if channel is None or (frame.join_ref is not None and frame.join_ref != channel.join_ref):
            self.say(frames.reply(frame, "error", {"reason": "unmatched topic"}))
            return
        if not self._events.admits(self.now_s()):
            channel.system("error", "ClientMessageRateLimitReached: Too many messages per second", "system")
            channel.close()
            return
        await channel.receive(frame)

    async def _join(self, frame: Frame) -> None:
        try:
            _check_topic(frame.topic)
            if frame.size_bytes > MAX_JOIN_BYTES:
                raise Refused(f"InvalidJoinPayload: a join has at most {MAX_JOIN_BYTES} bytes")
            if len(self.channels) >= MAX_CHANNELS_PER_SOCKET and frame.topic not in self.channels:
                raise Refused("ChannelRateLimitReached: Too many channels")
            if not self._joins.admits(self.now_s()):
                raise Refused("ClientJoinRateLimitReached: Too many joins per second")
            if (before := self.channels.get(frame.topic)) is not None:
                before.close()  # Phoenix: the newer join of a topic wins
            config = Config.of(frame.payload)
            token = frame.payload.get("access_token") if isinstance(frame.payload, dict) else None
            claims, kept = self.service.claims_of(token, self)
            channel = Channel(self, frame.topic, frame.join_ref or frame.ref, config, claims)
            channel.token = kept
            await channel.join(frame)
        except Refused as refusal:
            self.say(frames.reply(frame, "error", {"reason": str(refusal)}))
        except ServiceUnavailable:
            self.say(frames.reply(frame, "error", {"reason": "DatabaseConnectionIssue: the database is not available"}))

    def say(self, frame: Frame) -> None:
        """A message to this client alone."""
        self.send(frames.encode(frame, self.version))

    def send(self, data: Encoded) -> None:
        """Puts a frame into the queue; a client that does not keep up is let go, and fetches when it is back."""
        if self._close_code is not None:
            return
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        self._hold(len(data))
        self._wake.set()
        most_bytes = MAX_WAITING_BYTES if self._is_stuck else MAX_BURST_BYTES
        if self._waiting_bytes > most_bytes or len(self._waiting) > MAX_WAITING_MESSAGES:
            self._let_go()
        if self._waiting_bytes > most_bytes // 2:
            self._has_room.clear()

    def _let_go(self) -> None:
        logger.warning("a client is too slow and is let go", extra={"messages": len(self._waiting)})
        self._close_code = TRY_LATER
        self._waiting.clear()
        self._hold(-self._waiting_bytes)
        self._waiting_bytes = 0
        self._has_room.set()

    def abort(self) -> None:
        """Lets the client go at once, with all that was on its way."""
        self._let_go()
        self._hold(-self.held_bytes)
        self._handed_bytes = 0
        self._transport.abort()

    async def room(self) -> None:
        """Waits while so much waits for the client that much more would be too much."""
        await self._has_room.wait()

    def weigh(self) -> None:
        """Counts anew what of the frames that went out is still here."""
        unsent_bytes = min(self._handed_bytes, self._transport.get_write_buffer_size())
        self._hold(unsent_bytes - self._handed_bytes)
        self._handed_bytes = unsent_bytes

    def _hold(self, change_bytes: int) -> None:
        self.held_bytes += change_bytes
        self.service.hold(change_bytes)

    async def _write(self) -> None:
        websocket = self._websocket
        try:
            while True:
                while self._waiting:
                    await self._hand_out(self._waiting.popleft())
                self._has_room.set()
                if self._close_code is not None:
                    await websocket.close(self._close_code)
                    return
                self._wake.clear()
                await self._wake.wait()
        except (WebSocketDisconnect, RuntimeError):
            pass  # the reader notices too
        finally:
            self._has_room.set()

    async def _hand_out(self, data: Encoded) -> None:
        """Waits until the frames before this one have gone out."""
        self._waiting_bytes -= len(data)
        self._is_stuck = True
        kind = "text" if isinstance(data, Text) else "bytes"
        await self._websocket.send({"type": "websocket.send", kind: data})
        self._is_stuck = False
        self._hold(-self._handed_bytes)
        self._handed_bytes = len(data)


def _check_topic(topic: str) -> None:
    """Raises Refused. A broadcast has one byte for the length; NUL is nothing that a policy could be asked about."""
    name = topic.removeprefix(PREFIX)
    if name in ("", topic) or len(topic.encode()) > MAX_TOPIC_BYTES or "\0" in name:
        raise Refused("TopicNameRequired: You must provide a topic name")
