"""Work of the database that is done in small transactions, because each locks what it touches."""

from collections.abc import AsyncIterator

from backend.edge import api

BATCH = 100


async def each(context: api.Context, statement: str) -> AsyncIterator[int]:
    """Run `statement` until it did nothing: it takes how many it may do at most and answers how many it did."""
    done = BATCH
    while done:
        async with context.as_service() as connection:
            done = await connection.fetchval(statement, BATCH)
        yield done


async def until_none_is_left(context: api.Context, statement: str) -> int:
    """Run `statement` in batches until none is left; return how many it did."""
    return sum([done async for done in each(context, statement)])
