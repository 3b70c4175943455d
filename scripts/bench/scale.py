"""The same product twice: a thousand rows in each table, and a million of which nearly all are other people's.

Both are databases of one throw-away server, each behind a PostgREST of its own that takes the tokens of the running
product, so that a request can be sent to one and the other in turn.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import asyncpg
from yarl import URL

from backend.core import config, jwt, migrate
from backend.core.config import Settings
from backend.rest import process
from scripts import postgres
from scripts.bench import cpu
from scripts.bench.goals import Result
from scripts.bench.stage import Person

# Fills a database, whose address it gets, with rows of these people: (user id, rows).
Fill = Callable[[str, Sequence[tuple[str, int]]], Awaitable[None]]

ROWS = 1_000
# Of each of the others; who asks has more than most.
CROWD_ROWS = 500
ALL_ROWS = 1_000_000
REQUESTS, WARM_UP = 100, 20
START_TIMEOUT_S = 20
# As every statement of a filling needs it. What triggers maintain is written directly.
FILLING = """
set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '1GB'; set jit = off;
create temporary table owners (user_id uuid primary key, rows integer not null);
create temporary table owned (user_id uuid not null, n integer not null);
create or replace function pg_temp.key(_user_id uuid, _kind text, _n integer) returns uuid language sql immutable
  as $$ select md5(_user_id::text || _kind || _n)::uuid $$;
create or replace function pg_temp.word(_words text[], _n integer) returns text language sql immutable
  as $$ select _words[1 + abs(_n % cardinality(_words))] $$;
"""
EXPLAIN_INSIDE = """
load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
set auto_explain.log_analyze = on; set auto_explain.log_timing = off; set auto_explain.log_format = json;
set auto_explain.log_level = notice;
"""


@dataclass(frozen=True)
class Side:
    """One of the two: its database, and a client of its PostgREST."""

    database_url: str
    rest: aiohttp.ClientSession


@dataclass(frozen=True)
class Scale:
    """Both, and who asks: `person` has a thousand rows on either side, `prolific` many more on the large one."""

    small: Side
    large: Side
    person: Person
    prolific: Person


@asynccontextmanager
async def scale(person: Person, prolific: tuple[Person, int], fill: Fill) -> AsyncIterator[Scale]:
    """Create both databases; `prolific` comes with the number of its rows."""
    settings = config.load()
    other, most = prolific
    crowd = [(str(uuid4()), CROWD_ROWS) for _ in range((ALL_ROWS - ROWS - most) // CROWD_ROWS)]
    with postgres.temporary() as cluster:
        small, large = cluster.database_url("small"), cluster.database_url("large")
        # Nothing else is at work while it is filled and measured.
        await _run(cluster.url, "alter system set autovacuum = off")
        await _run(cluster.url, "select pg_reload_conf()")
        await _migrated(cluster, settings)
        await _run(cluster.url, "create database large template small strategy file_copy")
        await fill(small, [(person.id, ROWS)])
        await fill(large, [(person.id, ROWS), (other.id, most), *crowd])
        for url in (small, large):
            await _run(url, "vacuum analyze")
            await _run(url, "checkpoint")
        async with AsyncExitStack() as stack:
            sides = [Side(url, await stack.enter_async_context(_rest(settings, url))) for url in (small, large)]
            yield Scale(sides[0], sides[1], person, other)


async def _migrated(cluster: postgres.Cluster, settings: Settings) -> None:
    await _run(cluster.url, "create database small")
    connection = await asyncpg.connect(cluster.database_url("small"))
    await migrate.platform(connection, jwt.load(settings.home, settings.own_keys).authenticator_password)
    await migrate.product(connection, config.ROOT / "db" / "migrations")
    await connection.close()


async def _run(database_url: str, statement: str) -> None:
    connection = await asyncpg.connect(database_url)
    await connection.execute(statement)
    await connection.close()


async def run_for(database_url: str, owners: Sequence[tuple[str, int]], tables: Sequence[str], statements: str) -> None:
    """Run statements that write many rows of `owners` into `tables`, and rebuild their indexes afterwards."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(FILLING)
    await connection.copy_records_to_table("owners", records=owners)
    # Everybody's first row, then everybody's second: in life too the rows of one person lie far apart.
    await connection.execute(
        "insert into owned select user_id, n from owners, generate_series(1, rows) as n order by n; analyze owned"
    )
    ready = "update pg_index set indisready = $1 where indrelid = any($2::regclass[])"
    await connection.execute(ready, False, tables)
    await connection.execute(statements)
    await connection.execute(ready, True, tables)
    for table in tables:
        await connection.execute(f"reindex table {table}; analyze {table}")
    await connection.close()


@asynccontextmanager
async def _rest(settings: Settings, database_url: str) -> AsyncIterator[aiohttp.ClientSession]:
    with tempfile.TemporaryDirectory(prefix="socio-") as folder:
        socket = Path(folder) / "rest"
        keys = jwt.load(settings.home, settings.own_keys)
        environment = {
            **process.environment(replace(settings, database_url=database_url), keys),
            "PGRST_SERVER_UNIX_SOCKET": str(socket),
            "PGRST_DB_PLAN_ENABLED": "true",
        }
        child = await asyncio.create_subprocess_exec(
            str(process.binary(settings.root)),
            env={**os.environ, **environment},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(socket))) as client:
                await _wait_for(client)
                yield client
        finally:
            child.terminate()
            await child.wait()


