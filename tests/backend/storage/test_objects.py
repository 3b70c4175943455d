"""POST, PUT, DELETE /object: what is uploaded is there whole, once, for its owner only."""

from __future__ import annotations

import asyncio
import base64
import json
import unicodedata
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import asyncpg
import pytest

from backend.core import migrate
from backend.core.config_storage import ByteSize
from backend.storage.backends.local import LocalBackend
from tests.backend.storage.conftest import ANNA, ANON, BRUNO, BUCKET, SERVICE, Files
from tests.backend.storage.test_resumable import begun

pytestmark = pytest.mark.anyio
MINE = f"{BUCKET}/{ANNA}"
SCHEMA = migrate.BACKEND / "storage" / "schema"


async def test_an_upload_answers_key_and_id_and_can_be_read(files: Files) -> None:
    answer = await files.put(ANNA, f"{MINE}/a.txt", b"ciao")
    assert answer.status_code == 200
    assert answer.json()["Key"] == f"{MINE}/a.txt"
    got = await files.get(ANNA, f"{MINE}/a.txt")
    assert (got.status_code, got.content) == (200, b"ciao")
    assert got.headers["content-type"] == "text/plain"
    info = await files.call(ANNA, "GET", f"object/info/{MINE}/a.txt")
    assert info.json()["id"] == answer.json()["Id"]
    assert (info.json()["size"], info.json()["etag"]) == (4, got.headers["etag"])


async def test_a_form_brings_type_cache_control_and_metadata(files: Files) -> None:
    answer = await files.call(
        ANNA,
        "POST",
        f"object/{MINE}/b.pdf",
        data={"cacheControl": "3600", "metadata": json.dumps({"numero": "12/2026"})},
        files={"": ("b.pdf", b"%PDF-1.7 prova", "application/pdf")},
    )
    assert answer.status_code == 200, answer.text
    info = (await files.call(ANNA, "GET", f"object/info/{MINE}/b.pdf")).json()
    assert info["content_type"] == "application/pdf"
    assert info["cache_control"] == "max-age=3600"
    assert info["metadata"] == {"numero": "12/2026"}


async def test_a_header_brings_metadata_as_base64(files: Files) -> None:
    given = base64.b64encode(json.dumps({"chi": "Società"}).encode()).decode()
    assert (await files.put(ANNA, f"{MINE}/a.txt", b"x", x_metadata=given)).status_code == 200
    info = (await files.call(ANNA, "GET", f"object/info/{MINE}/a.txt")).json()
    assert info["metadata"] == {"chi": "Società"}


async def test_a_second_upload_is_a_duplicate_unless_it_is_an_upsert(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"one")
    again = await files.put(ANNA, f"{MINE}/a.txt", b"two")
    assert again.status_code == 400
    assert again.json() == {
        "statusCode": "409",
        "error": "Duplicate",
        "message": "The resource already exists",
        "code": "KeyAlreadyExists",
    }
    assert (await files.get(ANNA, f"{MINE}/a.txt")).content == b"one"
    replaced = await files.put(ANNA, f"{MINE}/a.txt", b"three", x_upsert="true")
    assert replaced.status_code == 200
    assert (await files.get(ANNA, f"{MINE}/a.txt")).content == b"three"
    assert len(files.blobs()) == 1


async def test_put_replaces(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"one")
    answer = await files.call(ANNA, "PUT", f"object/{MINE}/a.txt", content=b"two", headers={"content-type": "text/csv"})
    assert answer.status_code == 200
    got = await files.get(ANNA, f"{MINE}/a.txt")
    assert (got.content, got.headers["content-type"]) == (b"two", "text/csv")


@pytest.mark.parametrize("who", [BRUNO, ANON], ids=["stranger", "anonymous"])
async def test_nobody_writes_into_a_foreign_folder(files: Files, who: str) -> None:
    answer = await files.put(who, f"{MINE}/a.txt", b"x")
    assert answer.status_code == 400
    assert answer.json()["statusCode"] == "403"
    assert answer.json()["message"] == "new row violates row-level security policy"
    assert files.blobs() == []


