"""The real worker is killed in the middle of a page: that page is read again, and nothing else."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from backend.core import config, db
from tests.backend.test_commands import environment
from tests.backend.test_faults import end_leases, worker_until_it_ends
from tests.conftest import Clock, RunningClock
from tests.functions.documents import files
from tests.functions.documents.conftest import PATIENCE_S, Desk

pytestmark = [pytest.mark.anyio, pytest.mark.long]


@pytest.fixture
def now() -> Clock:
    return RunningClock()


def decoders_of(worker: int) -> list[int]:
    """The processes that a worker has started."""
    return [int(pid) for pid in Path(f"/proc/{worker}/task/{worker}/children").read_text().split()]


def is_gone(pid: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


async def test_a_worker_killed_in_the_middle_of_a_page_costs_that_page_only(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPABASE_API_PORT", str(desk.resources.settings.api.port))
    page = files.picture(files.pdf(), 150)
    scans = files.saved(page, "TIFF", save_all=True, append_images=[page] * 2, dpi=(150, 150))
    document = await desk.drop(scans, "fax.tif", "image/tiff")
    env = environment(desk.resources.settings)
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "backend", "worker"), env=env, stderr=subprocess.DEVNULL
    )
    await desk.until("select pages_done = 1 from public.documents where id = $1", document)
    async with asyncio.timeout(PATIENCE_S):
        while not (decoders := decoders_of(worker.pid)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # another process tells nobody
        worker.kill()
        await worker.wait()
        while not all(map(is_gone, decoders)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert [state for state, _ in await desk.pages(document)] == ["letta", "attesa", "attesa"]
    written = "select xmin::text from public.document_pages where document_id = $1 and no = 1"
    first = await desk.value(written, document)
    await end_leases(desk.resources)
    async with db.connection(desk.resources.pool) as connection:
        # What the worker does besides is of no interest here.
        await connection.execute("delete from jobs.pgqueuer where entrypoint !~ '^document_'")
    over = "select state = 'pronto' from public.documents"
    assert await worker_until_it_ends(desk.resources.settings, config.ROOT / "functions", over) == 0
    assert await desk.pages(document) == [("letta", "ocr")] * 3
    assert await desk.value(written, document) == first
    assert await desk.value("select count(*) from jobs.dead_letters where name like 'document%'") == 0
