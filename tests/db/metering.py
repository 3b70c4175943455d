"""Answers that cost a credit, from a provider that fails in every way: the right way to charge for them, and others.

The rule: whoever got the whole answer pays one credit, anybody else pays nothing.

Run as a program it answers without end and says of each answer when it was whole, until somebody kills it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from itertools import count, cycle
from typing import TypeAlias
from uuid import UUID

import asyncpg

Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"
Pieces: TypeAlias = AsyncIterator[str]
Design: TypeAlias = "Callable[[Pool, UUID, str, Pieces, Callable[[str], None]], Awaitable[None]]"

PIECES = ("Ecco ", "la ", "risposta.", "")
FAULTS = ("none", "refuses", "cut", "stalls", "none", "client leaves", "none")
WIDTH = 10


class ProviderError(Exception):
    """The provider answered 500, or hung up."""


async def provider(fault: str) -> Pieces:
    """An answer piece by piece; the last one is empty and says that it was whole."""
    if fault == "refuses":
        raise ProviderError
    for number, piece in enumerate(PIECES):
        await asyncio.sleep(0)
        if number == 2 and fault == "cut":
            raise ProviderError
        if number == 2 and fault == "stalls":
            raise TimeoutError  # of whoever reads
        if number == 2 and fault == "client leaves":
            await asyncio.Event().wait()
        yield piece


async def reserved(pool: Pool, user_id: UUID, key: str, pieces: Pieces, deliver: Callable[[str], None]) -> None:
    """The product's way: hold, deliver, settle; whatever goes wrong in between, release."""
    hold_id = await pool.fetchval("select id from private.hold_credits($1, 1, $2)", user_id, key)
    try:
        async for piece in pieces:
            deliver(piece)
        await pool.execute("select private.settle_hold($1, 1, $2)", hold_id, key)
    finally:
        await pool.execute("select private.release_hold($1)", hold_id)


async def charged_first(pool: Pool, user_id: UUID, key: str, pieces: Pieces, deliver: Callable[[str], None]) -> None:
    """Wrong: what comes after the charge may fail."""
    await _charge(pool, user_id, key)
    async for piece in pieces:
        deliver(piece)


async def charged_whatever_came(
    pool: Pool, user_id: UUID, key: str, pieces: Pieces, deliver: Callable[[str], None]
) -> None:
    """Wrong: half an answer costs a whole one."""
    hold_id = await pool.fetchval("select id from private.hold_credits($1, 1, $2)", user_id, key)
    try:
        async for piece in pieces:
            deliver(piece)
    finally:
        await pool.execute("select private.settle_hold($1, 1, $2)", hold_id, key)


async def charged_afterwards(
    pool: Pool, user_id: UUID, key: str, pieces: Pieces, deliver: Callable[[str], None]
) -> None:
    """Wrong: nothing was reserved, and by now the credits may be gone."""
    async for piece in pieces:
        deliver(piece)
    await _charge(pool, user_id, key)


async def _charge(pool: Pool, user_id: UUID, key: str) -> None:
    await pool.execute(
        "select private.settle_hold((private.hold_credits($1, 1, $2)).id, 1, $2) from (select $2::text) as one",
        user_id,
        key,
    )


DESIGNS: dict[str, Design] = {
    each.__name__: each for each in (reserved, charged_first, charged_whatever_came, charged_afterwards)
}


async def chat(pool: Pool, user_id: UUID, key: str, fault: str, design: Design, whole: Callable[[str], None]) -> None:
    """One question and what comes of it; `whole` is told when the answer has arrived to its end."""

    def deliver(piece: str) -> None:
        if fault == "client leaves":
            task.cancel()
        if not piece:
            whole(key)

    task = asyncio.ensure_future(design(pool, user_id, key, provider(fault), deliver))
    with suppress(ProviderError, TimeoutError, asyncpg.PostgresError, asyncio.CancelledError):
        await task


async def chats(
    pool: Pool, user_id: UUID, numbers: Iterator[int], design: Design, whole: Callable[[str], None]
) -> None:
    """Many at once, every fault in turn."""
    faults = cycle(FAULTS)

    async def work() -> None:
        for number in numbers:
            await chat(pool, user_id, f"chat-{number}", next(faults), design, whole)

    await asyncio.gather(*(work() for _ in range(WIDTH)))


async def _forever(database_url: str, user_id: UUID, design: Design) -> None:
    async with asyncpg.create_pool(database_url, min_size=WIDTH, max_size=WIDTH) as pool:
        await chats(pool, user_id, count(), design, lambda key: print(key, flush=True))


if __name__ == "__main__":
    asyncio.run(_forever(sys.argv[1], UUID(sys.argv[2]), DESIGNS[sys.argv[3]]))