@pytest.mark.parametrize("who", [BRUNO, ANON], ids=["stranger", "anonymous"])
async def test_a_foreign_object_is_not_there(files: Files, who: str) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"x")
    for method, path in [
        ("GET", f"object/{MINE}/a.txt"),
        ("GET", f"object/authenticated/{MINE}/a.txt"),
        ("GET", f"object/info/{MINE}/a.txt"),
        ("DELETE", f"object/{MINE}/a.txt"),
    ]:
        answer = await files.call(who, method, path)
        assert (answer.status_code, answer.json()["code"]) == (400, "NoSuchKey")
    removed = await files.call(who, "DELETE", f"object/{BUCKET}", json={"prefixes": [f"{ANNA}/a.txt"]})
    assert removed.json() == []
    signing = await files.call(who, "POST", f"object/sign/{MINE}/a.txt", json={"expiresIn": 60})
    assert signing.json()["code"] == "NoSuchKey"
    for verb in ("move", "copy"):
        body = {"bucketId": BUCKET, "sourceKey": f"{ANNA}/a.txt", "destinationKey": f"{BRUNO}/stolen.txt"}
        assert (await files.call(who, "POST", f"object/{verb}", json=body)).json()["code"] == "NoSuchKey"
    assert (await files.get(ANNA, f"{MINE}/a.txt")).content == b"x"


async def test_the_service_role_reads_everything(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"x")
    assert (await files.get(SERVICE, f"{MINE}/a.txt")).content == b"x"


async def test_removing_many_answers_the_rows_and_drops_the_bytes(files: Files) -> None:
    for name in ("a", "b"):
        await files.put(ANNA, f"{MINE}/{name}.txt", name.encode())
    names = [f"{ANNA}/a.txt", f"{ANNA}/b.txt", f"{ANNA}/none.txt"]
    answer = await files.call(ANNA, "DELETE", f"object/{BUCKET}", json={"prefixes": names})
    assert sorted(row["name"] for row in answer.json()) == names[:2]
    assert files.blobs() == []


async def test_removing_one_says_so(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"x")
    assert (await files.call(ANNA, "DELETE", f"object/{MINE}/a.txt")).json() == {"message": "Successfully deleted"}
    assert (await files.get(ANNA, f"{MINE}/a.txt")).status_code == 400


async def test_moving_keeps_bytes_and_id(files: Files) -> None:
    first = (await files.put(ANNA, f"{MINE}/a.txt", b"x")).json()
    blobs = files.blobs()
    body = {"bucketId": BUCKET, "sourceKey": f"{ANNA}/a.txt", "destinationKey": f"{ANNA}/2026/b.txt"}
    assert (await files.call(ANNA, "POST", "object/move", json=body)).json()["message"] == "Successfully moved"
    info = (await files.call(ANNA, "GET", f"object/info/{MINE}/2026/b.txt")).json()
    assert info["id"] == first["Id"]
    assert files.blobs() == blobs
    assert (await files.get(ANNA, f"{MINE}/a.txt")).status_code == 400


async def test_nothing_is_moved_onto_another_object_or_into_a_foreign_folder(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"a")
    await files.put(ANNA, f"{MINE}/b.txt", b"b")
    body = {"bucketId": BUCKET, "sourceKey": f"{ANNA}/a.txt", "destinationKey": f"{ANNA}/b.txt"}
    assert (await files.call(ANNA, "POST", "object/move", json=body)).json()["error"] == "Duplicate"
    body["destinationKey"] = f"{BRUNO}/a.txt"
    assert (await files.call(ANNA, "POST", "object/move", json=body)).json()["code"] == "AccessDenied"
    assert (await files.get(ANNA, f"{MINE}/a.txt")).content == b"a"


async def test_a_copy_lives_on_its_own(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"a")
    body = {"bucketId": BUCKET, "sourceKey": f"{ANNA}/a.txt", "destinationKey": f"{ANNA}/c.txt"}
    copied = (await files.call(ANNA, "POST", "object/copy", json=body)).json()
    assert copied["Key"] == f"{MINE}/c.txt"
    assert copied["owner_id"] == ANNA
    await files.call(ANNA, "DELETE", f"object/{MINE}/a.txt")
    assert (await files.get(ANNA, f"{MINE}/c.txt")).content == b"a"


