"""Multipart uploads: nobody has been asked who they are while the fields arrive, so there is little to send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator

import httpx
import pytest

from backend.core import http
from tests.backend.storage.conftest import ANNA, ANON, BUCKET, SERVICE, Files

pytestmark = pytest.mark.anyio
MINE = f"{BUCKET}/{ANNA}"
KIND = "multipart/form-data; boundary=b"
PIECES = 1000


def many_fields() -> Iterator[bytes]:
    for number in range(PIECES):
        yield b'--b\r\nContent-Disposition: form-data; name="%d"\r\n\r\nx\r\n' % number


def one_name() -> Iterator[bytes]:
    yield b"--b\r\n"
    for _ in range(PIECES):
        yield b'Content-Disposition: form-data; name="a"\r\n\r\nx\r\n--b\r\n'


def long_value() -> Iterator[bytes]:
    yield b'--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n'
    for _ in range(PIECES):
        yield b"x" * 64 * 1024


def no_beginning() -> Iterator[bytes]:
    for _ in range(PIECES):
        yield b"\r\n" * 32 * 1024


def long_names() -> Iterator[bytes]:
    for number in range(PIECES):
        yield b'--b\r\nContent-Disposition: form-data; name="%d%s"\r\n\r\n\r\n' % (number, b"n" * 4000)


@pytest.mark.parametrize(
    ("form", "code"),
    [
        (many_fields, "InvalidRequest"),
        (one_name, "InvalidRequest"),
        (long_names, "InvalidRequest"),
        (long_value, "EntityTooLarge"),
        (no_beginning, "EntityTooLarge"),
    ],
)
async def test_what_stands_before_the_file_is_bounded(
    files: Files, form: Callable[[], Iterator[bytes]], code: str
) -> None:
    sent = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal sent
        for piece in form():
            sent += 1
            yield piece

    answer = await files.call(ANON, "POST", f"object/{MINE}/a.txt", content=body(), headers={"content-type": KIND})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert sent < 30


async def test_what_stands_before_the_file_has_its_time_however_often_something_comes(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "BODY_TIMEOUT_S", 0.1)

    async def dripped() -> AsyncIterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n'
        for _ in range(PIECES):
            await asyncio.sleep(0.02)
            yield b"x"

    asked = files.call(ANON, "POST", f"object/{MINE}/a.txt", content=dripped(), headers={"content-type": KIND})
    async with asyncio.timeout(10):
        answer = await asked
    assert answer.json()["message"] == "The form's fields arrived too slowly"


def part(name: str, value: bytes, filename: str | None = None, kind: str = "text/plain") -> bytes:
    disposition = f'Content-Disposition: form-data; name="{name}"'
    if filename is not None:
        disposition += f'; filename="{filename}"\r\nContent-Type: {kind}'
    return f"--b\r\n{disposition}\r\n\r\n".encode() + value + b"\r\n"


async def send(files: Files, *parts: bytes, piece_bytes: int = 64 * 1024) -> httpx.Response:
    """Upload a form in pieces, without announcing its length."""
    form = b"".join(parts) + b"--b--\r\n"

    async def body() -> AsyncIterator[bytes]:
        for start in range(0, len(form), piece_bytes):
            yield form[start : start + piece_bytes]

    return await files.call(ANNA, "POST", f"object/{MINE}/a.txt", content=body(), headers={"content-type": KIND})


FILE = part("", b"ciao", "a.txt")


@pytest.mark.parametrize("metadata", ["metadata", "userMetadata"])
@pytest.mark.parametrize("position", [0, 1, 3])
@pytest.mark.parametrize("piece_bytes", [1, 64, 4096])
async def test_fields_count_wherever_they_stand(files: Files, position: int, metadata: str, piece_bytes: int) -> None:
    fields = [
        part("cacheControl", b"60"),
        part(metadata, b'{"from": "phone"}'),
        part("contentType", b"text/markdown"),
    ]
    answer = await send(files, *fields[:position], FILE, *fields[position:], piece_bytes=piece_bytes)
    assert answer.status_code == 200, answer.text
    found = (await files.call(ANNA, "GET", f"object/info/{MINE}/a.txt")).json()
    assert (found["cache_control"], found["metadata"]) == ("max-age=60", {"from": "phone"})
    assert found["content_type"] == "text/markdown"


async def test_the_first_file_counts_and_the_second_is_ignored(files: Files) -> None:
    second = part("other", b"x" * 300_000, "b.txt", "image/png")
    answer = await send(files, FILE, second, part("cacheControl", b"60"))
    assert answer.status_code == 200, answer.text
    got = await files.get(ANNA, f"{MINE}/a.txt")
    assert (got.content, got.headers["content-type"]) == (b"ciao", "text/plain")
    assert got.headers["cache-control"] == "private, max-age=60"
    assert len(files.blobs()) == 1


@pytest.mark.parametrize(
    ("behind", "code"),
    [
        ([part(str(number), b"x") for number in range(30)], "InvalidRequest"),
        ([part("", b"x", "b.txt") for _ in range(30)], "InvalidRequest"),
        ([part("metadata", b"x" * 3_000_000)], "EntityTooLarge"),
        ([part("metadata", b"no JSON")], "InvalidRequest"),
        ([part("contentType", b"application/zip")], "InvalidMimeType"),
        ([part("", b"x" * 2_000_000, "b.txt")], "EntityTooLarge"),
        ([b"--b\r\nno header at all\r\n"], "InvalidRequest"),
    ],
    ids=["fields", "files", "long field", "metadata", "type", "long second file", "malformed"],
)
async def test_what_stands_behind_the_file_is_checked_and_a_refusal_leaves_nothing(
    files: Files, behind: list[bytes], code: str
) -> None:
    limits = {"file_size_limit": 10_000, "allowed_mime_types": ["text/*"]}
    await files.call(SERVICE, "PUT", f"bucket/{BUCKET}", json=limits)
    answer = await send(files, FILE, *behind)
    assert (answer.status_code, answer.json().get("code")) == (400, code)
    assert files.blobs() == []


async def test_a_type_that_stands_behind_the_file_is_the_one_that_counts(files: Files) -> None:
    await files.call(SERVICE, "PUT", f"bucket/{BUCKET}", json={"allowed_mime_types": ["text/markdown"]})
    unknown = part("", b"ciao", "a.md", "application/octet-stream")
    assert (await send(files, unknown)).json()["code"] == "InvalidMimeType"
    assert files.blobs() == []
    answer = await send(files, unknown, part("contentType", b"text/markdown"))
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("kind", [f"{KIND}{'b' * 300}", 'multipart/form-data; "' + ";" * 32_000])
async def test_a_boundary_that_is_none_is_refused(files: Files, kind: str) -> None:
    answer = await files.call(ANON, "POST", f"object/{MINE}/a.txt", content=b"x", headers={"content-type": kind})
    assert (answer.status_code, answer.json()["code"]) == (400, "InvalidRequest")


async def test_metadata_may_be_as_long_in_a_form_as_it_may_be(files: Files) -> None:
    metadata = json.dumps({"a": "x" * (1024 * 1024 - 20)})
    answer = await files.call(
        ANNA,
        "POST",
        f"object/{MINE}/b.txt",
        data={"cacheControl": "3600", "metadata": metadata},
        files={"": ("b.txt", b"ciao", "text/plain")},
    )
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "disposition", ['name=""; filename="perché; un.txt"', "name=file; filename*=UTF-8''perch%C3%A9.txt"]
)
async def test_a_file_is_known_by_its_name_in_every_spelling(files: Files, disposition: str) -> None:
    body = f"--b\r\nContent-Disposition: form-data; {disposition}\r\nContent-Type: text/plain\r\n\r\nciao\r\n--b--\r\n"
    headers = {"content-type": KIND}
    answer = await files.call(ANNA, "POST", f"object/{MINE}/a.txt", content=body.encode(), headers=headers)
    assert answer.status_code == 200, answer.text
    assert (await files.get(ANNA, f"{MINE}/a.txt")).content == b"ciao"
