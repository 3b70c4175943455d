"""Which channels of this process listen where, and how a message reaches them and the other processes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Protocol
from uuid import UUID, uuid4

from backend.core.resources import Resources
from backend.realtime import frames, presence, queries
from backend.realtime.bus import Bus
from backend.realtime.frames import Broadcast, Frame, Version
from backend.realtime.presence import Place, Presence, State

PREFIX = "realtime:"


class Shared:
    """A frame for many, its payload JSON already, encoded once for each protocol version."""

    def __init__(self, frame: Frame, payload: str) -> None:
        self._frame = frame
        self._payload = payload
        self._encoded: dict[Version, frames.Text] = {}

    def encoded(self, version: Version) -> frames.Text:
        if version not in self._encoded:
            self._encoded[version] = frames.encode_raw(self._frame, self._payload, version)
        return self._encoded[version]


class Listener(Protocol):
    """A channel, as the hub sees it."""

    wants_presence: bool

    def take(self, message: Broadcast | Shared) -> None:
        """Passes a message on to the client; never waits."""


class Hub:
    """Topics to listeners; `place` is a topic without its prefix and whether it is private: two different channels."""

    def __init__(self, resources: Resources) -> None:
        self.presence = Presence()
        self.bus = Bus(
            resources,
            on_message=self._heard,
            on_rows=self._from_database,
            on_gone=self._forget_node,
            on_hello=self._tell_state,
        )
        self._listeners: dict[Place, set[Listener]] = {}

    def join(self, place: Place, listener: Listener) -> None:
        self._listeners.setdefault(place, set()).add(listener)

    def leave(self, place: Place, listener: Listener) -> None:
        there = self._listeners.get(place)
        if there is not None:
            there.discard(listener)
            if not there:
                del self._listeners[place]

    def broadcast(self, place: Place, message: Broadcast, but: Listener | None = None) -> None:
        """To everybody on the channel but one, here and in the other processes."""
        self._deliver(place, message, but)
        if self.bus.peers:
            self.bus.tell({"kind": "broadcast", "place": place, **_written(message)})

    def _deliver(self, place: Place, message: Broadcast | Shared, but: Listener | None = None) -> None:
        for listener in self._listeners.get(place, ()):
            if listener is not but:
                listener.take(message)

    def track(self, place: Place, ref: str | None, key: str, meta: Mapping[str, Any]) -> str:
        """Makes somebody present, or changes what they show; returns the new reference."""
        new = uuid4().hex
        leaves = self.presence.leave(place, ref) if ref else {}
        joins = self.presence.join(place, new, key, meta)
        self._tell_presence(place, joins, leaves)
        self.bus.tell({"kind": "track", "place": place, "ref": new, "before": ref, "key": key, "meta": dict(meta)})
        return new

    def untrack(self, place: Place, ref: str) -> None:
        leaves = self.presence.leave(place, ref)
        if leaves:
            self._tell_presence(place, {}, leaves)
            self.bus.tell({"kind": "untrack", "place": place, "ref": ref})

    def _tell_presence(self, place: Place, joins: State, leaves: State) -> None:
        payload = f'{{"joins":{presence.written(joins)},"leaves":{presence.written(leaves)}}}'
        diff = Shared(Frame(PREFIX + place[0], "presence_diff", None), payload)
        for listener in self._listeners.get(place, ()):
            if listener.wants_presence:
                listener.take(diff)

    def _heard(self, node: UUID, content: Mapping[str, Any]) -> None:
        topic, private = content["place"]
        place = (str(topic), bool(private))
        match content["kind"]:
            case "broadcast":
                self._deliver(place, _read(place, content))
            case "track":
                known = any(ref == content["ref"] for _, ref, _, _ in self.presence.of_node(node))
                if not known:
                    leaves = self.presence.leave(place, content["before"]) if content["before"] else {}
                    joins = self.presence.join(place, content["ref"], content["key"], content["meta"], node)
                    self._tell_presence(place, joins, leaves)
            case "untrack":
                leaves = self.presence.leave(place, content["ref"])
                if leaves:
                    self._tell_presence(place, {}, leaves)

    def _from_database(self, rows: list[queries.Message]) -> None:
        for row in rows:
            self._deliver((row.topic, row.private), of_row(row, replayed=False))

    def _forget_node(self, node: UUID) -> None:
        for place, ref, _, _ in list(self.presence.of_node(node)):
            self._tell_presence(place, {}, self.presence.leave(place, ref))

    def _tell_state(self) -> None:
        for place, ref, key, meta in self.presence.of_node(None):
            content = {"kind": "track", "place": place, "ref": ref, "before": None, "key": key}
            self.bus.tell({**content, "meta": presence.shown(meta)})


def of_row(row: queries.Message, *, replayed: bool) -> Broadcast:
    """A message of the database as a broadcast."""
    meta: dict[str, Any] = {"id": str(row.id)}
    if replayed:
        meta["replayed"] = True
    if row.binary_payload is not None:
        return Broadcast(PREFIX + row.topic, row.event, row.binary_payload, frames.BINARY, meta)
    return Broadcast(PREFIX + row.topic, row.event, frames.compact(row.payload).encode(), frames.JSON, meta)


def _written(message: Broadcast) -> dict[str, Any]:
    text = message.encoding == frames.JSON
    content = message.content.decode() if text else base64.b64encode(message.content).decode()
    return {"event": message.event, "encoding": message.encoding, "content": content}


def _read(place: Place, content: Mapping[str, Any]) -> Broadcast:
    text = content["encoding"] == frames.JSON
    raw = content["content"].encode() if text else base64.b64decode(content["content"])
    return Broadcast(PREFIX + place[0], content["event"], raw, content["encoding"])