@pytest.mark.parametrize(
    "name",
    ["a//b", "..", "a/../b", "a\\b", "a\nb", "a\x00b", "a%00b", "è" * 600, "tab\tname", "a<b", 'a"b'],
    ids=["empty segment", "up", "up inside", "backslash", "newline", "nul", "percent", "long", "tab", "less", "quote"],
)
async def test_names_that_could_hurt_are_refused(files: Files, name: str) -> None:
    # dots written out, or the client itself would walk up
    answer = await files.put(ANNA, f"{MINE}/{quote(name, safe='/').replace('.', '%2e')}", b"x")
    assert answer.status_code in (400, 404), answer.text
    assert files.blobs() == []


async def test_italian_names_are_welcome_in_one_form(files: Files) -> None:
    decomposed, composed = "Perche%CC%81 no (1).txt", "Perch%C3%A9 no (1).txt"
    assert (await files.put(ANNA, f"{MINE}/{decomposed}", b"x")).status_code == 200
    assert (await files.get(ANNA, f"{MINE}/{composed}")).content == b"x"


async def test_a_name_is_found_again_as_it_was_written(files: Files) -> None:
    """The composed and the decomposed form are one name, wherever it is asked for."""
    name = unicodedata.normalize("NFD", f"{ANNA}/perché.txt")
    assert (await files.put(ANNA, f"{BUCKET}/{quote(name)}", b"x")).status_code == 200
    assert (await files.get(ANNA, f"{BUCKET}/{quote(name)}")).content == b"x"
    asked = {"expiresIn": 60, "paths": [name]}
    signed = (await files.call(ANNA, "POST", f"object/sign/{BUCKET}", json=asked)).json()[0]
    assert signed["path"] == name
    assert (await files.http.get(f"/storage/v1{signed['signedURL']}")).content == b"x"
    looked_for = {"prefix": ANNA, "search": unicodedata.normalize("NFD", "perché")}
    assert len((await files.call(ANNA, "POST", f"object/list/{BUCKET}", json=looked_for)).json()) == 1
    copied = {"bucketId": BUCKET, "sourceKey": name, "destinationKey": f"{ANNA}/b.txt"}
    assert (await files.call(ANNA, "POST", "object/copy", json=copied)).status_code == 200
    removed = await files.call(ANNA, "DELETE", f"object/{BUCKET}", json={"prefixes": [name]})
    assert len(removed.json()) == 1
    await files.put(ANNA, f"{BUCKET}/{quote(name)}", b"x")
    assert (await files.call(ANNA, "DELETE", f"object/{BUCKET}/{quote(name)}")).status_code == 200


