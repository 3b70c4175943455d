"""core.pool: connections are opened one at a time, and those that are open go round meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import pytest

from backend.core.config import Settings
from backend.core.pool import Pool

pytestmark = pytest.mark.anyio

MOST = 3
PATIENCE_S = 30


@dataclass
class Door:
    """Opens the connections of a pool, when a test lets it."""

    is_open: asyncio.Event = field(default_factory=asyncio.Event)
    fails: bool = False
    opening: int = 0
    most_at_once: int = 0
    opened: int = 0

    async def connect(self, *address: Any, **options: Any) -> asyncpg.Connection:
        self.opening += 1
        self.most_at_once = max(self.most_at_once, self.opening)
        try:
            await self.is_open.wait()
            if self.fails:
                raise ConnectionRefusedError
            self.opened += 1
            return await asyncpg.connect(*address, **options)
        finally:
            self.opening -= 1


@pytest.fixture
def door() -> Door:
    door = Door()
    door.is_open.set()
    return door


@pytest.fixture
async def pool(settings: Settings, door: Door) -> AsyncIterator[Pool]:
    async with Pool(settings.database_url, max_size=MOST, connect=door.connect) as pool:
        yield pool


async def test_a_crowd_opens_one_connection_at_a_time(pool: Pool, door: Door) -> None:
    async def ask(number: int) -> int:
        connection = await pool.take(PATIENCE_S)
        answer: int = await connection.fetchval("select $1::integer from pg_sleep(0.001)", number)
        await pool.give_back(connection, PATIENCE_S)
        return answer

    assert await asyncio.gather(*map(ask, range(50))) == list(range(50))
    assert (door.most_at_once, pool.get_size()) == (1, MOST)


async def test_an_open_connection_goes_round_while_another_is_being_opened(pool: Pool, door: Door) -> None:
    first = await pool.take(PATIENCE_S)
    door.is_open.clear()
    opens = asyncio.create_task(pool.take(PATIENCE_S))
    waits = asyncio.create_task(pool.take(PATIENCE_S))
    await pool.give_back(first, PATIENCE_S)
    second = await waits
    assert (opens.done(), door.opening) == (False, 1)
    door.is_open.set()
    await pool.give_back(second, PATIENCE_S)
    await pool.give_back(await opens, PATIENCE_S)
    assert pool.get_idle_size() == pool.get_size() == 2


async def test_a_connection_that_cannot_be_opened_leaves_the_turn_to_the_next(pool: Pool, door: Door) -> None:
    door.fails = True
    refused = await asyncio.gather(*(pool.take(PATIENCE_S) for _ in range(5)), return_exceptions=True)
    assert [type(each) for each in refused] == [ConnectionRefusedError] * 5
    door.fails = False
    await pool.give_back(await pool.take(PATIENCE_S), PATIENCE_S)
    assert door.most_at_once == 1


async def test_who_gives_up_waiting_keeps_no_place(pool: Pool) -> None:
    taken = [await pool.take(PATIENCE_S) for _ in range(MOST)]
    waits = [asyncio.create_task(pool.take(PATIENCE_S)) for _ in range(3)]
    await asyncio.sleep(0)
    waits[0].cancel()
    await pool.give_back(taken.pop(), PATIENCE_S)
    # Let in, and cancelled before it went on.
    waits[1].cancel()
    connection = await waits[2]
    with pytest.raises(TimeoutError):
        await pool.take(0.01)
    for each in (connection, *taken):
        await pool.give_back(each, PATIENCE_S)
    assert [each.cancelled() for each in waits] == [True, True, False]
    taken = [await pool.take(PATIENCE_S) for _ in range(MOST)]
    for each in taken:
        await pool.give_back(each, PATIENCE_S)


async def test_a_statement_that_does_not_end_does_not_hold_up_who_gives_back(pool: Pool) -> None:
    connection = await pool.take(PATIENCE_S)
    process = connection.get_server_pid()
    asking = asyncio.create_task(connection.execute("select pg_sleep(600)"))
    await asyncio.sleep(0)
    # A server that answers nothing, not even that the statement was cancelled.
    os.kill(process, signal.SIGSTOP)
    try:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(TimeoutError):
                await pool.give_back(connection, 0.1)
    finally:
        os.kill(process, signal.SIGCONT)
    await pool.give_back(await pool.take(PATIENCE_S), PATIENCE_S)


async def test_a_crowd_after_connections_were_lost_opens_one_at_a_time_again(pool: Pool, door: Door) -> None:
    for _ in range(2):
        taken = [await pool.take(PATIENCE_S) for _ in range(MOST)]
        for connection in taken:
            await connection.close()
            await pool.give_back(connection, PATIENCE_S)
        assert pool.get_size() == 0
        crowd = [asyncio.create_task(pool.take(PATIENCE_S)) for _ in range(MOST)]
        for connection in await asyncio.gather(*crowd):
            await pool.give_back(connection, PATIENCE_S)
    assert door.most_at_once == 1
