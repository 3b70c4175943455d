"""Connections that tests share: a new one asks for types and learns the schema, for longer than most tests take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import asyncpg

if TYPE_CHECKING:
    Base = asyncpg.Connection[asyncpg.Record]
else:
    Base = asyncpg.Connection

# A database keeps so many; few tests need more at once.
MOST_KEPT = 4
# A session forgets all but what it knows of the schema, and tells the statistics what it did.
RESET = """
close all; unlisten *; reset all; discard temp; discard sequences;
select pg_advisory_unlock_all(); select pg_stat_force_next_flush()
"""

# Of the databases that tests are given; each has a name of its own.
_kept: dict[str, list[Kept]] = {}


class Kept(Base):
    """A connection that outlives its pool and serves the next one on the same database, in the same loop."""

    async def close(self, *, timeout: float | None = None) -> None:
        """Leave the pool and wait for the next, or end if something is under way."""
        driver: Any = self
        kept = _kept.get(driver._params.database)
        is_at_rest = not (self.is_closed() or self.is_in_transaction() or driver._protocol._is_cancelling())
        if driver._pool_holder is None or not is_at_rest or kept is None or len(kept) >= MOST_KEPT:
            await super().close(timeout=timeout)
            return
        try:
            await driver._reset()
            driver._query_loggers.clear()
            await self.execute(RESET, timeout=timeout)
        except BaseException:
            self.terminate()
            raise
        holder, driver._pool_holder = driver._pool_holder(), None
        holder._release_on_close()
        kept.append(self)


def keep(database: str) -> None:
    """Keep the connections of a database from now on."""
    _kept[database] = []


def kept_of(database: str) -> list[Kept]:
    """Return the connections that wait for the next pool."""
    return _kept.get(database, [])


def end_kept(database: str) -> None:
    """End the connections of a database that no test uses again."""
    for connection in _kept.pop(database, []):
        connection.terminate()


@contextmanager
def pools_kept() -> Iterator[None]:
    """Let pools leave their connections to the next; all run in one loop, in which this ends."""
    driver: Any = asyncpg.Pool
    begin = driver.__init__

    async def kept_or_new(url: str, **options: Any) -> asyncpg.Connection[asyncpg.Record]:
        kept = kept_of(urlsplit(url).path.lstrip("/"))
        while kept:
            if not (found := kept.pop()).is_closed():
                return found
        return await asyncpg.connect(url, **options)

    def keeping(pool: Any, *arguments: Any, connect: Any = None, **options: Any) -> None:
        if connect is None:
            connect, options["connection_class"] = kept_or_new, Kept
        begin(pool, *arguments, connect=connect, **options)

    driver.__init__ = keeping
    try:
        yield
    finally:
        driver.__init__ = begin
        for database in list(_kept):
            end_kept(database)


@contextmanager
def types_asked_once() -> Iterator[None]:
    """Ask a server once what its types are: each connection would, for 7 ms, and a clone has its template's ids."""
    driver: Any = asyncpg.Connection
    known: dict[tuple[object, frozenset[int]], list[asyncpg.Record]] = {}
    ask = driver._introspect_types

    async def answer(self: Any, typeoids: Iterable[int], timeout: float | None) -> tuple[list[asyncpg.Record], Any]:
        asked = (self._addr, frozenset(typeoids))
        if asked in known:
            # The name of a statement: none was prepared in place of the caller's.
            return known[asked], SimpleNamespace(name="known")
        known[asked], statement = await ask(self, typeoids, timeout)
        return known[asked], statement

    driver._introspect_types = answer
    try:
        yield
    finally:
        driver._introspect_types = ask
