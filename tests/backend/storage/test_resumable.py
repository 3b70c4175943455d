"""/upload/resumable: whatever arrived stays, whoever began it goes on, and the object is whole or not there."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import httpx
import pytest
from hypothesis import HealthCheck, given, strategies
from hypothesis import settings as hypothesis_settings
from starlette.types import ASGIApp, Message

from backend import gateway
from backend.core.config import Settings
from backend.core.resources import open_all
from backend.storage import objects, resumable
from tests.backend.storage.conftest import ANNA, ANON, BRUNO, BUCKET, SERVICE, Files
from tests.conftest import Clock

pytestmark = pytest.mark.anyio
TUS = {"Tus-Resumable": "1.0.0"}
BODY = {**TUS, "Content-Type": "application/offset+octet-stream"}


def metadata(**pairs: str) -> str:
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in pairs.items())


def begun(name: str, length: int | None, **more: str) -> dict[str, str]:
    size = {"Upload-Defer-Length": "1"} if length is None else {"Upload-Length": str(length)}
    given = metadata(bucketName=BUCKET, objectName=name, contentType="text/plain", **more)
    return {**TUS, **size, "Upload-Metadata": given}


async def begin(files: Files, name: str, length: int | None, who: str = ANNA, **headers: str) -> str:
    """The path of a new upload."""
    answer = await files.call(who, "POST", "upload/resumable", headers={**begun(name, length), **headers})
    assert answer.status_code == 201, answer.text
    base = f"{files.resources.settings.api.external_url}/storage/v1/"
    assert answer.headers["location"].startswith(base)
    return answer.headers["location"].removeprefix(base)


async def patch(files: Files, path: str, offset: int, content: bytes, who: str = ANNA) -> httpx.Response:
    headers = {**BODY, "Upload-Offset": str(offset)}
    return await files.call(who, "PATCH", path, headers=headers, content=content)


async def offset(files: Files, path: str, who: str = ANNA) -> int:
    answer = await files.call(who, "HEAD", path, headers=TUS)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    return int(answer.headers["upload-offset"])


async def cut(files: Files, app: ASGIApp, path: str, start: int, content: bytes) -> None:
    """A PATCH whose connection is lost after these bytes, of a body that was to be longer."""
    headers = {**files.headers(ANNA), **BODY, "Upload-Offset": str(start), "Content-Length": str(len(content) + 1)}
    messages: list[Message] = [{"type": "http.request", "body": content, "more_body": True}]

    async def receive() -> Message:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(_message: Message) -> None:
        pass

    scope: dict[str, Any] = {
        "type": "http",
        "method": "PATCH",
        "path": f"/storage/v1/{path}",
        "raw_path": f"/storage/v1/{path}".encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "scheme": "http",
        "http_version": "1.1",
    }
    await app(scope, receive, send)


async def test_an_upload_in_pieces_becomes_one_object(files: Files) -> None:
    content = os.urandom(50_000)
    path = await begin(files, f"{ANNA}/a.bin", len(content))
    assert await offset(files, path) == 0
    assert (await patch(files, path, 0, content[:20_000])).headers["upload-offset"] == "20000"
    missing = await files.get(ANNA, f"{BUCKET}/{ANNA}/a.bin")
    assert missing.json()["code"] == "NoSuchKey"
    done = await patch(files, path, 20_000, content[20_000:])
    assert (done.status_code, done.headers["upload-offset"]) == (204, "50000")
    assert (await files.get(ANNA, f"{BUCKET}/{ANNA}/a.bin")).content == content
    assert len(files.blobs()) == 1
    assert await offset(files, path) == 50_000


async def test_the_first_bytes_may_come_with_the_creation(files: Files) -> None:
    headers = {**begun(f"{ANNA}/a.txt", 4), "Content-Type": BODY["Content-Type"]}
    answer = await files.call(ANNA, "POST", "upload/resumable", headers=headers, content=b"ciao")
    assert (answer.status_code, answer.headers["upload-offset"]) == (201, "4")
    assert (await files.get(ANNA, f"{BUCKET}/{ANNA}/a.txt")).content == b"ciao"


async def test_the_length_may_come_later(files: Files) -> None:
    path = await begin(files, f"{ANNA}/a.txt", None)
    await patch(files, path, 0, b"ci")
    head = await files.call(ANNA, "HEAD", path, headers=TUS)
    assert head.headers["upload-defer-length"] == "1"
    headers = {**BODY, "Upload-Offset": "2", "Upload-Length": "4"}
    assert (await files.call(ANNA, "PATCH", path, headers=headers, content=b"ao")).status_code == 204
    assert (await files.get(ANNA, f"{BUCKET}/{ANNA}/a.txt")).content == b"ciao"


@hypothesis_settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=strategies.lists(strategies.integers(1, 3_000_000), max_size=4, unique=True))
async def test_cut_anywhere_and_resumed_the_bytes_are_the_same(files: Files, app: ASGIApp, cuts: list[int]) -> None:
    content = os.urandom(3_000_001)
    path = await begin(files, f"{ANNA}/{os.urandom(8).hex()}.bin", len(content))
    arrived = 0
    for place in sorted(cuts):
        await cut(files, app, path, arrived, content[arrived:place])
        arrived = await offset(files, path)
        assert arrived == place
    assert (await patch(files, path, arrived, content[arrived:])).status_code == 204
    name = (await files.call(ANNA, "HEAD", path, headers=TUS)).headers["upload-metadata"].split(",")[1].split(" ")[1]
    got = await files.get(ANNA, f"{BUCKET}/{base64.b64decode(name).decode()}")
    assert got.content == content


async def test_a_wrong_offset_is_a_conflict_and_changes_nothing(files: Files) -> None:
    path = await begin(files, f"{ANNA}/a.txt", 4)
    await patch(files, path, 0, b"ci")
    assert (await patch(files, path, 0, b"XX")).status_code == 409
    assert (await patch(files, path, 4, b"XX")).status_code == 409
    assert await offset(files, path) == 2


async def test_more_bytes_than_announced_are_refused(files: Files) -> None:
    path = await begin(files, f"{ANNA}/a.txt", 4)
    answer = await patch(files, path, 0, b"12345")
    assert (answer.status_code, answer.text) == (413, "upload's size exceeded\n")
    assert await offset(files, path) == 0

    async def unannounced() -> AsyncIterator[bytes]:
        yield b"12"
        yield b"345"

    answer = await files.call(ANNA, "PATCH", path, headers={**BODY, "Upload-Offset": "0"}, content=unannounced())
    assert (answer.status_code, answer.text) == (413, "Maximum size exceeded\n")
    assert (await patch(files, path, await offset(files, path), b"")).status_code == 204


async def test_the_limit_of_the_bucket_holds_for_a_length_that_comes_later(files: Files) -> None:
    await files.call(SERVICE, "PUT", f"bucket/{BUCKET}", json={"file_size_limit": 4})
    path = await begin(files, f"{ANNA}/a.txt", None)
    answer = await patch(files, path, 0, b"12345")
    assert (answer.status_code, answer.text) == (413, "upload's size exceeded\n")
    headers = {**BODY, "Upload-Offset": "0", "Upload-Length": "5"}
    answer = await files.call(ANNA, "PATCH", path, headers=headers, content=b"1")
    assert (answer.status_code, answer.text) == (413, "Maximum size exceeded\n")
    answer = await files.call(ANNA, "POST", "upload/resumable", headers=begun(f"{ANNA}/b.txt", 5))
    assert (answer.status_code, answer.text) == (413, "Maximum size exceeded\n")


async def test_a_newcomer_takes_over_from_a_dead_connection(files: Files, app: ASGIApp) -> None:
    path = await begin(files, f"{ANNA}/a.txt", 4)
    arrived = asyncio.Event()

    async def hanging() -> Any:
        yield b"ci"
        arrived.set()
        await asyncio.Event().wait()

    headers = {**BODY, "Upload-Offset": "0"}
    old = asyncio.create_task(files.call(ANNA, "PATCH", path, headers=headers, content=hanging()))
    await arrived.wait()
    while await offset(files, path) != 2:
        answer = await patch(files, path, 2, b"ao")
        if answer.status_code == 204:
            break
    assert (await files.get(ANNA, f"{BUCKET}/{ANNA}/a.txt")).content == b"ciao"
    assert (await old).status_code == 423


async def test_an_upload_belongs_to_whoever_began_it(files: Files) -> None:
    path = await begin(files, f"{ANNA}/a.txt", 4)
    for who in (BRUNO, ANON):
        assert (await files.call(who, "HEAD", path, headers=TUS)).status_code == 404
        assert (await patch(files, path, 0, b"evil", who=who)).status_code == 404
        assert (await files.call(who, "DELETE", path, headers=TUS)).status_code == 404
    foreign = await files.call(BRUNO, "POST", "upload/resumable", headers=begun(f"{ANNA}/a.txt", 4))
    assert foreign.json()["code"] == "AccessDenied"
    assert await offset(files, path) == 0


async def test_an_account_has_only_so_many_uploads_unfinished(
    files: Files, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable, "MOST_UNFINISHED", 2)
    first, second = [await begin(files, f"{ANNA}/{name}.txt", 4) for name in "ab"]

    async def refused() -> httpx.Response:
        return await files.call(ANNA, "POST", "upload/resumable", headers=begun(f"{ANNA}/c.txt", 4))

    answer = await refused()
    assert (answer.status_code, answer.json()["statusCode"], answer.json()["code"]) == (400, "429", "TooManyUploads")
    await begin(files, f"{BRUNO}/a.txt", 4, who=BRUNO)
    await patch(files, first, 0, b"ciao")
    third = await begin(files, f"{ANNA}/c.txt", 4)
    assert (await refused()).json()["code"] == "TooManyUploads"
    await files.call(ANNA, "DELETE", second, headers=TUS)
    await begin(files, f"{ANNA}/d.txt", 4)
    assert (await refused()).json()["code"] == "TooManyUploads"
    assert (await patch(files, third, 0, b"ciao")).status_code == 204
    # What nobody can go on with any more does not count.
    now.advance(hours=25)
    await begin(files, f"{ANNA}/e.txt", 4)
    await begin(files, f"{ANNA}/f.txt", 4)


async def test_an_upload_that_its_content_refused_is_forgotten(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable, "MOST_UNFINISHED", 1)
    await database_owner.execute("update storage.buckets set allowed_mime_types = '{text/*}' where id = $1", BUCKET)
    path = await begin(files, f"{ANNA}/a.txt", 4)
    assert (await patch(files, path, 0, b"PK\x03\x04")).json()["code"] == "InvalidMimeType"
    assert (await files.call(ANNA, "HEAD", path, headers=TUS)).status_code == 404
    await begin(files, f"{ANNA}/b.txt", 4)


async def test_a_given_up_upload_leaves_nothing(files: Files) -> None:
    path = await begin(files, f"{ANNA}/a.txt", 4)
    await patch(files, path, 0, b"ci")
    assert (await files.call(ANNA, "DELETE", path, headers=TUS)).status_code == 204
    assert (await files.call(ANNA, "HEAD", path, headers=TUS)).status_code == 404
    assert files.blobs() == []


async def test_an_upload_expires(files: Files, now: Clock) -> None:
    path = await begin(files, f"{ANNA}/a.txt", 4)
    now.advance(hours=25)
    assert (await files.call(ANNA, "HEAD", path, headers=TUS)).status_code == 404


async def test_an_existing_name_is_refused_at_once_unless_it_is_an_upsert(files: Files) -> None:
    await files.put(ANNA, f"{BUCKET}/{ANNA}/a.txt", b"old")
    answer = await files.call(ANNA, "POST", "upload/resumable", headers=begun(f"{ANNA}/a.txt", 3))
    assert answer.json()["error"] == "Duplicate"
    path = await begin(files, f"{ANNA}/a.txt", 3, **{"x-upsert": "true"})
    await patch(files, path, 0, b"new")
    assert (await files.get(ANNA, f"{BUCKET}/{ANNA}/a.txt")).content == b"new"
    assert len(files.blobs()) == 1


async def test_a_finish_that_was_interrupted_is_done_by_the_next_head(files: Files) -> None:
    """The last byte is on the disk, but the process died before it said so."""
    path = await begin(files, f"{ANNA}/a.txt", 4)
    await patch(files, path, 0, b"ci")
    part = files.resources.settings.storage_folder / "arriving" / path.rpartition("/")[2]
    part.write_bytes(b"ciao")
    assert await offset(files, path) == 4
    assert (await files.get(ANNA, f"{BUCKET}/{ANNA}/a.txt")).content == b"ciao"


async def test_a_signed_upload_needs_no_token_of_the_sender(files: Files) -> None:
    signing = await files.call(ANNA, "POST", f"object/upload/sign/{BUCKET}/{ANNA}/s.txt", json={})
    token = signing.json()["token"]
    headers = {**begun(f"{ANNA}/s.txt", 4), "x-signature": token}
    made = await files.http.post("/storage/v1/upload/resumable/sign", headers=headers)
    assert made.status_code == 201, made.text
    path = made.headers["location"].partition("/storage/v1")[2]
    assert "/upload/resumable/sign/" in path
    sent = await files.http.patch(
        f"/storage/v1{path}", headers={**BODY, "Upload-Offset": "0", "x-signature": token}, content=b"ciao"
    )
    assert sent.status_code == 204
    assert (await files.get(ANNA, f"{BUCKET}/{ANNA}/s.txt")).content == b"ciao"
    other = {**begun(f"{ANNA}/other.txt", 4), "x-signature": token}
    assert (await files.http.post("/storage/v1/upload/resumable/sign", headers=other)).json()[
        "code"
    ] == "InvalidSignature"


async def test_options_say_what_is_spoken(files: Files) -> None:
    answer = await files.http.options("/storage/v1/upload/resumable")
    assert answer.headers["tus-version"] == "1.0.0"
    assert "creation-with-upload" in answer.headers["tus-extension"]
    assert answer.headers["tus-max-size"] == str(files.resources.settings.storage.file_size_limit)
    assert "Upload-Offset" in answer.headers["access-control-allow-headers"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"Tus-Resumable": "0.9"}, 412),
        ({"Upload-Length": "x"}, 400),
        ({"Upload-Length": str(2**40)}, 413),
        ({"Upload-Metadata": "bucketName !!!"}, 400),
        ({"Upload-Metadata": ""}, 400),
        ({"Upload-Metadata": metadata(bucketName=BUCKET, objectName="../x")}, 400),
    ],
    ids=["version", "length", "too large", "no base64", "no metadata", "bad name"],
)
async def test_a_bad_beginning_is_refused(files: Files, change: dict[str, str], status: int) -> None:
    answer = await files.call(ANNA, "POST", "upload/resumable", headers={**begun(f"{ANNA}/a.txt", 4), **change})
    assert answer.status_code == status
    assert (answer.text == "Maximum size exceeded\n") == (status == 413)
    assert files.blobs() == []


async def test_two_processes_that_finish_one_upload_lose_nothing(
    files: Files, settings: Settings, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is cut while the first is about to write the row, and the client asks the other."""
    finish, reached, go_on = objects.finish, asyncio.Event(), asyncio.Event()

    async def slow(*arguments: Any) -> dict[str, str]:
        if not reached.is_set():
            reached.set()
            await go_on.wait()
        return await finish(*arguments)

    monkeypatch.setattr(objects, "finish", slow)
    async with (
        open_all(settings, now) as resources,
        gateway.application(resources) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=settings.api.external_url) as http,
    ):
        other = Files(resources, http)
        path = await begin(files, f"{ANNA}/a.txt", 1000)
        last = asyncio.create_task(patch(files, path, 0, b"x" * 1000))
        await reached.wait()
        assert await offset(other, path) == 1000
        go_on.set()
        assert (await last).status_code == 204
        assert (await other.get(ANNA, f"{BUCKET}/{ANNA}/a.txt")).content == b"x" * 1000
