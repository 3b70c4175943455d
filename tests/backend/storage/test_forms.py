"""Multipart uploads: nobody has been asked who they are while the fields arrive, so there is little to send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from backend.core import http
from tests.backend.storage.conftest import ANNA, ANON, BUCKET, Files

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
