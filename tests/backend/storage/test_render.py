"""/render/image: pictures in other sizes and formats, with nothing in them but pixels, whatever was uploaded."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest
from PIL import Image

from tests.backend.storage.conftest import ANNA, BRUNO, BUCKET, Files

pytestmark = pytest.mark.anyio
MINE = f"{BUCKET}/{ANNA}"


def picture(kind: str = "PNG", size: tuple[int, int] = (200, 100), **options: Any) -> bytes:
    output = io.BytesIO()
    Image.new("RGB", size, "red").save(output, kind, **options)
    return output.getvalue()


async def upload(files: Files, content: bytes, mime_type: str = "image/png") -> None:
    answer = await files.put(ANNA, f"{MINE}/p", content, content_type=mime_type)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ("width=50&height=50", (50, 50)),
        ("width=50&height=50&resize=contain", (50, 25)),
        ("width=50&height=50&resize=fill", (50, 50)),
        ("width=50", (50, 25)),
        ("height=50", (100, 50)),
        ("width=1000&height=1000", (100, 100)),
        ("", (200, 100)),
    ],
    ids=["cover", "contain", "fill", "width", "height", "never larger", "as it is"],
)
async def test_sizes(files: Files, query: str, size: tuple[int, int]) -> None:
    await upload(files, picture())
    got = await files.call(ANNA, "GET", f"render/image/authenticated/{MINE}/p?{query}")
    assert got.status_code == 200, got.text
    assert got.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(got.content)).size == size


@pytest.mark.parametrize(
    ("query", "accept", "kind"),
    [
        ("format=webp", "*/*", "WEBP"),
        ("format=avif", "*/*", "AVIF"),
        ("", "image/webp,*/*", "WEBP"),
        ("format=origin", "image/webp,*/*", "JPEG"),
    ],
)
async def test_formats(files: Files, query: str, accept: str, kind: str) -> None:
    await upload(files, picture("JPEG"), "image/jpeg")
    path = f"render/image/authenticated/{MINE}/p?width=20&{query}"
    got = await files.call(ANNA, "GET", path, headers={"accept": accept})
    assert Image.open(io.BytesIO(got.content)).format == kind


async def test_a_photo_stands_upright_and_tells_nothing_of_its_place(files: Files) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif[0x010F] = "Camera"
    await upload(files, picture("JPEG", exif=exif), "image/jpeg")
    got = await files.call(ANNA, "GET", f"render/image/authenticated/{MINE}/p?format=origin")
    shown = Image.open(io.BytesIO(got.content))
    assert shown.size == (100, 200)
    assert dict(shown.getexif()) == {}


async def test_only_the_owner_sees_it_and_a_signed_address_does_what_it_says(files: Files) -> None:
    await upload(files, picture())
    foreign = await files.call(BRUNO, "GET", f"render/image/authenticated/{MINE}/p?width=10")
    assert foreign.json()["code"] == "NoSuchKey"
    body = {"expiresIn": 60, "transform": {"width": 10, "height": 10}}
    address = (await files.call(ANNA, "POST", f"object/sign/{MINE}/p", json=body)).json()["signedURL"]
    assert address.startswith("/render/image/sign/")
    got = await files.http.get(f"/storage/v1{address}&width=150")
    assert Image.open(io.BytesIO(got.content)).size == (10, 10)


async def test_what_is_unchanged_is_not_made_again(files: Files) -> None:
    await upload(files, picture())
    path = f"render/image/authenticated/{MINE}/p?width=10"
    tag = (await files.call(ANNA, "GET", path)).headers["etag"]
    assert (await files.call(ANNA, "GET", path, headers={"if-none-match": tag})).status_code == 304


def flood() -> bytes:
    """A PNG that claims 60,000 x 60,000 pixels in a few bytes."""
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (flood(), "too many pixels"),
        (b"\x89PNG\r\n\x1a\n" + b"nonsense" * 20, "no picture"),
        (picture()[:60], "no picture"),
        (b"GIF89a" + b"\xff" * 30 + b"<script>", "no picture"),
    ],
    ids=["flood", "nonsense", "cut short", "polyglot"],
)
async def test_what_is_no_sound_picture_is_refused(files: Files, content: bytes, reason: str) -> None:
    await upload(files, content)
    got = await files.call(ANNA, "GET", f"render/image/authenticated/{MINE}/p?width=10")
    assert got.status_code == 400
    assert reason in got.json()["message"]


@pytest.mark.parametrize("query", ["width=0", "width=2001", "height=x", "quality=19", "resize=crop", "format=exe"])
async def test_bad_wishes_are_refused(files: Files, query: str) -> None:
    await upload(files, picture())
    got = await files.call(ANNA, "GET", f"render/image/authenticated/{MINE}/p?{query}")
    assert got.json()["code"] == "InvalidParameter"