async def test_no_connection_to_the_database_is_held_while_blobs_go(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, delete, held = files.resources.pool, LocalBackend.delete, list[int]()

    async def noted(self: LocalBackend, versions: Sequence[str]) -> None:
        held.append(pool.get_size() - pool.get_idle_size())
        await delete(self, versions)

    await files.put(ANNA, f"{MINE}/a.txt", b"x")
    async with asyncio.timeout(10):
        # What the upload began besides its answer ends.
        while pool.get_idle_size() < pool.get_size():  # noqa: ASYNC110 - a pool tells nobody
            await asyncio.sleep(0.01)
    monkeypatch.setattr(LocalBackend, "delete", noted)
    await files.call(ANNA, "DELETE", f"object/{MINE}/a.txt")
    assert held == [0]
    assert files.blobs() == []


async def test_the_limit_of_the_bucket_holds_for_announced_and_dripped_bodies(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    await database_owner.execute("update storage.buckets set file_size_limit = 10 where id = $1", BUCKET)
    assert (await files.put(ANNA, f"{MINE}/a.txt", b"x" * 11)).json()["statusCode"] == "413"

    async def dripped() -> AsyncIterator[bytes]:
        for _ in range(11):
            yield b"x"

    answer = await files.call(ANNA, "POST", f"object/{MINE}/a.txt", content=dripped())
    assert answer.json() == {
        "statusCode": "413",
        "error": "Payload too large",
        "message": "The object exceeded the maximum allowed size",
        "code": "EntityTooLarge",
    }
    assert files.blobs() == []
    assert (await files.put(ANNA, f"{MINE}/a.txt", b"x" * 10)).status_code == 200


async def test_an_account_that_has_filled_its_quota_removes_something_first(files: Files) -> None:
    storage = replace(files.resources.settings.storage, account_quota=ByteSize(10))
    settings = replace(files.resources.settings, storage=storage)
    object.__setattr__(files.resources, "settings", settings)
    for name in "ab":
        assert (await files.put(ANNA, f"{MINE}/{name}.txt", b"x" * 6)).status_code == 200
    assert (await files.put(ANNA, f"{MINE}/b.txt", b"x" * 6, x_upsert="true")).status_code == 200
    copied = {"bucketId": BUCKET, "sourceKey": f"{ANNA}/a.txt", "destinationKey": f"{ANNA}/c.txt"}
    for refused in (
        await files.put(ANNA, f"{MINE}/c.txt", b"x"),
        await files.call(ANNA, "POST", "object/copy", json=copied),
        await files.call(ANNA, "POST", "upload/resumable", headers=begun(f"{ANNA}/c.txt", 1)),
    ):
        assert (refused.status_code, refused.json()["code"]) == (400, "QuotaExceeded")
    assert (await files.put(BRUNO, f"{BUCKET}/{BRUNO}/a.txt", b"x")).status_code == 200
    await files.call(ANNA, "DELETE", f"object/{MINE}/a.txt")
    assert (await files.put(ANNA, f"{MINE}/c.txt", b"x")).status_code == 200


@pytest.mark.parametrize("verb", ["move", "copy"])
async def test_the_limit_of_the_bucket_holds_for_what_comes_from_another_one(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record], verb: str
) -> None:
    await database_owner.execute("update storage.buckets set file_size_limit = 10 where id = 'open'")
    await files.put(ANNA, f"{MINE}/long.txt", b"x" * 11)
    await files.put(ANNA, f"{MINE}/short.txt", b"x" * 10)
    for name, code in (("long.txt", "EntityTooLarge"), ("short.txt", None)):
        place = {"bucketId": BUCKET, "destinationBucket": "open", "sourceKey": f"{ANNA}/{name}"}
        answer = await files.call(ANNA, "POST", f"object/{verb}", json={**place, "destinationKey": f"{ANNA}/{name}"})
        assert answer.json().get("code") == code


async def test_a_bucket_takes_its_types_only_by_word_and_by_content(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    await database_owner.execute(
        "update storage.buckets set allowed_mime_types = '{image/*,application/pdf}' where id = $1", BUCKET
    )
    assert (await files.put(ANNA, f"{MINE}/a.txt", b"x")).json()["error"] == "invalid_mime_type"
    lie = await files.put(ANNA, f"{MINE}/a.png", b"<html><script>alert(1)</script>", content_type="image/png")
    assert lie.json()["code"] == "InvalidMimeType"
    assert files.blobs() == []
    honest = await files.put(ANNA, f"{MINE}/a.pdf", b"%PDF-1.4", content_type="application/pdf")
    assert honest.status_code == 200


async def test_the_bytes_stay_when_the_commit_may_have_happened(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    await database_owner.execute(
        """
        create function storage.be_late() returns trigger language plpgsql as $$
          begin raise query_canceled using message = 'canceling statement due to statement timeout'; end
        $$;
        create constraint trigger be_late after insert on storage.objects deferrable initially deferred
          for each row execute function storage.be_late();
        """
    )
    answer = await files.put(ANNA, f"{MINE}/a.txt", b"x")
    assert (answer.status_code, answer.json()["code"]) == (544, "DatabaseTimeout")
    assert len(files.blobs()) == 1, "the sweep takes it if no row names it"


async def test_an_unknown_bucket_is_named(files: Files) -> None:
    answer = await files.put(ANNA, f"nowhere/{ANNA}/a.txt", b"x")
    assert answer.json()["message"] == "Bucket not found"


async def test_of_two_uploads_to_one_path_one_wins_whole(files: Files) -> None:
    contents = [bytes([65 + number]) * 300_000 for number in range(6)]
    answers = await asyncio.gather(
        *(files.put(ANNA, f"{MINE}/race.txt", content, x_upsert="true") for content in contents)
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["Id"] for answer in answers}) == 1
    assert (await files.get(ANNA, f"{MINE}/race.txt")).content in contents


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=b", b"no form at all"),
        ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'),
        ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name=""; filename="a"\r\n\r\ncut'),
    ],
    ids=["no boundary", "no form", "no file", "cut short"],
)
async def test_broken_forms_are_refused_and_leave_nothing(files: Files, kind: str, body: bytes) -> None:
    answer = await files.call(ANNA, "POST", f"object/{MINE}/a.txt", content=body, headers={"content-type": kind})
    assert (answer.status_code, answer.json()["code"]) == (400, "InvalidRequest")
    assert files.blobs() == []


