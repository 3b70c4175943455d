"""The database connections: the pool, transactions, and the one place that enters row level security.

Works behind a transaction pooler (PgBouncer ≥ 1.21): nothing here leaves state in a session.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import asyncpg

from backend.core import disk, tracing
from backend.core.config import Settings
from backend.core.errors import ServiceUnavailable
from backend.core.pool import Pool as Pool  # the type of `create_pool`

if TYPE_CHECKING:
    # Generic for the type checker only; at run time the class takes no parameter.
    from asyncpg.pool import PoolConnectionProxy

    Record = asyncpg.Record
    Connection = PoolConnectionProxy[Record] | asyncpg.Connection[Record]
else:
    Connection = asyncpg.Connection

POOL_SIZE = 20
CONNECT_TIMEOUT_S = 5
# A request that cannot get a connection within this time is told to come back (FAULT-24).
ACQUIRE_TIMEOUT_S = 2
COMMAND_TIMEOUT_S = 10
# Roles a token may ask for; anything else, above all a role of the system, is refused.
API_ROLES = frozenset({"anon", "authenticated", "service_role"})
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})

_FUNCTION_NAME = re.compile(r"[a-z_]+\.[a-z_]+")

# What connecting to a database that is down, starting, stopping or full ends in.
_AWAY = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
)


class Json(str):
    """Text that is JSON already: a json or jsonb parameter takes it as it is; of other text it makes a string."""

    __slots__ = ()


def create_pool(settings: Settings, on_statement: Callable[[Any], None] | None = None) -> Pool:
    """Create a pool for `async with`; it connects on first use, so that a process starts without the database.

    `on_statement` gets asyncpg's LoggedQuery after each statement of a trace that is recorded.
    """
    return Pool(
        settings.database_url,
        on_statement=on_statement,
        ssl=_tls(settings),
        max_size=POOL_SIZE,
        timeout=CONNECT_TIMEOUT_S,
        command_timeout=COMMAND_TIMEOUT_S,
        init=prepare,
        reset=_leave_as_is,
    )


async def connect(settings: Settings, *, database: str | None = None) -> asyncpg.Connection[asyncpg.Record]:
    """Open one plain connection without a time limit per command: for migrations, chores and the queue.

    `database` names another database of the same server.
    """
    return await asyncpg.connect(
        settings.database_url, database=database, timeout=CONNECT_TIMEOUT_S, ssl=_tls(settings)
    )


def _tls(settings: Settings) -> bool | None:
    """No TLS is even offered to a database on this machine; elsewhere the address says (`sslmode`), as in libpq.

    Besides a round trip it saves asyncpg's loose end: a connection attempt that is cancelled while the server decides
    about TLS leaves an error that nobody fetches.
    """
    address = urlsplit(settings.database_url)
    is_here = address.hostname in (None, "localhost", "127.0.0.1", "::1")
    return False if is_here and "sslmode" not in address.query else None


async def prepare(connection: Connection) -> None:
    """Convert jsonb and json to Python objects on this connection; every pooled connection is prepared so."""
    for name in ("jsonb", "json"):
        await connection.set_type_codec(name, encoder=_encode, decoder=json.loads, schema="pg_catalog")


def _encode(value: Any) -> str:
    if isinstance(value, Json):
        return value
    # NUL is valid JSON and no valid jsonb: leave the refusal to Postgres, which names it.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def _leave_as_is(_connection: Connection) -> None:
    """No RESET ALL between two users: sessions carry no state, and the round trip would double a small query."""


@asynccontextmanager
async def connection(pool: Pool) -> AsyncIterator[Connection]:
    """Acquire a pooled connection without a transaction.

    Raises ServiceUnavailable when the database is away or its disk is full.
    """
    try:
        acquired = await pool.take(ACQUIRE_TIMEOUT_S)
    except (TimeoutError, *_AWAY) as error:
        raise ServiceUnavailable("The database is not available", cause=error) from error
    try:
        yield acquired
    except asyncpg.DiskFullError as error:
        raise disk.out_of_space(error) from error
    except Exception as error:
        # asyncpg says the latter when the server hangs up where an answer should begin.
        if not (_is_lost(acquired) or isinstance(error, asyncpg.InternalClientError)):
            raise
        raise ServiceUnavailable("The database connection was lost", cause=error) from error
    finally:
        await pool.give_back(acquired, ACQUIRE_TIMEOUT_S)


def _is_lost(acquired: Connection) -> bool:
    try:
        return acquired.is_closed()
    except asyncpg.InterfaceError:  # the pool took it back when it broke
        return True


@asynccontextmanager
async def transaction(pool: Pool) -> AsyncIterator[Connection]:
    """Open a transaction that commits at the end of the block. Raises ServiceUnavailable."""
    async with connection(pool) as acquired, acquired.transaction():
        yield acquired


@asynccontextmanager
async def as_claims(
    pool: Pool, claims: Mapping[str, Any], settings: Mapping[str, str] = NO_SETTINGS
) -> AsyncIterator[Connection]:
    """Open a transaction as the bearer of these claims, under row level security; only `become` does the same.

    `settings` are more of the database's, for this transaction.

    Sets what PostgREST sets (https://docs.postgrest.org/en/v12/references/transactions.html), for this transaction
    only: a session-level setting would leak through a pooler to the next user. Claims without a role are anonymous.
    Raises PermissionError for a role that no token of ours carries, ServiceUnavailable.
    """
    async with transaction(pool) as acquired:
        await become(acquired, claims, settings)
        yield acquired


async def become(connection: Connection, claims: Mapping[str, Any], settings: Mapping[str, str] = NO_SETTINGS) -> None:
    """Turn a transaction of the service into one of the bearer of these claims; see as_claims."""
    role = claims.get("role", "anon")
    if role not in API_ROLES:
        raise PermissionError(f"No token may act as {role!r}")
    every = {"role": role, "request.jwt.claims": json.dumps(claims), **settings}
    if (headers := _traced_headers()) is not None:
        every["request.headers"] = headers
    await connection.execute(_setting(len(every)), *(part for pair in every.items() for part in pair))


@cache
def _setting(count: int) -> str:
    return "select " + ", ".join(f"set_config(${2 * no + 1}, ${2 * no + 2}, true)" for no in range(count))


async def call_as_service(pool: Pool, function: str, *arguments: Any) -> Any:
    """Call a database function as service_role and commit: one round trip, where as_claims has four.

    The right to call it is checked for the service's own role. The function runs as service_role, or as its owner
    where it is SECURITY DEFINER. Raises ServiceUnavailable, and ValueError for a bad function name.
    """
    headers = _traced_headers()
    statement = _calling(function, len(arguments), is_traced=headers is not None)
    async with connection(pool) as acquired:
        return await acquired.fetchval(statement, *arguments, *([] if headers is None else [headers]))


def _traced_headers() -> str | None:
    """Return what the setting request.headers tells `jobs.enqueue` in SQL; None outside a trace."""
    place = tracing.traceparent()
    return None if place is None else json.dumps({"traceparent": place})


@cache
def _calling(function: str, count: int, *, is_traced: bool) -> str:
    """Write the statement that sets the role and calls a function with `count` arguments."""
    if not _FUNCTION_NAME.fullmatch(function):
        raise ValueError(f"{function!r} names no function")
    places = ", ".join(f"${number}" for number in range(1, count + 1))
    headers = f", set_config('request.headers', ${count + 1}, true)" if is_traced else ""
    return f"""
        with service as materialized (
          select set_config('role', 'service_role', true),
            set_config('request.jwt.claims', '{{"role": "service_role"}}', true){headers}
        )
        select {function}({places}) from service
    """  # noqa: S608 - a name of ours
