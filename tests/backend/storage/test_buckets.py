"""/bucket: the service role keeps buckets; whoever no policy names sees none."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from backend.storage import emptying
from tests.backend.storage.conftest import ANNA, BUCKET, SERVICE, Files

pytestmark = pytest.mark.anyio


async def test_a_bucket_lives(files: Files) -> None:
    body = {"name": "fatture", "public": False, "file_size_limit": "2mb", "allowed_mime_types": ["application/pdf"]}
    assert (await files.call(SERVICE, "POST", "bucket", json=body)).json() == {"name": "fatture"}
    got = (await files.call(SERVICE, "GET", "bucket/fatture")).json()
    assert got["file_size_limit"] == 2_000_000
    assert got["allowed_mime_types"] == ["application/pdf"]
    changed = await files.call(SERVICE, "PUT", "bucket/fatture", json={"public": True})
    assert changed.json() == {"message": "Successfully updated"}
    got = (await files.call(SERVICE, "GET", "bucket/fatture")).json()
    assert (got["public"], got["file_size_limit"]) == (True, 2_000_000)
    listed = (await files.call(SERVICE, "GET", "bucket?search=FATT&sortColumn=name&sortOrder=desc")).json()
    assert [bucket["id"] for bucket in listed] == ["fatture"]
    assert (await files.call(SERVICE, "DELETE", "bucket/fatture")).json() == {"message": "Successfully deleted"}
    assert (await files.call(SERVICE, "GET", "bucket/fatture")).json()["message"] == "Bucket not found"


async def test_a_full_bucket_stays(files: Files) -> None:
    await files.put(ANNA, f"{BUCKET}/{ANNA}/a.txt", b"x")
    answer = await files.call(SERVICE, "DELETE", f"bucket/{BUCKET}")
    assert answer.json()["message"] == "The bucket you tried to delete is not empty"


async def test_a_bucket_of_few_objects_is_empty_at_once_and_can_go(files: Files) -> None:
    await files.put(ANNA, f"{BUCKET}/{ANNA}/a.txt", b"x")
    assert (await files.call(SERVICE, "POST", f"bucket/{BUCKET}/empty")).status_code == 200
    assert files.blobs() == []
    assert (await files.call(SERVICE, "DELETE", f"bucket/{BUCKET}")).json() == {"message": "Successfully deleted"}


async def test_a_bucket_that_is_emptied_again_loses_what_came_in_between(
    files: Files,
    database_owner: asyncpg.Connection[asyncpg.Record],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(emptying, "PIECE", 1)
    for number in range(2):
        await files.put(ANNA, f"{BUCKET}/{ANNA}/{number}.txt", b"x")
        assert (await files.call(SERVICE, "POST", f"bucket/{BUCKET}/empty")).status_code == 200
    rows = await database_owner.fetch("select payload from jobs.pgqueuer where entrypoint = $1", emptying.JOB)
    assert len({row["payload"] for row in rows}) == 2


async def test_a_second_bucket_of_one_name_is_a_duplicate(files: Files) -> None:
    answer = await files.call(SERVICE, "POST", "bucket", json={"name": BUCKET})
    assert (answer.json()["code"], answer.json()["error"]) == ("BucketAlreadyExists", "Duplicate")


async def test_people_make_and_see_no_buckets(files: Files) -> None:
    assert (await files.call(ANNA, "POST", "bucket", json={"name": "mine"})).json()["code"] == "AccessDenied"
    assert (await files.call(ANNA, "GET", "bucket")).json() == []
    assert (await files.call(ANNA, "PUT", f"bucket/{BUCKET}", json={"public": True})).json()["code"] == "NoSuchBucket"
    assert (await files.call(ANNA, "DELETE", f"bucket/{BUCKET}")).json()["code"] == "NoSuchBucket"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "a/b"},
        {"name": "x" * 101},
        {"name": ""},
        {"name": 7},
        {"name": "x", "public": "yes"},
        {"name": "x", "file_size_limit": "much"},
        {"name": "x", "file_size_limit": -1},
        {"name": "x", "allowed_mime_types": ["pdf"]},
        {"name": "x", "allowed_mime_types": "image/png"},
        {"name": "x", "type": "VECTOR"},
    ],
    ids=str,
)
async def test_bad_buckets_are_refused(files: Files, body: dict[str, Any]) -> None:
    answer = await files.call(SERVICE, "POST", "bucket", json=body)
    assert answer.status_code == 400
    assert answer.json()["code"].startswith(("Invalid", "Feature"))
