"""/render/image: pictures in other sizes and formats, with nothing in them but pixels, whatever was uploaded."""

from __future__ import annotations

import asyncio
import io
import struct
import zlib
from typing import Any

import pytest
from PIL import Image

from backend.core.places import Places
from backend.storage import pictures, render
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
    ("query", "size", "applied"),
    [
        ("width=50&height=50", (50, 50), "height:50,width:50,resizing_type:fill"),
        ("width=50&height=50&resize=contain", (50, 25), "height:50,width:50,resizing_type:fit"),
        ("width=50&height=50&resize=fill", (50, 50), "height:50,width:50,resizing_type:force"),
        ("width=50&quality=60", (50, 25), "width:50,resizing_type:fill,quality:60"),
        ("height=50&format=origin", (100, 50), "height:50,resizing_type:fill"),
        ("width=1000&height=1000", (100, 100), "height:1000,width:1000,resizing_type:fill"),
        ("", (200, 100), None),
    ],
    ids=["cover", "contain", "fill", "width", "height", "never larger", "as it is"],
)
async def test_sizes(files: Files, query: str, size: tuple[int, int], applied: str | None) -> None:
    await upload(files, picture())
    got = await files.call(ANNA, "GET", f"render/image/authenticated/{MINE}/p?{query}")
    assert got.status_code == 200, got.text
    assert got.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(got.content)).size == size
    assert got.headers.get("x-transformations") == applied


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


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
@pytest.mark.parametrize("query", ["", "width=20", "format=webp", "format=avif"])
async def test_what_a_palette_leaves_transparent_stays_so(files: Files, kind: str, query: str) -> None:
    drawn = Image.new("P", (40, 20))
    drawn.putpalette([255, 0, 0, 0, 0, 255])
    drawn.paste(1, (20, 0, 40, 20))
    output = io.BytesIO()
    drawn.save(output, kind, transparency=0)
    await upload(files, output.getvalue(), f"image/{kind.lower()}")
    got = await files.call(ANNA, "GET", f"render/image/authenticated/{MINE}/p?{query}")
    opacity = Image.open(io.BytesIO(got.content)).convert("RGBA").getchannel("A")
    assert (opacity.getpixel((0, 0)), opacity.getpixel((opacity.width - 1, 0))) == (0, 255)


async def test_a_transparent_picture_stands_on_white_as_a_jpeg() -> None:
    drawn = Image.new("RGB", (2, 2), "red")
    drawn.info["transparency"] = (255, 0, 0)
    shown = Image.open(io.BytesIO(pictures.encoded(drawn, "JPEG", {})))
    assert shown.getpixel((0, 0)) == (255, 255, 255)


async def test_only_the_owner_sees_it_and_a_signed_address_does_what_it_says(files: Files) -> None:
    await upload(files, picture())
    foreign = await files.call(BRUNO, "GET", f"render/image/authenticated/{MINE}/p?width=10")
    assert foreign.json()["code"] == "NoSuchKey"
    body = {"expiresIn": 60, "transform": {"width": 10, "height": 10}}
    address = (await files.call(ANNA, "POST", f"object/sign/{MINE}/p", json=body)).json()["signedURL"]
    assert address.startswith("/render/image/sign/")
    got = await files.http.get(f"/storage/v1{address}&width=150")
    assert Image.open(io.BytesIO(got.content)).size == (10, 10)
    assert got.headers["cache-control"] == "private, no-cache"


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


async def test_who_waits_for_a_turn_holds_no_picture_and_too_many_are_sent_away(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    await upload(files, picture())
    sources, may_go_on = 0, asyncio.Event()
    change, source = render._changed, render._source

    async def counted(*asked: Any) -> bytes:
        nonlocal sources
        sources += 1
        return await source(*asked)

    async def held(*given: Any) -> bytes:
        await may_go_on.wait()
        return await change(*given)

    places = Places(at_once=1, waiting=2)
    for name, instead in (("PLACES", places), ("_source", counted), ("_changed", held)):
        monkeypatch.setattr(render, name, instead)
    path = f"render/image/authenticated/{MINE}/p?width=10"
    asked = [asyncio.create_task(files.call(ANNA, "GET", path)) for _ in range(3)]
    async with asyncio.timeout(20):
        while places.taken < 3 or not sources:  # noqa: ASYNC110 - requests tell nobody how far they are
            await asyncio.sleep(0.005)
    refused = await files.call(ANNA, "GET", path)
    assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (429, "SlowDown", "1")
    assert sources == 1
    may_go_on.set()
    assert {answer.status_code for answer in await asyncio.gather(*asked)} == {200}


@pytest.mark.parametrize("query", ["width=0", "width=2001", "height=x", "quality=19", "resize=crop", "format=exe"])
async def test_bad_wishes_are_refused(files: Files, query: str) -> None:
    await upload(files, picture())
    got = await files.call(ANNA, "GET", f"render/image/authenticated/{MINE}/p?{query}")
    assert got.json()["code"] == "InvalidParameter"
