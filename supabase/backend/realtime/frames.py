"""Messages on the wire: Phoenix's protocol 1.0.0 (objects), 2.0.0 (arrays) and the binary broadcasts of 2.0.0.

Upstream: supabase/realtime, lib/realtime_web/socket/user_broadcast.ex and phoenix's V2 serializer; the client's side is
realtime-js, src/lib/serializer.ts.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from backend.realtime.limits import MAX_REFERENCE_CHARS

Version = Literal["1.0.0", "2.0.0"]
VERSIONS: tuple[Version, ...] = ("1.0.0", "2.0.0")
PUSH_KIND, BROADCAST_KIND = 3, 4
BINARY, JSON = 0, 1
_PUSH_HEADER_BYTES = 7
# What may be half of a surrogate pair, for which there is no UTF-8.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class BadFrame(Exception):
    """What came is no message of the protocol."""


@dataclass(frozen=True)
class Frame:
    """One message from a client; `payload` is JSON, or a Broadcast when it came as a binary frame."""

    topic: str
    event: str
    payload: Any
    ref: str | None = None
    join_ref: str | None = None
    # How long it was on the wire.
    size_bytes: int = 0


class Text:
    """A text frame, encoded once however many get it: all that the server asks of a text is `encode`."""

    __slots__ = ("_data",)

    def __init__(self, text: str) -> None:
        self._data = text.encode()

    def __len__(self) -> int:
        return len(self._data)

    def encode(self) -> bytes:
        return self._data


# What goes out; its length is what it takes.
Encoded = Text | bytes


@dataclass
class Broadcast:
    """A message for everybody on a channel; encoded once for each protocol version, however many receive it."""

    topic: str
    event: str
    content: bytes
    encoding: int = JSON
    meta: dict[str, Any] = field(default_factory=dict)
    _encoded: dict[str, Encoded] = field(default_factory=dict, repr=False)

    def encoded(self, version: Version) -> Encoded:
        """The frame; binary content cannot be said in version 1, which gets null."""
        if version not in self._encoded:
            self._encoded[version] = self._text() if version == "1.0.0" else self._binary()
        return self._encoded[version]

    def _text(self) -> Text:
        content = self.content.decode() if self.encoding == JSON else "null"
        meta = f',"meta":{json.dumps(self.meta)}' if self.meta else ""
        payload = f'{{"type":"broadcast","event":{json.dumps(self.event)},"payload":{content}{meta}}}'
        return Text(
            f'{{"topic":{json.dumps(self.topic)},"event":"broadcast","payload":{payload},"ref":null,"join_ref":null}}'
        )

    def _binary(self) -> bytes:
        topic, event = self.topic.encode(), self.event.encode()
        meta = json.dumps(self.meta).encode() if self.meta else b""
        head = bytes([BROADCAST_KIND, len(topic), len(event), len(meta), self.encoding])
        return head + topic + event + meta + self.content


def decode(data: str | bytes, version: Version) -> Frame:
    """Raises BadFrame."""
    if isinstance(data, bytes):
        return _decode_push(data)
    try:
        parsed = json_of(data)
    except ValueError as error:
        raise BadFrame("no JSON") from error
    if version == "1.0.0" and isinstance(parsed, dict):
        join_ref, ref = parsed.get("join_ref"), parsed.get("ref")
        topic, event, payload = parsed.get("topic"), parsed.get("event"), parsed.get("payload")
    elif version == "2.0.0" and isinstance(parsed, list) and len(parsed) == 5:
        join_ref, ref, topic, event, payload = parsed
    else:
        raise BadFrame("neither the object nor the array of the protocol")
    if not isinstance(topic, str) or not isinstance(event, str):
        raise BadFrame("topic and event must be texts")
    return Frame(topic, event, payload, _reference(ref), _reference(join_ref), size_bytes(data))


def size_bytes(data: str | bytes) -> int:
    """How long it is in UTF-8."""
    return len(data) if isinstance(data, bytes) or data.isascii() else len(data.encode())


def json_of(data: str | bytes) -> Any:
    """What others can be sent again: JSON without Python's NaN and Infinity, in UTF-8. Raises ValueError."""
    text = data if isinstance(data, str) else data.decode()
    try:
        parsed = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("the JSON is too deep") from error
    if _SURROGATE.search(text):
        compact(parsed).encode()
    return parsed


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number is too large")
    return number


def _reference(given: Any) -> str | None:
    text = str(given) if isinstance(given, int) else given
    if text is None or (isinstance(text, str) and len(text) <= MAX_REFERENCE_CHARS):
        return text
    raise BadFrame("references are short texts")


def _decode_push(data: bytes) -> Frame:
    if len(data) < _PUSH_HEADER_BYTES or data[0] != PUSH_KIND or data[6] not in (BINARY, JSON):
        raise BadFrame("an unknown kind of binary frame")
    lengths, position, texts = data[1:6], _PUSH_HEADER_BYTES, []
    for length in lengths:
        piece = data[position : position + length]
        if len(piece) != length:
            raise BadFrame("a binary frame is cut short")
        try:
            texts.append(piece.decode())
        except UnicodeDecodeError as error:
            raise BadFrame("a binary frame's texts are UTF-8") from error
        position += length
    join_ref, ref, topic, event, _meta = texts
    content = data[position:]
    if data[6] == JSON:
        try:
            json_of(content)
        except ValueError as error:
            raise BadFrame("the payload is no JSON") from error
    message = Broadcast(topic, event, content, data[6])
    return Frame(topic, "broadcast", message, ref or None, join_ref or None, len(data))


def encode(frame: Frame, version: Version) -> Text:
    """A message to one client."""
    return encode_raw(frame, compact(frame.payload), version)


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def encode_raw(frame: Frame, payload: str, version: Version) -> Text:
    """The same, with a payload that is JSON already."""
    if version == "2.0.0":
        head = json.dumps([frame.join_ref, frame.ref, frame.topic, frame.event], ensure_ascii=False)
        return Text(f"{head[:-1]},{payload}]")
    rest = {"topic": frame.topic, "event": frame.event, "ref": frame.ref, "join_ref": frame.join_ref}
    return Text(f'{json.dumps(rest, ensure_ascii=False)[:-1]},"payload":{payload}}}')


def reply(to: Frame, status: str, response: Any) -> Frame:
    """The answer to a client's message."""
    return Frame(to.topic, "phx_reply", {"status": status, "response": response}, to.ref, to.join_ref)
