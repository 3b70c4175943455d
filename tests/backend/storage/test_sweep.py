"""What a crash leaves behind is found; what is young or in use is left alone."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from backend.core.resources import Resources, open_all
from backend.storage import emptying, sweep
from backend.storage.backends import ORPHANED
from backend.storage.backends.local import LocalBackend
from tests.backend.storage.conftest import ANNA, BUCKET, SERVICE, Files
from tests.backend.storage.test_resumable import begin, patch
from tests.conftest import Clock
from tests.databases import Databases, connected

pytestmark = pytest.mark.anyio
MINE = f"{BUCKET}/{ANNA}"


@pytest.fixture
async def store(resources: Resources) -> AsyncIterator[LocalBackend]:
    opened = LocalBackend(resources.settings.storage_folder)
    yield opened
    opened.close()


async def _bytes(content: bytes) -> AsyncIterator[bytes]:
    yield content


def age(folder: Path, hours: int = 25) -> None:
    """Makes every file look old."""
    for path in folder.rglob("*"):
        if path.is_file():
            moment = path.stat().st_mtime - hours * 3600
            os.utime(path, (moment, moment))


async def test_a_blob_without_a_row_goes_when_it_is_old(files: Files, store: LocalBackend) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"kept")
    await store.write(str(uuid.uuid4()), _bytes(b"orphan"))
    assert (await sweep.sweep(files.resources, store)).orphans == 0
    age(files.resources.settings.storage_folder)
    assert (await sweep.sweep(files.resources, store)).orphans == 1
    assert (await files.get(ANNA, f"{MINE}/a.txt")).content == b"kept"
    assert (await sweep.sweep(files.resources, store)).orphans == 0


async def test_an_orphan_can_be_had_back_for_a_month(files: Files, store: LocalBackend, now: Clock) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"kept")
    await store.write(orphan := str(uuid.uuid4()), _bytes(b"orphan"))
    folder = files.resources.settings.storage_folder
    age(folder)
    await sweep.sweep(files.resources, store)
    assert (folder / ORPHANED / orphan).read_bytes() == b"orphan"
    now.advance(days=29)
    await sweep.sweep(files.resources, store)
    assert (folder / ORPHANED / orphan).exists()
    now.advance(days=2)
    await sweep.sweep(files.resources, store)
    assert not (folder / ORPHANED / orphan).exists()
    assert len(files.blobs()) == 1


@pytest.mark.parametrize(
    "swept_before", [True, False], ids=["a store with an owner", "one from before there were owners"]
)
async def test_a_worker_on_another_database_leaves_the_files_alone(
    files: Files, store: LocalBackend, databases: Databases, caplog: pytest.LogCaptureFixture, swept_before: bool
) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"a customer's")
    if swept_before:
        await sweep.sweep(files.resources, store)
    age(files.resources.settings.storage_folder)
    async with databases.one() as empty:
        if swept_before:
            await give_an_id_of_its_own(empty)
        async with open_all(replace(files.resources.settings, database_url=empty), files.resources.now) as wrong:
            await sweep.run(wrong, {})
            assert "storage is not swept" in caplog.text
            assert (await files.get(ANNA, f"{MINE}/a.txt")).content == b"a customer's"
            await sweep.adopt(wrong, store)
            assert (await sweep.sweep(wrong, store)).orphans == 1, "somebody has said that they belong together"


async def give_an_id_of_its_own(database: str) -> None:
    """What the clones of one template do not have."""
    async with connected(database) as connection:
        await connection.execute("update platform.installation set installation_id = gen_random_uuid()")


async def test_too_many_orphans_are_not_believed(
    files: Files, store: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "MOST_ORPHANS", 2)
    await sweep.sweep(files.resources, store)
    for _ in range(3):
        await store.write(str(uuid.uuid4()), _bytes(b"x"))
    age(files.resources.settings.storage_folder)
    with pytest.raises(sweep.Refused, match="3 of 3 files have no object"):
        await sweep.sweep(files.resources, store)
    assert len(files.blobs()) == 3
    assert (await sweep.sweep(files.resources, store, everything=True)).orphans == 3


async def test_a_row_without_its_blob_is_reported_and_not_shown_as_a_file(
    files: Files, store: LocalBackend, now: Clock
) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"lost")
    await store.delete(files.blobs())
    assert (await files.get(ANNA, f"{MINE}/a.txt")).json()["code"] == "NoSuchKey"
    now.advance(hours=25)
    report = await sweep.sweep(files.resources, store)
    assert report.missing == [f"{MINE}/a.txt"]


async def test_a_blob_whose_removal_was_interrupted_goes_with_the_next_sweep(
    files: Files, store: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"x")

    async def crash(*_: object) -> None:
        raise OSError("the process died here")

    with monkeypatch.context() as crashing:
        crashing.setattr(LocalBackend, "delete", crash)
        assert (await files.call(ANNA, "DELETE", f"object/{MINE}/a.txt")).status_code == 200
    assert len(files.blobs()) == 1
    assert (await sweep.sweep(files.resources, store)).superfluous == 1
    assert files.blobs() == []


async def test_uploads_nobody_finished_go_after_a_day(files: Files, store: LocalBackend, now: Clock) -> None:
    path = await begin(files, f"{ANNA}/a.txt", 4)
    await patch(files, path, 0, b"ci")
    assert (await sweep.sweep(files.resources, store)).expired_uploads == 0
    now.advance(hours=25)
    assert (await sweep.sweep(files.resources, store)).expired_uploads == 1
    assert files.blobs() == []


async def test_an_upload_that_is_still_arriving_outlives_its_day(files: Files, store: LocalBackend, now: Clock) -> None:
    path = await begin(files, f"{ANNA}/a.txt", 4)
    now.advance(hours=25)
    part = files.resources.settings.storage_folder / "arriving" / path.rpartition("/")[2]
    moment = now().timestamp() - 59 * 60
    os.utime(part, (moment, moment))
    assert (await sweep.sweep(files.resources, store)).expired_uploads == 0
    assert part.exists()
    now.advance(minutes=2)
    assert (await sweep.sweep(files.resources, store)).expired_uploads == 1
    assert not part.exists()


async def test_what_is_replaced_while_a_bucket_is_emptied_stays(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    for name in ("a", "b"):
        await files.put(ANNA, f"{MINE}/{name}.txt", b"old")
    until = await database_owner.fetchval("select clock_timestamp()")
    await files.put(ANNA, f"{MINE}/b.txt", b"new", x_upsert="true")
    await emptying.run(files.resources, {"bucket": BUCKET, "until": until.isoformat()})
    assert (await files.get(ANNA, f"{MINE}/a.txt")).status_code == 400
    assert (await files.get(ANNA, f"{MINE}/b.txt")).content == b"new"
    assert len(files.blobs()) == 1


async def test_a_bucket_is_emptied_of_what_was_in_it(files: Files) -> None:
    for name in ("a", "b"):
        await files.put(ANNA, f"{MINE}/{name}.txt", b"x")
    assert (await files.call(ANNA, "POST", f"bucket/{BUCKET}/empty")).status_code == 403
    assert (await files.call(SERVICE, "POST", f"bucket/{BUCKET}/empty")).status_code == 200
    until = files.resources.now().isoformat()
    # The rows carry the database's clock, which may be a little ahead of the test's.
    await emptying.run(files.resources, {"bucket": BUCKET, "until": until.replace("2026", "2027", 1)})
    assert files.blobs() == []
    assert (await files.get(ANNA, f"{MINE}/a.txt")).status_code == 400
