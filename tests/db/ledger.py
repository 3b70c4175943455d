"""The verbs of the ledger as tests call them, and the invariants that must hold after each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, accounts
from tests.db.accounts import Connection, Executor

INVARIANTS = {path.stem: path.read_text() for path in sorted((access.DATA / "invariants").glob("*.sql"))}


async def broken(connection: Executor) -> dict[str, list[asyncpg.Record]]:
    """The invariants that do not hold, with the rows that say so."""
    found = {name: await connection.fetch(query) for name, query in INVARIANTS.items()}
    return {name: rows for name, rows in found.items() if rows}


async def wallet(connection: Executor, user_id: UUID) -> tuple[int, int]:
    """Spendable and held credits."""
    row = await connection.fetchrow("select balance, held from public.credit_wallets where user_id = $1", user_id)
    assert row is not None
    return row["balance"], row["held"]


async def empty(connection: Executor) -> UUID:
    """An account without credits: no address of it is confirmed."""
    return await accounts.create(connection, confirmed=False)


async def grant(connection: Executor, user_id: UUID, amount: int, key: str = "gift", **lot: Any) -> UUID:
    """A lot; `lot` is kind, expires_at (as SQL interval from now), order_id, paid_cents."""
    lot_id: UUID = await connection.fetchval(
        """
        select lot_id from private.grant_credits(
          $1, $2, $3::text::public.credit_lot_kind, 'promo', $4, now() + $5::text::interval, null, null, $6, $7
        )
        """,
        user_id,
        amount,
        lot.get("kind", "bonus"),
        key,
        lot.get("expires"),
        lot.get("order_id"),
        lot.get("paid_cents", 0),
    )
    return lot_id


async def hold(connection: Executor, user_id: UUID, amount: int, key: str = "work") -> asyncpg.Record:
    """Reserves credits; the row of the hold."""
    row = await connection.fetchrow("select * from private.hold_credits($1, $2, $3)", user_id, amount, key)
    assert row is not None
    return row


async def settle(connection: Executor, hold_id: UUID, used: int, key: str = "done") -> asyncpg.Record:
    """Takes what was used."""
    row = await connection.fetchrow("select * from private.settle_hold($1, $2, $3)", hold_id, used, key)
    assert row is not None
    return row


async def release(connection: Executor, hold_id: UUID) -> asyncpg.Record:
    """Gives a hold back."""
    row = await connection.fetchrow("select * from private.release_hold($1)", hold_id)
    assert row is not None
    return row


async def as_owner(connection: Executor, user_id: UUID, query: str, *arguments: Any) -> list[asyncpg.Record]:
    """Return the rows that the client of the owner gets."""
    claims = f'{{"role": "authenticated", "sub": "{user_id}"}}'
    await connection.execute(
        "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)", claims
    )
    rows = await connection.fetch(query, *arguments)
    await connection.execute("reset role")
    return rows


async def overdue(connection: Executor, hold_id: UUID) -> None:
    """Makes a hold one whose time is over, as if an hour had gone by."""
    await connection.execute(
        """
        update public.credit_holds
        set created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour' where id = $1
        """,
        hold_id,
    )


async def lapse(connection: Executor, lot_id: UUID, by: str = "1 second") -> None:
    """Makes a lot one whose time is over."""
    await connection.execute(
        "update public.credit_lots set expires_at = now() - $2::text::interval where id = $1", lot_id, by
    )


async def lots(connection: Executor, user_id: UUID) -> list[tuple[int, int]]:
    """Remaining and held of each lot, in the order they were granted."""
    rows = await connection.fetch(
        """
        select remaining, credit_lots.held from public.credit_lots
        join public.credit_ledger on lot_id = credit_lots.id and credit_ledger.kind in ('grant', 'adjust')
          and credit_ledger.amount = credit_lots.amount
        where credit_lots.user_id = $1 order by credit_ledger.id
        """,
        user_id,
    )
    return [tuple(row) for row in rows]


async def entries(connection: Executor, user_id: UUID) -> list[tuple[str, int, int]]:
    """Kind, amount and balance after each entry, oldest first."""
    rows = await connection.fetch(
        "select kind::text, amount, balance_after from public.credit_ledger where user_id = $1 order by id", user_id
    )
    return [tuple(row) for row in rows]


async def refused(
    sqlstate: str | tuple[str, ...],
    verb: Callable[..., Awaitable[object]],
    connection: Connection,
    *arguments: object,
) -> None:
    """The call fails with this code (or one of these) and changes nothing."""
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with connection.transaction():
            await verb(connection, *arguments)
    assert caught.value.sqlstate in ((sqlstate,) if isinstance(sqlstate, str) else sqlstate), caught.value
