"""The hundred early-bird seats: who takes one, and that there are never more."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.db import accounts, ledger
from tests.db.accounts import Connection, Executor

pytestmark = pytest.mark.anyio

WELCOME = "select message from public.notifications where user_id = $1"
TAKEN = "select public.early_bird_seats()"


async def person(connection: Executor, *, confirmed: bool = True, address: str = "{}@posta.it") -> UUID:
    """Somebody whose address could be real."""
    user_id = uuid4()
    await connection.execute(
        """
        insert into auth.users (id, aud, role, email, email_confirmed_at, created_at, updated_at)
        values ($1, 'authenticated', 'authenticated', $2, case when $3 then now() end, now(), now())
        """,
        user_id,
        address.format(user_id),
        confirmed,
    )
    return user_id


async def test_first_confirmation_brings_welcome_and_seat(connection: Connection) -> None:
    user_id = await person(connection, confirmed=False)
    assert await connection.fetchval(TAKEN) == 0
    assert "100 crediti" in await connection.fetchval(WELCOME, user_id)
    await accounts.confirm(connection, user_id)
    assert await connection.fetchval(TAKEN) == 1
    assert await ledger.wallet(connection, user_id) == (600, 0)
    assert await connection.fetchval(WELCOME, user_id) == (
        "Ti abbiamo riservato 600 crediti per cominciare: "
        "100 di benvenuto e altri 500 perché sei tra i primi 100. Usali quando vuoi."
    )
    lots = "select kind::text, amount, expires_at from public.credit_lots where user_id = $1 order by amount"
    assert [tuple(lot) for lot in await connection.fetch(lots, user_id)] == [
        ("benvenuto", 100, None),
        ("bonus", 500, None),
    ]
    assert await ledger.broken(connection) == {}


async def test_confirming_again_or_another_address_brings_nothing_more(connection: Connection) -> None:
    user_id = await person(connection)
    await connection.execute("update auth.users set email_confirmed_at = null where id = $1", user_id)
    await accounts.confirm(connection, user_id)
    await connection.execute(
        "update auth.users set email = 'altra@posta.it', email_confirmed_at = now() where id = $1", user_id
    )
    assert await ledger.wallet(connection, user_id) == (600, 0)
    assert await connection.fetchval(TAKEN) == 1


@pytest.mark.parametrize(
    "address",
    ["{}@socio.example", "{}@example.com", "{}@a.EXAMPLE.org", "{}@x.test", "{}@localhost", "{}@x.invalid", "{}@test."],
)
async def test_address_that_reaches_nobody_takes_no_seat(address: str, connection: Connection) -> None:
    user_id = await person(connection, address=address)
    assert await ledger.wallet(connection, user_id) == (100, 0)
    assert await connection.fetchval(TAKEN) == 0


@pytest.mark.parametrize("address", ["{}@esempio.it", "{}@myexample.com", "{}@latest.it", "{}@contest.com"])
async def test_address_that_only_looks_reserved_takes_a_seat(address: str, connection: Connection) -> None:
    user_id = await person(connection, address=address)
    assert await ledger.wallet(connection, user_id) == (600, 0)


@pytest.mark.parametrize(
    ("first", "second", "seats"),
    [
        ("anna@posta.it", "Anna+uno@posta.it", 1),
        ("anna.verdi@gmail.com", "annaverdi+x@googlemail.com", 1),
        ("anna.verdi@posta.it", "annaverdi@posta.it", 2),
        ("anna@posta.it", "anna@altra.it", 2),
    ],
)
async def test_a_mailbox_has_one_seat(first: str, second: str, seats: int, connection: Connection) -> None:
    await person(connection, address=first)
    user_id = await person(connection, address=second)
    assert await connection.fetchval(TAKEN) == seats
    # Who has no seat has no welcome either: this mailbox had both.
    assert await ledger.wallet(connection, user_id) == (600 * (seats - 1), 0)
    assert await ledger.broken(connection) == {}


async def test_late_comers_have_the_welcome_and_its_text(connection: Connection) -> None:
    await connection.execute(
        "update private.early_bird_seats set user_id = gen_random_uuid(), taken_at = now() where seat < 100"
    )
    last, late = await person(connection), await person(connection)
    assert await ledger.wallet(connection, last) == (600, 0)
    assert await ledger.wallet(connection, late) == (100, 0)
    assert "100 crediti" in await connection.fetchval(WELCOME, late)


async def test_seat_of_a_sign_up_that_failed_is_free_again(connection: Connection) -> None:
    async with accounts.rolled_back(connection):
        await person(connection)
    assert await connection.fetchval(TAKEN) == 0


async def test_erased_account_keeps_its_seat_taken(connection: Connection) -> None:
    user_id = await person(connection)
    await connection.execute("delete from auth.users where id = $1", user_id)
    assert await connection.fetchval(TAKEN) == 1


@pytest.mark.long
async def test_five_hundred_sign_ups_at_once_fill_exactly_a_hundred_seats(database: str) -> None:
    """Prove FAULT-15 on real connections, because parallel transactions must see each other."""
    async with asyncpg.create_pool(database, min_size=40, max_size=40) as pool:
        people = await asyncio.gather(*(person(pool) for _ in range(500)))
        assert len(set(people)) == 500
        assert await pool.fetchval(TAKEN) == 100
        balances = await pool.fetch("select balance, count(*) from public.credit_wallets group by 1 order by 1")
        assert [tuple(row) for row in balances] == [(100, 400), (600, 100)]
        assert await pool.fetchval("select count(*) from private.early_bird_seats where user_id is not null") == 100
        assert await ledger.broken(pool) == {}


async def test_fifty_accounts_of_one_mailbox_at_once_take_one_seat_and_one_welcome(database: str) -> None:
    async with asyncpg.create_pool(database, min_size=20, max_size=20) as pool:
        await asyncio.gather(*(person(pool, address=f"anna+{number}@posta.it") for number in range(50)))
        assert await pool.fetchval(TAKEN) == 1
        balances = await pool.fetch("select balance, count(*) from public.credit_wallets group by 1 order by 1")
        assert [tuple(row) for row in balances] == [(0, 49), (600, 1)]
        assert await ledger.broken(pool) == {}


async def test_hundred_confirmations_of_one_account_take_one_seat(database: str) -> None:
    """Prove FAULT-14."""
    async with asyncpg.create_pool(database, min_size=20, max_size=20) as pool:
        user_id = await person(pool, confirmed=False)
        await asyncio.gather(*(accounts.confirm(pool, user_id) for _ in range(100)))
        assert await ledger.wallet(pool, user_id) == (600, 0)
        assert await pool.fetchval(TAKEN) == 1
