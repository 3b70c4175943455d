"""How an upload says what it brings: a raw body with headers, or a multipart form, read as a stream either way.

The official clients send a form with the fields `cacheControl` and `metadata` before the file, React Native sends them
after it. The file is streamed either way: what the sender says about it is complete once its stream has been read.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
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

# All of a form but its files, names and headers included: metadata of 1 MB (objects) and what is around it.
MAX_FIELD_BYTES = 1024 * 1024 + 16 * 1024
# The official clients send two; nobody has been asked who they are yet.
MAX_FIELDS = 20
MAX_PREFIXES = 1000
# A sender that is silent for so long has gone.
SILENCE_S = 60


@dataclass(frozen=True)
class Description:
    """What the sender says about a file; empty texts where the request says nothing."""

    mime_type: str
    cache_control: str
    metadata: str
    # Whether a field behind the file may still name another type.
    is_type_open: bool = False


@dataclass(frozen=True)
class File:
    """The file of an upload; `chunks` can be read once, and only after that `described` returns all that was said."""

    described: Callable[[], Description]
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
        description = Description(
            kind or content.UNKNOWN, request.headers.get("cache-control", ""), request.headers.get("x-metadata", "")
        )
        yield File(lambda: description, patient(request.stream()))
        return
    try:
        yield await _Form(_boundary(kind), patient(request.stream()), limit_bytes).file()
    except FormParserError as error:
        raise errors.bad_request("The multipart form is malformed") from error


def _boundary(content_type: str) -> bytes:
    boundary = parse_options_header(content_type)[1].get(b"boundary")
    if not boundary:
        raise errors.bad_request("The multipart form names no boundary")
    return boundary


class _Form:
    """A form while it arrives: its first file is passed on, its fields are kept, its other files are dropped."""

    def __init__(self, boundary: bytes, stream: AsyncIterator[bytes], limit_bytes: int) -> None:
        self._stream = stream
        self._most_bytes = limit_bytes + MAX_FIELD_BYTES
        # Only whole ones: a description that is asked for early must not end in the middle of a word.
        self._fields: dict[str, bytes] = {}
        self._field = bytearray()
        self._parts = 0
        self._read_bytes = 0
        self._file_bytes = 0
        self._header = bytearray()
        self._value = bytearray()
        self._part: dict[bytes, bytes] = {}
        self._name = ""
        self._is_file = self._is_first_file = False
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
                "on_part_end": self._part_end,
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
        return File(self._described, self._rest())

    def _described(self) -> Description:
        fields = {name: value.decode("utf-8", "replace") for name, value in self._fields.items()}
        # Upstream lets a field overrule the part's own type, and takes `userMetadata` too.
        return Description(
            fields.get("contentType") or self._file_type or content.UNKNOWN,
            fields.get("cacheControl", ""),
            fields.get("metadata") or fields.get("userMetadata", ""),
            is_type_open=not self._ended and not fields.get("contentType"),
        )

    async def _fields_before(self) -> None:
        while self._file_type is None and not self._ended:
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
        if self._read_bytes - self._file_bytes > MAX_FIELD_BYTES or self._read_bytes > self._most_bytes:
            raise errors.too_large()

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
        self._is_file = b"filename" in options or b"filename*=" in disposition
        self._is_first_file = self._is_file and self._file_type is None
        if self._is_first_file:
            self._file_type = self._part.get(b"content-type", b"").decode("latin-1")
            return
        self._parts += 1
        if self._parts > MAX_FIELDS:
            raise errors.bad_request(f"The form must not have more than {MAX_FIELDS} fields")

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if not self._is_file:
            self._field += data[start:end]
            return
        self._file_bytes += end - start
        if self._is_first_file:
            self._pending.append(data[start:end])

    def _part_end(self) -> None:
        if not self._is_file:
            self._fields[self._name] = bytes(self._field)
            self._field.clear()

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