@pytest.mark.parametrize("given", ["%%%", base64.b64encode(b"[1]").decode(), base64.b64encode(b"{").decode()])
async def test_metadata_that_is_none_is_refused(files: Files, given: str) -> None:
    answer = await files.put(ANNA, f"{MINE}/a.txt", b"x", x_metadata=given)
    assert answer.json()["code"] == "InvalidRequest"


async def test_forged_and_expired_tokens_are_refused(files: Files) -> None:
    answer = await files.call(ANNA, "GET", f"object/{MINE}/a.txt", headers={"Authorization": "Bearer a.b.c"})
    assert (answer.status_code, answer.json()["statusCode"], answer.json()["code"]) == (400, "403", "AccessDenied")


async def test_rows_are_not_deleted_behind_the_services_back(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"x")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await database_owner.execute("delete from storage.objects")


async def test_a_copy_may_speak_for_itself_and_onto_itself_loses_nothing(files: Files) -> None:
    mine = base64.b64encode(b'{"year": 2026}').decode()
    await files.put(ANNA, f"{MINE}/a.txt", b"ciao", x_metadata=mine, cache_control="max-age=60")

    async def copied(target: str, metadata: dict[str, str] | None = None, own: dict[str, int] | None = None) -> Any:
        places = {"bucketId": BUCKET, "sourceKey": f"{ANNA}/a.txt", "destinationKey": f"{ANNA}/{target}"}
        body = {**places, "copyMetadata": False, **({"metadata": metadata} if metadata else {})}
        headers = {"x-upsert": "true", "x-metadata": base64.b64encode(json.dumps(own).encode()).decode() if own else ""}
        answer = await files.call(ANNA, "POST", "object/copy", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        told = (await files.call(ANNA, "GET", f"object/info/{MINE}/{target}")).json()
        return told["content_type"], told["cache_control"], told["metadata"]

    own = {"cacheControl": "max-age=5", "mimetype": "text/markdown"}
    assert await copied("b.md", own, {"year": 2027}) == ("text/markdown", "max-age=5", {"year": 2027})
    assert await copied("c.txt") == ("text/plain", "max-age=60", {})
    # What the bytes prove stays true.
    assert (await copied("d.txt", {"mimetype": "image/png"}))[0] == "application/octet-stream"
    assert await copied("a.txt") == ("text/plain", "max-age=60", {"year": 2026})
    assert await copied("b.md") == ("text/plain", "max-age=60", {"year": 2027})


@pytest.mark.parametrize(
    ("metadata", "code"),
    [({"mimetype": "text/markdown"}, None), ({}, "InvalidMimeType"), ({"cacheControl": 9}, "InvalidRequest")],
    ids=["its own type", "the type of its source", "no text"],
)
async def test_the_type_of_the_copy_is_the_one_its_bucket_takes(
    files: Files, metadata: dict[str, Any], code: str | None
) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"ciao")
    await files.call(SERVICE, "PUT", "bucket/open", json={"allowed_mime_types": ["text/markdown"]})
    places = {"bucketId": BUCKET, "sourceKey": f"{ANNA}/a.txt", "destinationBucket": "open"}
    body = {**places, "destinationKey": f"{ANNA}/a.md", "copyMetadata": False, "metadata": metadata}
    answer = await files.call(ANNA, "POST", "object/copy", json=body)
    assert answer.json().get("code") == code, answer.text
    assert len(files.blobs()) == (2 if code is None else 1)


