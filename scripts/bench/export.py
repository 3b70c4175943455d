"""Take a full account along, against `tar` of the same files, and delete it while others work (issue 29)."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path

from backend.core import db, jobs
from scripts.bench import cpu
from scripts.bench.goals import READ, Result, p99, probing
from scripts.bench.realtime import rss_bytes
from scripts.bench.stage import Person, Stage, at_rest, connected

CONTACTS, DOCUMENTS = 10_000, 5_000
# As many documents have a file.
FILES, FILE_BYTES = 1_000, 2**20
# How many files are uploaded at a time.
WIDTH = 4
ROUNDS = 3
MEMORY_BYTES = 100 * 10**6
DELETION_S = 60
WORKER = "backend worker"
LOOK_EVERY_S = 0.02
IDLE_S = 10
PEOPLE = """
insert into public.contacts (user_id, type, first_name, last_name, job_title)
  select $1, 'persona', 'Anna', 'Rossi ' || n, 'Titolare' from generate_series(1, $2::integer) as n
"""
ADDRESSES = """
insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select user_id, id, 'posta' || row_number() over () || '@example.test', true from public.contacts where user_id = $1
"""
PAPERS = """
with made as (
  insert into public.documents (user_id, storage_path, filename, bytes, mime, state, pages, pages_done)
    select $1, $1::uuid || '/banco/' || n || '.pdf', 'Fattura ' || n || '.pdf', $3, 'application/pdf', 'pronto', 1, 1
    from generate_series(1, $2::integer) as n
  returning id
)
insert into public.document_pages (user_id, document_id, no, state, source, text)
  select $1, id, 1, 'letta', 'testo', repeat('Fattura di Rossi srl per lavori di ristrutturazione. ', 20) from made
