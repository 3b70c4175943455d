"""The ledger: append-only, idempotent, balanced; and the invariants of all tables, which can fail."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import asyncpg
import pytest

from tests.db import accounts, ledger
from tests.db.accounts import Connection
from tests.db.ledger import INVARIANTS

pytestmark = pytest.mark.anyio

GRANT = "select (private.grant_credits($1, $2, 'bonus', $3, $4)).id"

# For each invariant a fault that it must report; made without triggers and constraints in the way.
FAULTS = {
    "balance_after_is_the_running_sum": "update public.credit_ledger set balance_after = 1 where user_id = $1",
    "double_entry_sums_to_zero": "update public.credit_wallets set held = held + 1 where user_id = $1",
    "early_birds_have_their_seat": """
        update private.early_bird_seats set user_id = $1, taken_at = now() where seat = 100
    """,
    "ended_answers_hold_nothing": """
        with ended as (
          insert into public.runs (user_id, conversation_id, message_id, state, finished_at)
          values ($1, gen_random_uuid(), gen_random_uuid(), 'done', now()) returning message_id
        )
        update public.credit_holds set idempotency_key = 'chat:' || message_id from ended
        where user_id = $1 and state = 'open'
    """,
    "every_account_is_open": "delete from public.profiles where user_id = $1",
    "every_lot_was_granted": "update public.credit_lots set amount = amount + 1 where user_id = $1",
    "every_settlement_has_its_hold": """
        update public.credit_holds set settle_key = 'other' where user_id = $1 and state = 'settled'
    """,
    "invoices_are_paid_to_the_last_part": """
        with paid as (
          insert into public.invoices
            (user_id, document_id, direction, number, issued_on, total_cents, paid_on, source)
          values ($1, gen_random_uuid(), 'passiva', '1', '2026-01-01', 100, '2026-01-31', 'campi') returning id
        )
        insert into public.invoice_schedules (user_id, invoice_id, no, amount_cents) select $1, id, 1, 100 from paid
    """,
    "pages_are_found_outside_of_the_trash": """
        insert into private.document_search (document_id, page, user_id, lexemes)
          values (gen_random_uuid(), 1, $1, '{}')
    """,
    "vocabularies_count_what_is_searched": """
        insert into private.document_words (user_id, word, stem, grams, pages) values ($1, 'fattura', 'fattur', '{}', 1)
    """,
    "holds_equal_their_lots": "update public.credit_holds set amount = amount + 1 where user_id = $1",
    "lots_equal_their_ledger": "update public.credit_lots set remaining = remaining - 1 where user_id = $1",
    "lots_hold_what_open_holds_reserve": """
        update public.credit_lots set remaining = remaining - 1, held = held + 1 where user_id = $1 and remaining > 0
    """,
    "months_count_what_the_ledger_settled": """
        update public.credit_wallets set used_in_month = used_in_month + 1 where user_id = $1
    """,
    "orders_gave_what_they_sold_once": """
        insert into public.credit_orders
          (user_id, pack_id, catalog_version, amount_cents, currency, credits, bonus, expires_at, paid_at, fulfilled_at)
          values ($1, 'pro', 1, 3999, 'EUR', 500, 50, now(), now(), now())
    """,
    "orders_know_their_disputes": """
        with bought as (
          insert into public.credit_orders
            (user_id, pack_id, catalog_version, amount_cents, currency, credits, bonus, expires_at)
            values ($1, 'pro', 1, 3999, 'EUR', 500, 50, now()) returning id
        )
        insert into private.order_disputes select 'du_1', id, 'needs_response', now(), 0 from bought
    """,
    "orders_that_went_back_keep_nothing": """
        insert into public.credit_orders
          (id, user_id, pack_id, catalog_version, amount_cents, currency, credits, bonus, expires_at, paid_at,
            fulfilled_at, withdrawn_at)
          select order_id, $1, 'pro', 1, paid_cents, 'EUR', amount, 0, now(), now(), now(), now()
          from public.credit_lots where user_id = $1 and order_id is not null
    """,
    "refunds_stay_in_their_order": """
        update public.credit_ledger set ref_id = 'other' where user_id = $1 and kind = 'refund'
    """,
    "settled_holds_equal_the_ledger": """
        update public.credit_holds set captured = captured - 1 where user_id = $1 and state = 'settled'
    """,
    "wallets_equal_the_ledger": "delete from public.credit_ledger where user_id = $1",
    "wallets_equal_their_lots": """
        update public.credit_lots set remaining = remaining - 1, held = held + 1 where user_id = $1 and remaining > 0
    """,
}


async def test_granting_adds_a_lot_an_entry_and_the_balance(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await connection.execute(GRANT, user_id, 500, "stripe", "stripe:cs_1")
    entry = await connection.fetchrow("select * from public.credit_ledger where user_id = $1 order by id desc", user_id)
    assert entry is not None
    assert (entry["kind"], entry["amount"], entry["account"], entry["balance_after"]) == ("grant", 500, "stripe", 600)
    lots = await connection.fetch(
        "select kind, remaining from public.credit_lots where user_id = $1 order by amount", user_id
    )
    assert [tuple(lot) for lot in lots] == [("benvenuto", 100), ("bonus", 500)]
    assert await connection.fetchval("select balance from public.credit_wallets where user_id = $1", user_id) == 600


async def test_same_key_grants_once_and_answers_the_same_entry(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    first = await connection.fetchval(GRANT, user_id, 5, "promo", "gift")
    assert await connection.fetchval(GRANT, user_id, 5, "promo", "gift") == first
    assert await connection.fetchval("select balance from public.credit_wallets where user_id = $1", user_id) == 105


@pytest.mark.parametrize(("amount", "account"), [(6, "promo"), (5, "stripe")])
async def test_key_of_another_movement_is_refused(amount: int, account: str, connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await connection.execute(GRANT, user_id, 5, "promo", "gift")
    with pytest.raises(asyncpg.PostgresError, match="another movement") as caught:
        await connection.execute(GRANT, user_id, amount, account, "gift")
    assert caught.value.sqlstate == "SC001"


async def test_account_without_a_wallet_is_refused(connection: Connection) -> None:
    with pytest.raises(asyncpg.PostgresError, match="no wallet") as caught:
        await connection.execute(GRANT, uuid4(), 5, "promo", "gift")
    assert caught.value.sqlstate == "SC002"


@pytest.mark.parametrize(("amount", "account"), [(0, "promo"), (-5, "promo"), (5, "usage"), (5, "expiry")])
async def test_grant_that_is_none_is_refused(amount: int, account: str, connection: Connection) -> None:
    user_id = await accounts.create(connection)
    with pytest.raises(asyncpg.CheckViolationError):
        await connection.execute(GRANT, user_id, amount, account, "gift")


@pytest.mark.parametrize(
    "change",
    [
        "update public.credit_ledger set amount = 1000000",
        "update public.credit_ledger set ref_id = 'x' where false",
        "delete from public.credit_ledger",
        "truncate public.credit_ledger",
        "truncate public.credit_wallets cascade",
    ],
)
@pytest.mark.parametrize("role", ["postgres", "service_role"])
async def test_nobody_changes_the_ledger(change: str, role: str, connection: Connection) -> None:
    await connection.execute(
        """
        grant all on public.credit_ledger, public.credit_wallets, public.credit_lots, public.credit_holds,
          public.hold_lots to service_role
        """
    )
    await connection.execute("select set_config('role', $1, true)", role)
    with pytest.raises(asyncpg.RestrictViolationError, match="append-only"):
        await connection.execute(change)


async def test_entry_cannot_name_the_lot_of_somebody_else(connection: Connection) -> None:
    mine, theirs = await accounts.create(connection), await accounts.create(connection)
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await connection.execute(
            """
            insert into public.credit_ledger (user_id, kind, amount, account, lot_id, idempotency_key, balance_after)
            select $1, 'grant', 1, 'promo', id, 'theirs', 101 from public.credit_lots where user_id = $2
            """,
            mine,
            theirs,
        )


@pytest.mark.parametrize("column", ["balance", "held"])
async def test_wallet_is_never_negative(column: str, connection: Connection) -> None:
    await accounts.create(connection)
    with pytest.raises(asyncpg.CheckViolationError):
        await connection.execute(f"update public.credit_wallets set {column} = -1")


async def test_hundred_confirmations_at_once_grant_the_welcome_once(database: str) -> None:
    """Prove FAULT-14 with committed rows, because parallel connections must see them."""
    async with asyncpg.create_pool(database, min_size=20, max_size=20) as pool:
        user_id = await accounts.create(pool, confirmed=False)
        await asyncio.gather(*(accounts.confirm(pool, user_id) for _ in range(100)))
        assert await pool.fetchval("select balance from public.credit_wallets where user_id = $1", user_id) == 100
        assert await pool.fetchval("select count(*) from public.credit_ledger where user_id = $1", user_id) == 1


async def test_hundred_grants_at_once_keep_every_sum(database: str) -> None:
    async with asyncpg.create_pool(database, min_size=20, max_size=20) as pool:
        user_id = await accounts.create(pool)
        await asyncio.gather(*(pool.execute(GRANT, user_id, 1, "promo", f"gift-{n % 50}") for n in range(100)))
        assert await pool.fetchval("select balance from public.credit_wallets where user_id = $1", user_id) == 150
        assert await ledger.broken(pool) == {}


@pytest.mark.parametrize("name", INVARIANTS)
async def test_invariant_holds_and_reports_its_fault(name: str, connection: Connection) -> None:
    user_id = await accounts.create(connection)
    order_id = uuid4()
    await ledger.grant(connection, user_id, 50, kind="acquisto", order_id=order_id, paid_cents=500)
    await connection.fetchval("select private.refund_order($1, 100, 'refund')", order_id)
    held = await ledger.hold(connection, user_id, 5)
    await ledger.settle(connection, held["id"], 3)
    await ledger.hold(connection, user_id, 2, "open")
    assert await connection.fetch(INVARIANTS[name]) == []
    await connection.execute("set local session_replication_role = replica")
    await connection.execute(FAULTS[name], user_id)
    assert await connection.fetch(INVARIANTS[name]) != []
