"""What a crash leaves behind is found; what is young or in use is left alone."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.core.resources import Resources
from backend.storage import emptying, sweep
from backend.storage.backends.local import LocalBackend
from tests.backend.storage.conftest import ANNA, BUCKET, SERVICE, Files
from tests.backend.storage.test_resumable import begin, patch
from tests.conftest import Clock

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
