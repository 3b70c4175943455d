"""Serve one client on one topic: join, send, presence and table changes, until it leaves (REALTIME-02)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from backend.core import db
from backend.core.errors import ServiceUnavailable
from backend.realtime import authorization, frames, presence, queries
from backend.realtime.authorization import Rights
from backend.realtime.changes.types import Payload, SubscriptionError, Wanted
from backend.realtime.frames import Broadcast, Frame
from backend.realtime.hub import PREFIX, Shared, of_row
from backend.realtime.joining import Config, Refused, table
from backend.realtime.limits import (
    MAX_CHANGES_PER_SOCKET,
    MAX_NAME_BYTES,
    MAX_PRESENCE_BYTES,
    MAX_PRESENCE_CALLS,
    MAX_SELECT,
    PRESENCE_WINDOW_S,
    Window,
)

if TYPE_CHECKING:
    from backend.realtime.socket import Socket

logger = logging.getLogger("backend.realtime")

SUBSCRIBED = "Subscribed to PostgreSQL"
NOT_SUBSCRIBED = "Unable to subscribe to changes with given parameters."
CHANGES_LATE = "Changes are late: the policies of a table take long to answer for all its subscribers"
CHANGES_IN_TIME = "Changes are in time again"
NO_READ = "Unauthorized: You do not have permissions to read from this Channel topic: {}"


class Channel:
    """The server's end of a channel."""

    def __init__(self, socket: Socket, topic: str, join_ref: str | None, config: Config, claims: Mapping[str, Any]):
        self.socket = socket
        self.topic = topic
        self.join_ref = join_ref
        self.config = config
        self.claims: Mapping[str, Any] = claims
        self.token = ""
        self.place = (topic.removeprefix(PREFIX), config.private)
        self.wants_presence = config.presence
        self.checked_s = socket.now_s()
        self._reads = authorization.ALL
        self._writes: Rights | None = None if config.private else authorization.ALL
        self._presence_ref: str | None = None
        self.subscribed = 0
        self._presence_calls = Window(MAX_PRESENCE_CALLS, PRESENCE_WINDOW_S)

    async def join(self, frame: Frame) -> None:
        """Answers the join and what follows it. Raises Refused."""
        service = self.socket.service
        await self._check_read()
        wanted = self._wanted()
        changes = [one for one, _ in wanted]
        self.subscribed = len(changes)
        if sum(channel.subscribed for channel in self.socket.channels.values()) + len(changes) > MAX_CHANGES_PER_SOCKET:
            raise Refused("ChannelRateLimitReached: Too many postgres_changes subscriptions")
        # What was asked for is answered and then forgotten.
        self.config = replace(self.config, changes=())
        waits = bool(changes) and self.config.changes_wait_s is not None
        if waits:
            await self._subscribe_first(changes)
        # From here to the answer nothing waits: a change cannot come before the numbers it is told with.
        service.hub.join(self.place, self)
        self.socket.channels[self.topic] = self
        response = {"postgres_changes": [{"id": one.id, **dict(asked)} for one, asked in wanted]}
        self.socket.say(frames.reply(frame, "ok", response))
        if self.config.presence and self._reads.presence:
            state = presence.written(service.hub.presence.state(self.place))
            self.socket.send(frames.encode_raw(Frame(self.topic, "presence_state", None), state, self.socket.version))
        if waits:
            self.system("ok", SUBSCRIBED, "postgres_changes")
        elif changes:
            await self._subscribe(changes)
        if self.config.replication_ready:
            await service.hub.bus.ready.wait()
            self.system("ok", "Replication connection established", "system")
        if self.config.private and self.config.replay_since is not None:
            await self._replay(self.config.replay_since)

    async def _check_read(self) -> None:
        if not self.config.private:
            return
        self._reads = await authorization.may_read(self.socket.service.resources.pool, self.claims, self.place[0])
        self.checked_s = self.socket.now_s()
        self.wants_presence = self.config.presence and self._reads.presence
        if not (self._reads.broadcast or self._reads.presence):
            raise Refused(NO_READ.format(self.place[0]))

    def _wanted(self) -> list[tuple[Wanted, Mapping[str, Any]]]:
        found = []
        for asked in self.config.changes:
            event, schema, table = asked.get("event", "*"), asked.get("schema", "public"), asked.get("table", "*")
            given, select = asked.get("filter"), asked.get("select")
            columns = tuple(part.strip() for part in select.split(",")) if isinstance(select, str) else select
            sound = (
                isinstance(event, str)
                and event.upper() in ("*", "INSERT", "UPDATE", "DELETE")
                and all(isinstance(name, str) and len(name.encode()) <= MAX_NAME_BYTES for name in (schema, table))
                and (given is None or isinstance(given, str))
                and (columns is None or _are_columns(columns))
            )
            if not sound:
                raise Refused("InvalidJoinPayload: a postgres_changes subscription is malformed")
            number = self.socket.service.next_id()
            chosen = tuple(columns) if columns else None
            found.append((Wanted(number, event.upper(), schema, table, given or None, chosen), asked))
        return found

    async def _subscribe_first(self, wanted: Sequence[Wanted]) -> None:
        """Raises Refused, in the form that RealtimeChannel.ts documents for `wait`."""
        try:
            await self.socket.service.changes.subscribe(self, wanted, self.config.changes_wait_s)
        except SubscriptionError as error:
            raise Refused(f"RealtimeDisabledForConfiguration: {NOT_SUBSCRIBED} {error}") from error
        except ServiceUnavailable as error:
            raise Refused(f"PostgresChangesSubscribeTimeout: {error.message}") from error

    async def _subscribe(self, wanted: Sequence[Wanted]) -> None:
        try:
            await self.socket.service.changes.subscribe(self, wanted)
        except SubscriptionError as error:
            self.system("error", f"{NOT_SUBSCRIBED} {error}", "postgres_changes")
        except ServiceUnavailable as error:
            # The client believes that it is told: it must come again.
            self.lost(f"{NOT_SUBSCRIBED} {error.message}")
        else:
            self.system("ok", SUBSCRIBED, "postgres_changes")

    async def _replay(self, since: datetime) -> None:
        async with db.connection(self.socket.service.resources.pool) as connection:
            rows = await queries.replay(connection, self.place[0], since, self.config.replay_limit)
        for row in rows:
            await self.socket.room()
            self.take(of_row(row, replayed=True))

    async def receive(self, frame: Frame) -> None:
        """A message of the client on this channel."""
        match frame.event:
            case "broadcast":
                await self._broadcast(frame)
            case "presence":
                await self._presence(frame)
            case "access_token":
                await self._new_token(table(frame.payload).get("access_token"))
            case "phx_leave":
                self.leave()
                self.socket.say(frames.reply(frame, "ok", {}))
                self._say("phx_close", {})
            case _:
                self.socket.say(frames.reply(frame, "error", {"reason": f"unknown event {frame.event[:50]}"}))

    async def _broadcast(self, frame: Frame) -> None:
        message = frame.payload if isinstance(frame.payload, Broadcast) else self._of_text(frame)
        if message is None:
            self.socket.say(frames.reply(frame, "error", {"reason": "InvalidPayload: a broadcast needs an event"}))
            return
        if not (await self._may_write()).broadcast:
            # Upstream stays silent, and so do we; the log says why nothing arrived.
            logger.info("broadcast refused by policy", extra={"topic": self.place[0]})
            return
        hub = self.socket.service.hub
        hub.broadcast(self.place, message, None if self.config.self_broadcast else self)
        if self.config.ack:
            self.socket.say(frames.reply(frame, "ok", {}))

    def _of_text(self, frame: Frame) -> Broadcast | None:
        payload = table(frame.payload)
        event = payload.get("event")
        if not isinstance(event, str) or len(event.encode()) > 255:
            return None
        return Broadcast(self.topic, event, frames.compact(payload.get("payload", {})).encode())

    async def _may_write(self) -> Rights:
        if self._writes is None:
            pool = self.socket.service.resources.pool
            self._writes = await authorization.may_write(pool, self.claims, self.place[0])
        return self._writes

    async def _presence(self, frame: Frame) -> None:
        payload = table(frame.payload)
        event = str(payload.get("event", "")).lower()
        hub = self.socket.service.hub
        if not self._presence_calls.admits(self.socket.now_s()):
            self.system("error", "ClientPresenceRateLimitReached: Too many presence messages", "presence")
            self.close()
            return
        allowed = (await self._may_write()).presence and self._reads.presence
        if not allowed or event not in ("track", "untrack"):
            self.socket.say(frames.reply(frame, "error", {"reason": "UnknownPresenceEvent or no permission"}))
            return
        if event == "track":
            meta = table(payload.get("payload"))
            if frames.size_bytes(frames.compact(meta)) > MAX_PRESENCE_BYTES:
                reason = f"Track message size exceeded: at most {MAX_PRESENCE_BYTES} bytes"
                self.socket.say(frames.reply(frame, "error", {"reason": reason}))
                return
            self._presence_ref = hub.track(self.place, self._presence_ref, self.config.presence_key, meta)
        elif self._presence_ref:
            hub.untrack(self.place, self._presence_ref)
            self._presence_ref = None
        self.socket.say(frames.reply(frame, "ok", {}))

    async def _new_token(self, token: Any) -> None:
        try:
            self.claims, self.token = self.socket.service.claims_of(token, self.socket)
            # First of all: what waits is for whoever the old token named.
            self.socket.service.changes.renew(self)
            self._writes = None if self.config.private else authorization.ALL
            await self._check_read()
        except Refused as error:
            self.system("error", str(error), "system")
            self.close()

    async def recheck(self) -> None:
        """Asks again what policies allow; a channel that may not be read any more is closed."""
        try:
            await self._check_read()
        except Refused as error:
            if self.is_there:
                self.system("error", str(error), "system")
                self.close()
        except ServiceUnavailable as error:
            logger.info("a channel could not be checked", extra={"cause": error.message})
        else:
            self._writes = None if self.config.private else authorization.ALL

    @property
    def is_there(self) -> bool:
        """Whether the channel is still one of its socket's."""
        return self.socket.channels.get(self.topic) is self

    def check(self, revoked: bool) -> None:
        """Looks at the token's time again; an expired or ended one closes the channel."""
        expires = self.claims.get("exp")
        now = self.socket.service.resources.now().timestamp()
        if revoked or (isinstance(expires, (int, float)) and expires <= now):
            reason = (
                "the session has ended" if revoked else f"Token has expired {int(now - (expires or 0))} seconds ago"
            )
            self.system("error", f"InvalidJWTToken: {reason}", "system")
            self.close()

    def take(self, message: Broadcast | Shared) -> None:
        """Passes a broadcast or a presence diff on."""
        if isinstance(message, Broadcast) and not self._reads.broadcast:
            return
        self.socket.send(message.encoded(self.socket.version))

    def changed(self, ids: Sequence[int], payload: Payload) -> None:
        """Passes a change of a table on."""
        text = f'{{"ids":{frames.compact(list(ids))},"data":{payload.json}}}'
        self.socket.send(frames.encode_raw(Frame(self.topic, "postgres_changes", None), text, self.socket.version))

    def lost(self, message: str = "Changes were missed: join again and fetch anew") -> None:
        """Changes were or will be missed: the client is told to join again, and fetches then."""
        self.system("error", message, "postgres_changes")
        self.leave()
        self._say("phx_error", {})

    def late(self, is_late: bool) -> None:
        """Tells the client that its changes are late, or in time again. The channel goes on."""
        if is_late:
            self.system("error", CHANGES_LATE, "postgres_changes")
        else:
            self.system("ok", CHANGES_IN_TIME, "postgres_changes")

    def system(self, status: str, message: str, extension: str) -> None:
        payload = {"extension": extension, "status": status, "message": message, "channel": self.place[0]}
        self._say("system", payload)

    def close(self) -> None:
        """Ends the channel from our side."""
        self.leave()
        self._say("phx_close", {})

    def leave(self) -> None:
        """Takes the channel out of everything; may be repeated."""
        service = self.socket.service
        service.hub.leave(self.place, self)
        service.changes.unsubscribe(self)
        if self._presence_ref:
            service.hub.untrack(self.place, self._presence_ref)
            self._presence_ref = None
        if self.is_there:
            del self.socket.channels[self.topic]

    def _say(self, event: str, payload: Any) -> None:
        # A close must name the join it ends; everything else is for whoever listens.
        join_ref = self.join_ref if event in ("phx_close", "phx_error") else None
        ref = self.join_ref if event in ("phx_close", "phx_error") else None
        self.socket.say(Frame(self.topic, event, payload, ref, join_ref))


def _are_columns(given: Any) -> bool:
    if not isinstance(given, list | tuple) or len(given) > MAX_SELECT:
        return False
    return all(isinstance(column, str) for column in given)