async def test_without_a_key_the_answer_is_upstreams(files: Files) -> None:
    await files.put(ANNA, f"open/{ANNA}/a.txt", b"ciao")
    calls = (
        ("GET", f"object/authenticated/open/{ANNA}/a.txt"),
        ("GET", f"object/info/authenticated/open/{ANNA}/a.txt"),
        ("POST", "object/open/x"),
        ("GET", "bucket"),
    )
    for method, path in calls:
        answer = await files.http.request(method, f"/storage/v1/{path}")
        assert answer.status_code == 400
        told = {name: answer.json()[name] for name in ("statusCode", "error", "message")}
        message = "headers must have required property 'authorization'"
        assert told == {"statusCode": "400", "error": "Error", "message": message}
    assert (await files.http.get(f"/storage/v1/object/open/{ANNA}/a.txt")).content == b"ciao"
    assert (await files.http.get(f"/storage/v1/object/info/open/{ANNA}/a.txt")).json()["size"] == 4
    for path in (f"object/{MINE}/a.txt", f"object/info/{MINE}/a.txt"):
        assert (await files.http.get(f"/storage/v1/{path}")).json()["code"] == "NoSuchBucket"


async def test_without_a_key_uploads_that_go_on_and_pictures_miss_a_token(files: Files) -> None:
    for answer in (
        await files.http.post("/storage/v1/upload/resumable", headers=begun(f"{ANNA}/a.txt", 4)),
        await files.http.get(f"/storage/v1/render/image/authenticated/open/{ANNA}/a.png"),
    ):
        told = {"statusCode": "403", "error": "Unauthorized", "message": "Invalid Compact JWS", "code": "AccessDenied"}
        assert (answer.status_code, answer.json()) == (400, told)


async def test_a_row_that_names_its_owner_in_the_old_column_counts_for_them(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    await database_owner.execute(
        f"""
        alter table storage.objects disable trigger name_owner;
        insert into storage.objects (bucket_id, name, owner, metadata, updated_at)
          values ('{BUCKET}', 'before.txt', '{ANNA}', '{{"size": 6}}', '2020-01-01Z');
        alter table storage.objects enable trigger name_owner;
        insert into storage.objects (bucket_id, name, owner, metadata)
          values ('{BUCKET}', 'since.txt', '{ANNA}', '{{"size": 6}}');
        create policy "of the owner" on storage.objects for select to authenticated
          using (owner_id = (select auth.uid())::text);
        """
    )
    # What every database gets that has such rows from before.
    await database_owner.execute((SCHEMA / "02_functions.sql").read_text())
    for name in ("before.txt", "since.txt"):
        assert (await files.call(ANNA, "GET", f"object/info/{BUCKET}/{name}")).json()["size"] == 6
        assert (await files.call(BRUNO, "GET", f"object/info/{BUCKET}/{name}")).json()["code"] == "NoSuchKey"
    changed = await database_owner.fetchval("select updated_at from storage.objects where name = 'before.txt'")
    assert changed.year == 2020

    storage = replace(files.resources.settings.storage, account_quota=ByteSize(12))
    object.__setattr__(files.resources, "settings", replace(files.resources.settings, storage=storage))
    assert (await files.put(ANNA, f"{MINE}/a.txt", b"x")).json()["code"] == "QuotaExceeded"
    assert (await files.put(BRUNO, f"{BUCKET}/{BRUNO}/a.txt", b"x")).status_code == 200


async def test_what_info_knows_stands_in_headers_too(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"ciao")
    whole = await files.get(ANNA, f"{MINE}/a.txt")
    told = await files.call(ANNA, "HEAD", f"object/info/{MINE}/a.txt")
    assert (told.status_code, told.content) == (200, b"")
    for name in ("etag", "last-modified"):
        assert told.headers[name] == whole.headers[name]


@pytest.mark.parametrize("path", ["s3", "s3/papers/a%3Cb"])
async def test_clients_of_s3_can_read_why_not(files: Files, path: str) -> None:
    answer = await files.call(SERVICE, "GET", path)
    assert (answer.status_code, answer.headers["content-type"]) == (501, "application/xml")
    error = ElementTree.fromstring(answer.text)
    assert [part.tag for part in error] == ["Code", "Message", "Resource", "RequestId"]
    assert (error.findtext("Code"), error.findtext("RequestId")) == ("NotImplemented", answer.headers["x-request-id"])
