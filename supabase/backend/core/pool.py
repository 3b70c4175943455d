"""asyncpg's pool, which opens one connection at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import asyncpg

from backend.core import tracing

if TYPE_CHECKING:
    # Generic for the type checker only; at run time the class takes no parameter.
    from asyncpg.pool import PoolConnectionProxy

    Record = asyncpg.Record
    _Pool = asyncpg.Pool[Record]
else:
    _Pool = asyncpg.Pool


# A connection that was not used for so long is closed.
IDLE_S = 60


class Pool(_Pool):
    """A pool for `async with` that opens a connection only while no other one is being opened.

    asyncpg opens as many as there are callers. A new backend of Postgres plans each statement for the first time, some
    fifty times the cost of a small query, so that the first requests of a crowd would wait for twenty of them at once.
    Here they take turns on those that are open, in the order in which they came.
    """

    def __init__(
        self, dsn: str, *, max_size: int, on_statement: Callable[[Any], None] | None = None, **options: Any
    ) -> None:
        # What `asyncpg.create_pool` fills in, without connections that wait for work.
        super().__init__(
            dsn,
            min_size=0,
            init_size=0,
            max_size=max_size,
            max_queries=50_000,
            max_inactive_connection_lifetime=IDLE_S,
            connection_class=asyncpg.Connection,
            record_class=asyncpg.Record,
            loop=None,
            **options,
        )
        self._on_statement = on_statement
        # Connections whose statements are recorded: asyncpg takes 10 µs a statement for it.
        self._recorded: set[PoolConnectionProxy[Record]] = set()
        self._used = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self, patience_s: float) -> PoolConnectionProxy[Record]:
        """Acquire a connection, for `give_back`. Raises TimeoutError, and what connecting raises."""
        async with asyncio.timeout(patience_s):
            await self._enter()
            try:
                return self._watched(await self.acquire())
            except BaseException:
                self._used -= 1
                raise
            finally:
                self._let_in()

    async def give_back(self, connection: PoolConnectionProxy[Record], patience_s: float) -> None:
        """Release a connection. Raises TimeoutError, and closes it, when its cancelled statement goes on too long."""
        try:
            self._stop_watching(connection)
            await self.release(connection, timeout=patience_s)
        finally:
            self._used -= 1
            self._let_in()

    def _watched(self, connection: PoolConnectionProxy[Record]) -> PoolConnectionProxy[Record]:
        """Have the statements of a trace that is recorded told."""
        if self._on_statement is not None and tracing.is_sampled():
            connection.add_query_logger(self._on_statement)
            self._recorded.add(connection)
        return connection

    def _stop_watching(self, connection: PoolConnectionProxy[Record]) -> None:
        if self._on_statement is not None and connection in self._recorded:
            self._recorded.discard(connection)
            # The pool takes one back by itself when it broke.
            with suppress(asyncpg.InterfaceError):
                connection.remove_query_logger(self._on_statement)

    async def _enter(self) -> None:
        if not self._waiting and self._has_room():
            self._used += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            # A caller may be cancelled after it was let in, and before it goes on.
            if not turn.cancelled():
                self._used -= 1
                self._let_in()
            raise

    def _let_in(self) -> None:
        while self._waiting and self._has_room():
            turn = self._waiting.popleft()
            if not turn.cancelled():
                self._used += 1
                turn.set_result(None)

    def _has_room(self) -> bool:
        return self._used < min(self.get_size() + 1, self.get_max_size())
