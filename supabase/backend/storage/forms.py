"""How an upload says what it brings: a raw body with headers, or a multipart form, read as a stream either way.

The official JavaScript client sends a form with the fields `cacheControl` and `metadata` before the file, Python's
likewise; fields behind the file are refused, for the file is on its way to the store by then.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from backend.core import http
from backend.core.errors import ApiError
from backend.storage import content, errors
from backend.storage.errors import Code

# All that may stand before the file, names and headers included: metadata of 1 MB (objects) and what is around it.
MAX_FIELD_BYTES = 1024 * 1024 + 16 * 1024
# The official clients send two; nobody has been asked who they are yet.
MAX_FIELDS = 20
MAX_PREFIXES = 1000
# A sender that is silent for so long has gone.
SILENCE_S = 60


@dataclass(frozen=True)
class File:
    """The file of an upload and what the sender says about it; `chunks` can be read once."""

    mime_type: str
    cache_control: str
    metadata: str
    chunks: AsyncIterator[bytes] = field(repr=False)


@asynccontextmanager
async def file_of(request: Request, limit_bytes: int) -> AsyncIterator[File]:
    """The file in the request. Raises EntityTooLarge when it announces more than the limit, InvalidRequest."""
    announced = request.headers.get("content-length", "")
    kind = request.headers.get("content-type", "")
    # A form is a little longer than its file.
    slack = MAX_FIELD_BYTES if kind.startswith("multipart/") else 0
    if announced.isdigit() and int(announced) > limit_bytes + slack:
        raise errors.too_large()
    if not kind.startswith("multipart/form-data"):
        yield File(
            kind or content.UNKNOWN,
            request.headers.get("cache-control", ""),
            request.headers.get("x-metadata", ""),
            patient(request.stream()),
        )
        return
    try:
        yield await _Form(_boundary(kind), patient(request.stream())).file()
    except FormParserError as error:
        raise errors.bad_request("The multipart form is malformed") from error


def _boundary(content_type: str) -> bytes:
    boundary = parse_options_header(content_type)[1].get(b"boundary")
    if not boundary:
        raise errors.bad_request("The multipart form names no boundary")
    return boundary


class _Form:
    """A form while it arrives: fields first, then one file."""

    def __init__(self, boundary: bytes, stream: AsyncIterator[bytes]) -> None:
        self._stream = stream
        self._fields: dict[str, bytearray] = {}
        self._parts = 0
        self._read_bytes = 0
        self._header = bytearray()
        self._value = bytearray()
        self._part: dict[bytes, bytes] = {}
        self._name = ""
        self._in_file = False
        self._file_type: str | None = None
        self._pending: list[bytes] = []
        self._ended = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._part_begin,
                "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._part_data,
                "on_end": self._end,
            },
        )

    async def file(self) -> File:
        """Reads up to the file's first byte."""
        try:
            # Nobody has been asked who they are yet: not each piece has its time, but all of them together.
            async with asyncio.timeout(http.BODY_TIMEOUT_S):
                await self._fields_before()
        except TimeoutError as error:
            raise errors.bad_request("The form's fields arrived too slowly") from error
        if self._file_type is None:
            raise errors.bad_request("The form holds no file")
        fields = {name: value.decode("utf-8", "replace") for name, value in self._fields.items()}
        # Upstream lets a field overrule the part's own type.
        mime_type = fields.get("contentType") or self._file_type or content.UNKNOWN
        return File(mime_type, fields.get("cacheControl", ""), fields.get("metadata", ""), self._rest())

    async def _fields_before(self) -> None:
        while self._file_type is None and not self._ended:
            if self._read_bytes > MAX_FIELD_BYTES:
                raise errors.too_large()
            await self._more()

    async def _rest(self) -> AsyncIterator[bytes]:
        while True:
            for piece in self._pending:
                yield piece
            self._pending.clear()
            if self._ended:
                return
            await self._more()

    async def _more(self) -> None:
        try:
            chunk = await anext(self._stream)
        except StopAsyncIteration as error:
            raise errors.bad_request("The multipart form is cut short") from error
        self._read_bytes += len(chunk)
        self._parser.write(chunk)

    def _part_begin(self) -> None:
        self._part = {}

    def _header_end(self) -> None:
        self._part[bytes(self._header).lower()] = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _headers_finished(self) -> None:
        disposition = self._part.get(b"content-disposition", b"")
        options = parse_options_header(disposition.decode("latin-1"))[1]
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        # Older clients write names that are not ASCII as `filename*` alone, which the parser leaves out.
        self._in_file = b"filename" in options or b"filename*=" in disposition
        if self._file_type is not None:
            raise errors.bad_request("The file must be the last part of the form, and the only file")
        if self._in_file:
            self._file_type = self._part.get(b"content-type", b"").decode("latin-1")
            return
        self._parts += 1
        if self._parts > MAX_FIELDS:
            raise errors.bad_request(f"The form must not have more than {MAX_FIELDS} fields")
        self._fields[self._name] = bytearray()

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file:
            self._pending.append(data[start:end])
        else:
            self._fields[self._name] += data[start:end]

    def _end(self) -> None:
        self._ended = True


async def patient(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The stream, given up when its sender falls silent."""
    while True:
        try:
            async with asyncio.timeout(SILENCE_S):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            raise errors.bad_request("The upload stood still for too long") from error
        yield chunk


async def json_body(request: Request) -> Mapping[str, Any]:
    """The body as a JSON object. Raises StorageError."""
    try:
        return await http.json_object(request)
    except ApiError as error:
        if error.status in (408, 413):
            raise
        raise errors.bad_request(error.message) from error


def texts(body: Mapping[str, Any], name: str) -> Sequence[str]:
    """A field that is a list of 1 to 1000 texts. Raises InvalidRequest."""
    value = body.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise errors.bad_request(f"body must have required property '{name}', a list of texts")
    if len(value) > MAX_PREFIXES:
        raise errors.bad_request(f"body/{name} must NOT have more than {MAX_PREFIXES} items")
    return [_speakable(item, name) for item in value]


def text(body: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A field that is a text. Raises InvalidRequest."""
    value = body.get(name, default)
    if value is None:
        value = default
    if not isinstance(value, str):
        raise errors.bad_request(f"body must have required property '{name}', a text")
    return _speakable(value, name)


def _speakable(text: str, name: str) -> str:
    """What the database can be asked about. Raises InvalidParameter for half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise errors.bad_request(f"body/{name} must be a text in UTF-8", Code.INVALID_PARAMETER) from error
    return text.replace("\0", "")


def number(body: Mapping[str, Any], name: str, default: int | None, least: int, most: int) -> int:
    """A field that is a whole number within bounds. Raises InvalidRequest."""
    value = body.get(name)
    if value is None:
        value = default
    # supabase-py writes it as a text; upstream's validator takes both.
    if (isinstance(value, float) and value.is_integer()) or (
        isinstance(value, str) and re.fullmatch(r"\d{1,12}", value)
    ):
        value = int(value)
    if type(value) is not int or value < least:
        raise errors.bad_request(f"body/{name} must be a whole number of at least {least}")
    return min(value, most)
