"""Measure changes of tables sent to subscribers (GOAL-P10), and what other sockets add to their cost (GOAL-P18)."""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any
from uuid import uuid4

import asyncpg

from scripts.bench import cpu
from scripts.bench.goals import BACKEND, Result
from scripts.bench.realtime import Fleet, fleet, p95
from scripts.bench.stage import Stage

SUBSCRIBERS = 500
CHANGES_PER_S, CHANGES_S = 300, 6
ASKED, ASKED_PER_S, ASKED_S = 2_000, 60, 4
# Sockets that are subscribed to the table, and those of one person.
FEW, MANY, CONCERNED = 100, 10_000, 10
ROUTED_PER_S, ROUTED_S, ROUNDS = 100, 4, 4
REST_S = 5
STRANGERS, WRITES_PER_S, WRITES_S = 2_000, 40, 10

TABLES = """
create table public.bench_owned (id bigserial primary key, user_id uuid not null, sent float8 not null);
create index on public.bench_owned (user_id);
alter table public.bench_owned enable row level security;
create policy "own" on public.bench_owned for select to authenticated using (user_id = (select auth.uid()));
create policy "add own" on public.bench_owned for insert to authenticated with check (user_id = (select auth.uid()));
create table public.bench_asked (id bigserial primary key, user_id uuid not null, sent float8 not null);
alter table public.bench_asked enable row level security;
create policy "own or long ago" on public.bench_asked for select to authenticated
  using (user_id = (select auth.uid()) or sent < 0);
grant select on public.bench_owned, public.bench_asked to authenticated;
grant insert (user_id, sent) on public.bench_owned to authenticated;
grant usage on sequence public.bench_owned_id_seq to authenticated;
revoke all on public.bench_owned, public.bench_asked from anon;
alter publication supabase_realtime add table public.bench_owned, public.bench_asked;
"""


def _on(table: str) -> dict[str, Any]:
    return {"postgres_changes": [{"event": "INSERT", "schema": "public", "table": table}]}