async def _wait_for(client: aiohttp.ClientSession) -> None:
    deadline_s = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            async with client.get("http://rest/") as answer:
                if answer.status == 200:
                    return
        except OSError:
            pass
        if time.monotonic() > deadline_s:
            raise TimeoutError("PostgREST does not answer")
        await asyncio.sleep(0.05)


async def taken_ms(side: Side, person: Person, path: str, **headers: str) -> tuple[float, Any]:
    """One request that must succeed: how long it took, and the answer."""
    began_s = time.perf_counter()
    url = URL(f"http://rest{path}", encoded=True)
    async with side.rest.get(url, headers={"Authorization": f"Bearer {person.token}", **headers}) as answer:
        body = await answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}: {body.decode()}")
    return (time.perf_counter() - began_s) * 1000, json.loads(body)


async def flat(scale: Scale, what: str, paths: Sequence[str], most: float) -> Result:
    """Compare the median on the large side with the small one, request by request; raise when nothing is found."""
    small, large = await _compared(scale, scale.person, what, paths)
    read = await scanned(scale, paths[0])
    return judged(Result("work", what, large / small, most, f"{large:.1f} ms to {small:.1f}"), read)


async def grown(scale: Scale, what: str, paths: Sequence[str], most: float) -> Result:
    """Compare the median of `prolific` with that of `person` on the small side: what the own rows of years add."""
    small, large = await _compared(scale, scale.prolific, what, paths)
    return Result("P18", what, large / small, most, f"{large:.1f} ms to {small:.1f}")


async def _compared(scale: Scale, on_large: Person, what: str, paths: Sequence[str]) -> tuple[float, float]:
    """Return the medians of `person` on the small side and of `on_large` on the large one, in ms."""
    found: tuple[list[float], list[float]] = ([], [])
    sides = ((scale.small, scale.person), (scale.large, on_large))
    for number in range(WARM_UP + REQUESTS):
        path = paths[number % len(paths)]
        for place in (0, 1) if number % 2 else (1, 0):
            side, who = sides[place]
            spent_ms, rows = await taken_ms(side, who, path)
            if not rows:
                raise RuntimeError(f"{what}: {path} found nothing")
            found[place].append(spent_ms)
    small, large = (statistics.median(each[WARM_UP:]) for each in found)
    return small, large


async def searched(scale: Scale, paths: Sequence[str]) -> tuple[float, float, float]:
    """p95 and p50 of what `prolific` asks, in ms, and the CPU of a request, which other work does not make longer."""
    processes, spent_ms = cpu.matching("postgres"), []
    for path in paths[:WARM_UP]:
        await taken_ms(scale.large, scale.prolific, path)
    before_s = cpu.spent_s(processes)
    for path in paths:
        one_ms, rows = await taken_ms(scale.large, scale.prolific, path)
        if not rows:
            raise RuntimeError(f"{path} found nothing")
        spent_ms.append(one_ms)
    cpu_ms = (cpu.spent_s(processes) - before_s) / len(paths) * 1000
    return statistics.quantiles(spent_ms, n=20)[-1], statistics.median(spent_ms), cpu_ms


def judged(result: Result, read: Sequence[str]) -> Result:
    """Return the result, as missed if whole tables were read."""
    if not read:
        return result
    return replace(result, ratio=float("inf"), details=f"{result.details}; reads all of {', '.join(sorted(set(read)))}")


async def scanned(scale: Scale, path: str) -> list[str]:
    """List the tables that a request reads completely, by the plan that PostgREST gets for it."""
    plan = 'application/vnd.pgrst.plan+json; for="application/json"; options=analyze'
    _, explained = await taken_ms(scale.large, scale.person, path, Accept=plan)
    return list(_scans(explained[0]["Plan"]))


async def scanned_inside(scale: Scale, person: Person, statement: str, arguments: Sequence[str]) -> list[str]:
    """List the tables that a function reads completely when `person` calls it.

    It is called with one argument after the other, so that plans made once for all arguments are seen too.
    """
    plans: list[dict[str, Any]] = []

    def keep(_connection: object, message: asyncpg.PostgresLogMessage) -> None:
        text = message.message or ""
        plans.append(json.loads(text[text.index("{") :])["Plan"])

    connection = await asyncpg.connect(scale.large.database_url)
    await connection.execute(EXPLAIN_INSIDE)
    claims = json.dumps({"sub": person.id, "role": "authenticated"})
    await connection.execute("select set_config('request.jwt.claims', $1, false)", claims)
    await connection.execute("set role authenticated")
    connection.add_log_listener(keep)
    for argument in arguments:
        await connection.fetch(statement, argument)
    await connection.close()
    if len(plans) <= len(arguments):
        raise RuntimeError("the plans inside the function were not told")
    return [table for plan in plans for table in _scans(plan)]


def _scans(plan: dict[str, Any]) -> Iterator[str]:
    if plan["Node Type"] == "Seq Scan" and plan.get("Actual Loops", 1):
        yield plan["Relation Name"]
    for child in plan.get("Plans", ()):
        yield from _scans(child)
