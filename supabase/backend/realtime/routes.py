"""Serve `/realtime/v1`: the websocket, and broadcasts over HTTP (REALTIME-01)."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from backend.core import callers, endless, errors, http
from backend.core.errors import ApiError, Code
from backend.core.http import Cors, ErrorBoundary
from backend.core.jwt import TokenError
from backend.core.places import counted
from backend.core.resources import Resources
from backend.realtime import authorization, frames
from backend.realtime.changes.follower import Changes
from backend.realtime.channel import Channel
from backend.realtime.frames import VERSIONS, Broadcast
from backend.realtime.hub import PREFIX, Hub
from backend.realtime.joining import Refused
from backend.realtime.limits import (
    BYTES_OF_A_BROADCAST,
    MAX_BROADCASTS_AT_ONCE,
    MAX_BROADCASTS_PER_S,
    MAX_HELD_BYTES,
    MAX_MESSAGE_BYTES,
    MAX_SOCKETS,
    MAX_SOCKETS_PER_PLACE,
    MAX_TOPIC_BYTES,
    Budgets,
)
from backend.realtime.socket import Socket

REQUEST_HEADERS = "Authorization, X-Client-Info, ApiKey, Content-Type"
# How often the times of the channels' tokens are looked at.
CHECK_S = 5.0
# How often policies are asked again about a private channel (REALTIME-02).
RECHECK_S = 300.0
MAX_MESSAGES_PER_REQUEST = 1000


class Service:
    """What the sockets of this process share."""

    def __init__(self, resources: Resources, revoked: Callable[[str], bool]) -> None:
        self.resources = resources
        self.hub = Hub(resources)
        self.changes = Changes(resources)
        self.sockets: set[Socket] = set()
        self._at: Counter[str | None] = Counter()
        # What waits for the clients of all sockets; may be too much, never too little.
        self.held_bytes = 0
        self.broadcasts = Budgets(MAX_BROADCASTS_PER_S, MAX_BROADCASTS_AT_ONCE)
        # Whether a token is of a session that has ended; a key is of none.
        self.is_revoked = revoked
        self._ids: Iterator[int] = itertools.count(random.randrange(2**24))

    @staticmethod
    def now_s() -> float:
        """A clock for limits."""
        return time.monotonic()

    def next_id(self) -> int:
        """A number for one subscription to changes."""
        return next(self._ids)

    @contextmanager
    def admitted(self, socket: Socket, ip: str) -> Iterator[None]:
        """Counts a socket while it is open."""
        self.sockets.add(socket)
        try:
            with counted(self._at, http.place_of(ip)):
                yield
        finally:
            self.sockets.discard(socket)

    def is_full(self, ip: str) -> bool:
        """Whether there is no room for another socket from this address."""
        place = http.place_of(ip)
        return len(self.sockets) >= MAX_SOCKETS or (place is not None and self._at[place] >= MAX_SOCKETS_PER_PLACE)

    def claims_of(self, token: Any, socket: Socket) -> tuple[Mapping[str, Any], str]:
        """The claims a channel acts with, and the token they came from; a key instead of a token means the socket's.

        Raises Refused.
        """
        if token is None or token == "" or (isinstance(token, str) and token.startswith("sb_")):
            if self.is_revoked(socket.key):
                raise Refused("InvalidJWTToken: the session has ended")
            self._refuse_halfway(socket.key_claims)
            return socket.key_claims, socket.key
        if not isinstance(token, str):
            raise Refused("MalformedJWT: The token provided is not a valid JWT")
        try:
            claims = self.resources.keys.verify(token, now=self.resources.now())
        except TokenError as error:
            raise Refused(f"InvalidJWTToken: {error}") from error
        # That a user's token ends is part of the verification; a key of the legacy secret may last for ever.
        if "role" not in claims:
            raise Refused("InvalidJWTToken: Field `role` is required in JWT")
        if self.is_revoked(token):
            raise Refused("InvalidJWTToken: the session has ended")
        self._refuse_halfway(claims)
        return claims, token

    @staticmethod
    def _refuse_halfway(claims: Mapping[str, Any]) -> None:
        if callers.is_halfway(claims):
            raise Refused("Unauthorized: a second factor is due")

    def hold(self, change_bytes: int) -> None:
        """Counts what waits for all clients; beyond the limit those for whom most waits are let go."""
        self.held_bytes += change_bytes
        if change_bytes <= 0 or self.held_bytes <= MAX_HELD_BYTES:
            return
        for socket in self.sockets:
            socket.weigh()
        self.held_bytes = sum(socket.held_bytes for socket in self.sockets)
        while self.held_bytes > MAX_HELD_BYTES:
            max(self.sockets, key=lambda socket: socket.held_bytes).abort()

    async def recheck(self) -> None:
        """Asks policies again about private channels: a right that was withdrawn ends before its token does."""
        while True:
            await asyncio.sleep(CHECK_S)
            channels = [channel for socket in self.sockets for channel in socket.channels.values()]
            for channel in channels:
                is_due = channel.config.private and channel.socket.now_s() - channel.checked_s >= RECHECK_S
                if is_due and channel.is_there:
                    await channel.recheck()

    async def watch(self) -> None:
        """Closes channels whose token has expired or whose session has ended."""
        while True:
            await asyncio.sleep(CHECK_S)
            for channel in [channel for socket in self.sockets for channel in socket.channels.values()]:
                self.check(channel)

    def check(self, channel: Channel) -> None:
        channel.check(revoked=self.is_revoked(channel.token))


@asynccontextmanager
async def service(resources: Resources, revoked: Callable[[str], bool]) -> AsyncIterator[Starlette]:
    """The service, listening to the database and to the other processes inside the block.

    Where the client may not count on being told of changes (`[realtime] enabled = false`) nobody follows them: that
    would take two connections and a replication slot.
    """
    running = Service(resources, revoked)
    work = [running.hub.bus.run(), running.watch(), running.recheck()]
    if resources.settings.realtime.enabled:
        work.append(running.changes.run())
    tasks = [asyncio.create_task(each) for each in work]
    app = Starlette(
        routes=[
            WebSocketRoute("/websocket", _websocket),
            Route("/api/broadcast", _broadcast_many, methods=["POST"]),
            Route("/api/broadcast/{topic}/events/{event}", _broadcast_one, methods=["POST"]),
        ],
        middleware=[Middleware(Cors, headers=REQUEST_HEADERS), Middleware(ErrorBoundary)],
        exception_handlers=dict(errors.HANDLERS),
    )
    app.state.realtime = running
    try:
        yield app
    finally:
        await endless.end(*tasks)
        await running.hub.bus.leave()


async def _websocket(websocket: WebSocket) -> None:
    running: Service = websocket.app.state.realtime
    version = websocket.query_params.get("vsn", "1.0.0")
    known = next((one for one in VERSIONS if one == version), None)
    key = websocket.query_params.get("apikey") or websocket.headers.get("x-api-key", "")
    try:
        if known is None:
            raise ApiError(400, Code.VALIDATION_FAILED, "vsn must be 1.0.0 or 2.0.0")
        if not key:
            raise ApiError(401, Code.NO_AUTHORIZATION, "an apikey is needed")
        ip = http.client_ip(websocket, running.resources.settings)
        if running.is_full(ip):
            raise ApiError(429, Code.SERVICE_UNAVAILABLE, "ConnectionRateLimitReached: Too many connected users")
        claims = callers.of_tokens([key], running.resources)
        if key.startswith("sb_") and running.resources.keys.role_of_key(key) is None:
            raise ApiError(401, Code.NO_AUTHORIZATION, "Invalid API key")
        if running.is_revoked(key):
            raise ApiError(401, Code.BAD_JWT, "The session has ended")
    except ApiError as error:
        await websocket.send_denial_response(JSONResponse({"error": error.message}, status_code=error.status))
        return
    socket = Socket(running, websocket, known, key, claims)
    with running.admitted(socket, ip):
        await socket.run()


async def _broadcast_many(request: Request) -> Response:
    """POST /api/broadcast `{messages: [{topic, event, payload, private?}]}` → 202"""
    running, claims = _caller(request)
    try:
        parsed = frames.json_of(await http.body(request, MAX_MESSAGE_BYTES))
        messages = parsed["messages"]
        if not isinstance(messages, list) or not 0 < len(messages) <= MAX_MESSAGES_PER_REQUEST:
            raise ValueError("messages must be a list")
        sound = [_message(each) for each in messages]
    except (ValueError, KeyError, TypeError) as error:
        raise ApiError(422, Code.VALIDATION_FAILED, f"The messages are malformed: {error}", cause=error) from error
    _spend(request, running, claims, [broadcast for broadcast, _ in sound])
    for broadcast, private in sound:
        await _send(running, claims, broadcast, private)
    return Response(status_code=202)


def _message(given: Any) -> tuple[Broadcast, bool]:
    topic, event = given["topic"], given["event"]
    if not isinstance(topic, str) or not isinstance(event, str):
        raise TypeError("topic and event must be texts")
    content = frames.compact(given.get("payload", {})).encode()
    return _checked(topic, event, content, frames.JSON), given.get("private") is True


def _checked(topic: str, event: str, content: bytes, encoding: int) -> Broadcast:
    name = topic.removeprefix(PREFIX)
    if not 0 < len(name.encode()) <= MAX_TOPIC_BYTES - len(PREFIX) or not 0 < len(event.encode()) <= 255:
        raise ValueError("topic and event must have 1 to 255 bytes")
    if "\0" in name:
        raise ValueError("a topic holds no NUL")
    return Broadcast(PREFIX + name, event, content, encoding)


async def _broadcast_one(request: Request) -> Response:
    """POST /api/broadcast/{topic}/events/{event}?private=true with JSON or bytes → 202"""
    running, claims = _caller(request)
    content = await http.body(request, MAX_MESSAGE_BYTES)
    is_binary = request.headers.get("content-type", "").startswith("application/octet-stream")
    try:
        if not is_binary:
            frames.json_of(content)
        encoding = frames.BINARY if is_binary else frames.JSON
        broadcast = _checked(request.path_params["topic"], request.path_params["event"], content, encoding)
    except ValueError as error:
        raise ApiError(422, Code.VALIDATION_FAILED, f"The message is malformed: {error}", cause=error) from error
    _spend(request, running, claims, [broadcast])
    private = request.query_params.get("private") == "true"
    if not await _send(running, claims, broadcast, private):
        raise ApiError(403, Code.FORBIDDEN, "You do not have permissions to write to this Channel topic")
    return Response(status_code=202)


def _caller(request: Request) -> tuple[Service, Mapping[str, Any]]:
    running: Service = request.app.state.realtime
    if not request.headers.get("apikey") and not request.headers.get("authorization"):
        raise ApiError(401, Code.NO_AUTHORIZATION, "An API key is needed")
    return running, callers.of_headers(request.headers, running.resources)


def _spend(request: Request, running: Service, claims: Mapping[str, Any], sent: Sequence[Broadcast]) -> None:
    """Counts what a caller sends; the service role and this very machine may send at will. Raises ApiError 429."""
    place = http.place_of(http.client_ip(request, running.resources.settings))
    caller = claims.get("sub") or place
    if caller is None or claims.get("role") == "service_role":
        return
    cost = max(len(sent), sum(len(each.content) for each in sent) / BYTES_OF_A_BROADCAST)
    if not running.broadcasts.admits(str(caller), cost, running.now_s()):
        raise ApiError(429, Code.SERVICE_UNAVAILABLE, "Too many messages per second", headers={"Retry-After": "1"})


async def _send(running: Service, claims: Mapping[str, Any], broadcast: Broadcast, private: bool) -> bool:
    """Sends, if the caller may; the service role needs no policy."""
    name = broadcast.topic.removeprefix(PREFIX)
    if private and claims.get("role") != "service_role":
        rights = await authorization.may_write(running.resources.pool, claims, name)
        if not rights.broadcast:
            return False
    running.hub.broadcast((name, private), broadcast)
    return True