async def changes(stage: Stage, database_url: str) -> list[Result]:
    """Measure all rows, on tables of its own."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(TABLES)
    found = [
        await _routed_in_time(stage, connection),
        await _asked_in_time(stage, connection),
        *await _routed_cheaply(stage, connection),
        await _beside_strangers(stage),
    ]
    await connection.close()
    return found


async def _insert(
    connection: asyncpg.Connection[asyncpg.Record], table: str, people: list[str], per_s: int, seconds: int
) -> None:
    """Insert a row of one person after the other at this rate."""
    began_s = time.perf_counter()
    for number in range(per_s * seconds):
        await connection.execute(
            f"insert into public.{table} (user_id, sent) values ($1, $2)",  # noqa: S608
            people[number % len(people)],
            time.time(),
        )
        await asyncio.sleep(max(0, began_s + (number + 1) / per_s - time.perf_counter()))


async def _in_time(
    sockets: Fleet,
    connection: asyncpg.Connection[asyncpg.Record],
    table: str,
    people: list[str],
    per_s: int,
    seconds: int,
) -> tuple[float, str]:
    """Return the p95 in ms, and what to say of it."""
    await _insert(connection, table, people, per_s, seconds)
    taken_ms = await sockets.until(per_s * seconds)
    if len(taken_ms) < per_s * seconds:
        return float("inf"), f"{len(taken_ms)} of {per_s * seconds} arrived"
    return p95(taken_ms), f"{per_s}/s for {seconds} s to {len(people)}: all arrived, p95 {p95(taken_ms):.0f} ms"


async def _routed_in_time(stage: Stage, connection: asyncpg.Connection[asyncpg.Record]) -> Result:
    people = [str(uuid4()) for _ in range(SUBSCRIBERS)]
    async with fleet(stage, SUBSCRIBERS, people, _on("bench_owned")) as sockets:
        p95_ms, details = await _in_time(sockets, connection, "bench_owned", people, CHANGES_PER_S, CHANGES_S)
    return Result("P10", "changes by owner, p95, to 100 ms", p95_ms / 100, 1, details)


async def _asked_in_time(stage: Stage, connection: asyncpg.Connection[asyncpg.Record]) -> Result:
    people = [str(uuid4()) for _ in range(ASKED)]
    async with fleet(stage, ASKED, people, _on("bench_asked")) as sockets:
        p95_ms, details = await _in_time(sockets, connection, "bench_asked", people, ASKED_PER_S, ASKED_S)
    return Result("P10", "changes by any policy, p95, to 500 ms", p95_ms / 500, 1, details)


async def _routed_cheaply(stage: Stage, connection: asyncpg.Connection[asyncpg.Record]) -> list[Result]:
    """Compare what a change costs that concerns ten sockets, among a hundred sockets and among ten thousand.

    The processor time of the backend, less what it spends on the same sockets while they are idle, in turn.
    """
    few, many = [await _us_a_change(stage, connection, count) for count in (FEW, MANY)]
    details = f"{many:.0f} us with {MANY} sockets, {few:.0f} with {FEW}"
    return [Result("P18", "CPU of a change for ten of many sockets", many / few, 1.3, details)]


async def _us_a_change(stage: Stage, connection: asyncpg.Connection[asyncpg.Record], count: int) -> float:
    people = [str(uuid4()) for _ in range(count // CONCERNED)]
    busy_s, idle_s = [], []
    async with fleet(stage, count, people, _on("bench_owned")) as sockets:
        backend = cpu.matching(BACKEND)
        # It still answers the heartbeats with which the fleet comes up: ten thousand take a second.
        await asyncio.sleep(REST_S)
        for _ in range(ROUNDS):
            began_s = cpu.spent_s(backend)
            await _insert(connection, "bench_owned", people, ROUTED_PER_S, ROUTED_S)
            arrived = len(await sockets.until(ROUTED_PER_S * ROUTED_S * CONCERNED))
            if arrived < ROUTED_PER_S * ROUTED_S * CONCERNED:
                raise RuntimeError(f"{arrived} messages arrived")
            ended_s = cpu.spent_s(backend)
            await asyncio.sleep(ROUTED_S)
            busy_s.append(ended_s - began_s)
            idle_s.append(cpu.spent_s(backend) - ended_s)
    return (statistics.median(busy_s) - statistics.median(idle_s)) / (ROUTED_PER_S * ROUTED_S) * 1e6


async def _beside_strangers(stage: Stage) -> Result:
    """Compare the wait of a writer while nobody listens and while sockets do that may not read the table."""
    everything = {"postgres_changes": [{"event": "*", "schema": "public", "table": "*"}]}
    await _writes_ms(stage)  # the first ones wait for PostgREST to learn of the table
    alone_ms = await _writes_ms(stage)
    async with fleet(stage, STRANGERS, None, everything) as sockets:
        crowded_ms = await _writes_ms(stage)
        if heard := await sockets.taken_ms():
            raise RuntimeError(f"strangers heard of {len(heard)} changes")
    details = f"p95 {p95(crowded_ms):.0f} ms next to {STRANGERS} sockets of anon, {p95(alone_ms):.0f} without"
    return Result("P18", "write, p95, while strangers listen", p95(crowded_ms) / p95(alone_ms), 1.3, details)


async def _writes_ms(stage: Stage) -> list[float]:
    """Insert rows through the gateway, at a steady rate; return how long each took."""

    async def write(number: int) -> float:
        await asyncio.sleep(number / WRITES_PER_S)
        began_s = time.perf_counter()
        person = stage.people[number % len(stage.people)]
        row = {"user_id": person.id, "sent": time.time()}
        url = f"{stage.url}/rest/v1/bench_owned"
        async with stage.client.post(url, json=row, headers=stage.headers(number)) as answer:
            if answer.status != 201:
                raise RuntimeError(f"an insert answered {answer.status}: {await answer.text()}")
        return (time.perf_counter() - began_s) * 1000

    return await asyncio.gather(*(write(number) for number in range(WRITES_PER_S * WRITES_S)))