"""
ASK_DELETION = "select from private.request_deletion($1, 'elsewhere')"
DUE = """
update public.deletion_requests set due_at = now() - interval '1 minute', reminded_at = now() - interval '7 days'
where user_id = $1 and cancelled_at is null
"""


async def export(stage: Stage, database_url: str) -> list[Result]:
    """Measure the archive of a full account."""
    person = stage.people[-1]
    async with connected(database_url) as connection:
        with tempfile.TemporaryDirectory(prefix="socio-bench-files-") as folder:
            await _fill(stage, connection, person, Path(folder))
            return await _archives(stage, connection, person, Path(folder))


async def erasure(stage: Stage, database_url: str) -> list[Result]:
    """Measure the end of an account that is as full."""
    person = stage.people[-2]
    async with connected(database_url) as connection:
        with tempfile.TemporaryDirectory(prefix="socio-bench-files-") as folder:
            await _fill(stage, connection, person, Path(folder))
        await _archive(stage, connection, person)
        return await _deletion(stage, connection, person)


async def _fill(stage: Stage, connection: db.Connection, person: Person, folder: Path) -> None:
    """Write the rows, and each file into the storage and into the folder."""
    await connection.execute(PEOPLE, person.id, CONTACTS)
    await connection.execute(ADDRESSES, person.id)
    await connection.execute(PAPERS, person.id, DOCUMENTS, FILE_BYTES)
    await connection.execute("analyze")
    numbers = iter(range(1, FILES + 1))

    async def upload() -> None:
        for number in numbers:
            content = b"%PDF" + os.urandom(FILE_BYTES - 4)
            (folder / f"{number}.pdf").write_bytes(content)
            address = f"{stage.url}/storage/v1/object/documents/{person.id}/banco/{number}.pdf"
            headers = {**stage.headers_of(person), "content-type": "application/pdf"}
            async with stage.client.post(address, data=content, headers=headers) as answer:
                assert answer.status == 200, await answer.text()

    await asyncio.gather(*(upload() for _ in range(WIDTH)))


async def _archives(stage: Stage, connection: db.Connection, person: Person, folder: Path) -> list[Result]:
    ours, tars, grown = [], [], 0
    for round_ in range(ROUNDS + 1):
        taken_s, growth = await _archive(stage, connection, person)
        tar_s = await asyncio.to_thread(_tar_s, folder)
        grown = max(grown, growth)
        if round_:  # the first one warms up
            ours.append(taken_s)
            tars.append(tar_s)
    taken_s, tar_s = statistics.median(ours), statistics.median(tars)
    what = f"{taken_s:.1f} s to {tar_s:.1f} s; {CONTACTS:,} contacts, {DOCUMENTS:,} documents, {FILES:,} files of 1 MiB"
    grew = f"{grown / 10**6:.0f} MB more than before"
    return [
        Result("export", "archive of 1 GB, to tar of its files", taken_s / tar_s, 1.5, what),
        Result("export", "memory of its job, to 100 MB", grown / MEMORY_BYTES, 1, grew),
    ]


async def _archive(stage: Stage, connection: db.Connection, person: Person) -> tuple[float, int]:
    """Return the seconds from the click until the archive can be downloaded, and how much the worker grew."""
    worker = cpu.matching(WORKER)
    before = most = sum(map(rss_bytes, worker))
    began_s = time.perf_counter()
    address = f"{stage.url}/functions/v1/data_export"
    wish = {"domains": "all", "files": True}
    async with stage.client.post(address, json=wish, headers=stage.headers_of(person)) as answer:
        assert answer.status == 200, await answer.text()
        export_id = (await answer.json())["id"]
    while True:
        state = await connection.fetchval("select state from public.data_exports where id = $1", export_id)
        most = max(most, sum(map(rss_bytes, worker)))
        if state == "pronto":
            return time.perf_counter() - began_s, most - before
        assert state in ("in_attesa", "in_corso"), state
        await asyncio.sleep(LOOK_EVERY_S)


def _tar_s(folder: Path) -> float:
    """Return the seconds that `tar` takes for the folder, durably as the storage writes."""
    with tempfile.TemporaryDirectory(prefix="socio-bench-tar-") as target:
        began_s = time.perf_counter()
        file = Path(target) / "files.tar"
        subprocess.run(["tar", "-cf", file, "-C", folder, "."], check=True)
        with file.open("rb+") as written:
            os.fsync(written.fileno())
        return time.perf_counter() - began_s


async def _deletion(stage: Stage, connection: db.Connection, person: Person) -> list[Result]:
    """Measure the erasure of the account, and requests of others meanwhile against the same when idle."""
    others = [stage.headers(number) for number in range(len(stage.people) - 2)]
    taken: list[float] = []

    def probed(meanwhile: Awaitable[object]) -> Awaitable[Sequence[float]]:
        return probing(f"{stage.url}/rest/v1{READ}", others, meanwhile)

    async def erased() -> None:
        await connection.execute(ASK_DELETION, person.id)
        await connection.execute(DUE, person.id)
        began_s = time.perf_counter()
        await jobs.enqueue(connection, "account_deletions", {})
        while await connection.fetchval("select count(*) from auth.users where id = $1", person.id):  # noqa: ASYNC110
            await asyncio.sleep(LOOK_EVERY_S)
        taken.append(time.perf_counter() - began_s)

    await at_rest(connection)
    # To build the account and to erase it leaves work, such as vacuum, which is not idle: the quieter of both times.
    await connection.execute("vacuum (analyze)")
    await connection.execute("checkpoint")
    before_ms = await probed(asyncio.sleep(IDLE_S))
    busy_ms = await probed(erased())
    await connection.execute("checkpoint")
    after_ms = await probed(asyncio.sleep(IDLE_S))
    calm, busy = min(p99(before_ms), p99(after_ms)), p99(busy_ms)
    return [
        Result("erasure", "deletion of that account, to 60 s", taken[0] / DELETION_S, 1, f"{taken[0]:.1f} s"),
        Result("erasure", "p99 of others meanwhile, to idle", busy / calm, 2, f"{busy:.1f} ms to {calm:.1f} ms"),
    ]
