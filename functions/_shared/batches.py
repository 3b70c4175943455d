"""Work of the database that is done in small transactions, because each locks what it touches."""

from backend.edge import api

BATCH = 100


async def until_none_is_left(context: api.Context, statement: str) -> int:
    """Runs `statement`, which takes how many it may do at most and answers how many it did; answers their sum."""
    total, done = 0, BATCH
    while done:
        async with context.as_service() as connection:
            done = await connection.fetchval(statement, BATCH)
        total += done
    return total
