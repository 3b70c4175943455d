"""The end of accounting: what the law keeps of an erased account goes ten years after its last entry, and only then."""

from __future__ import annotations

import asyncpg
import pytest

from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared import batches
from functions.jobs import retention
from tests.databases import connected
from tests.db import access, accounts, ledger
from tests.functions import test_account_deletion

pytestmark = pytest.mark.anyio

OWNER = access.PEOPLE["owner"]
# A whole accounting: the tables with a user_id, and those that belong to an order. Only the owner has orders here.
OF_ACCOUNTS = [
    "public.credit_wallets",
    "public.credit_lots",
    "public.credit_holds",
    "public.hold_lots",
    "public.credit_ledger",
    "public.credit_orders",
]
OF_ORDERS = [
    "public.order_refunds",
    "public.fiscal_documents",
    "public.payment_events",
    "public.payment_alerts",
    "private.order_disputes",
]
CERTIFICATES = "public.deletion_requests"
# Times at which nothing is entered: until when something is valid, and when somebody was asked or told.
NO_ENTRIES = {
    "public.credit_lots.expires_at",
    "public.credit_orders.expires_at",
    "public.credit_orders.checked_at",
    "public.payment_events.tried_at",
    "public.payment_events.given_up_at",
    "public.payment_alerts.told_at",
}


async def _erase_owner(connection: accounts.Connection) -> None:
    await connection.execute(
        f"""
        update public.deletion_requests set cancelled_at = null, reminded_at = now(), erasing_at = now(),
          erased_at = now(), found_rows = '{{}}', found_files = 0
        where user_id = '{OWNER}';
        -- Taken back once, before it was asked for again.
        insert into public.deletion_requests (user_id, fiscal_archive, requested_at, due_at, cancelled_at)
        values ('{OWNER}', 'empty', now(), now(), now());
        delete from auth.users where id = '{OWNER}';
        """
    )


async def _whole_accounting(resources: Resources, connection: accounts.Connection) -> None:
    """Make an account with rows in each table of its accounting and every moment that an order can have."""
    await test_account_deletion.everything(resources)
    facts = (
        "submitted_at withdrawal_waiver_at paid_at fulfilled_at receipt_at failed_at expired_at withdrawn_at "
        "disputed_at dispute_won_at dispute_lost_at orphaned_at checked_at"
    )
    await connection.execute(
        f"""
        update public.credit_orders set {", ".join(f"{fact} = now()" for fact in facts.split())};
        insert into private.order_disputes (id, order_id, status, told_at, step)
        select 'dp_1', id, 'won', now(), 5 from public.credit_orders;
        update public.order_refunds set state = 'sent', settled_at = now();
        update public.payment_events set handled_at = now();
        insert into public.payment_alerts (kind, event_id) select 'stuck_event', id from public.payment_events;
        update public.payment_alerts set resolved_at = now();
        update private.early_bird_seats set mailbox = 'x' where user_id = '{OWNER}';
        select private.release_hold(id) from public.credit_holds where user_id = '{OWNER}';
        """
    )
    found = await _counts(connection)
    assert [table for table, count in found.items() if not count] == []


async def _counts(connection: accounts.Connection) -> dict[str, int]:
    """Return how many rows each table has of the owner's accounting."""
    of_accounts = {
        table: await connection.fetchval(f"select count(*) from {table} where user_id = $1", OWNER)
        for table in OF_ACCOUNTS
    }
    return of_accounts | {table: await connection.fetchval(f"select count(*) from {table}") for table in OF_ORDERS}


async def _moments(connection: accounts.Connection) -> list[tuple[str, str]]:
    """Return each moment of these tables: table and column."""
    rows = await connection.fetch(
        """
        select attrelid::regclass::text as table_name, attname::text as column_name from pg_attribute
        where attrelid = any ($1::text[]::regclass[]) and atttypid = 'timestamptz'::regtype and not attisdropped
        """,
        [*OF_ACCOUNTS, *OF_ORDERS, CERTIFICATES],
    )
    # The name of a table in the search path comes without its schema.
    return [
        (name if "." in name else f"public.{name}", column)
        for name, column in ((row["table_name"], row["column_name"]) for row in rows)
    ]


async def _move_clock(connection: accounts.Connection, by: str) -> None:
    """Let time pass for everybody: the clock is the database's, so all moments move into the past instead."""
    async with connection.transaction():
        await connection.execute("set local session_replication_role = replica")
        # All of a row at once, because constraints compare them.
        moments = await _moments(connection)
        for table in {table for table, _ in moments}:
            moved = ", ".join(f"{column} = {column} - $1::text::interval" for name, column in moments if name == table)
            await connection.execute(f"update {table} set {moved}", by)


async def _run(resources: Resources, connection: accounts.Connection) -> dict[str, int]:
    """Run both rules, as the job does each day; return what each erased."""
    context = Context("retention", {"role": "service_role"}, "", resources)
    await retention.handler({"rules": ["billing", "certificates"]}, context)
    rows = await connection.fetch("select * from private.retention_runs order by id desc limit 2")
    assert all(row["is_ok"] for row in rows)
    return {row["rule"]: row["erased"] for row in rows}


async def _requests(connection: accounts.Connection) -> int:
    count: int = await connection.fetchval("select count(*) from public.deletion_requests where user_id = $1", OWNER)
    return count


async def test_accounting_of_an_erased_account_goes_whole_ten_years_after_its_last_entry(resources: Resources) -> None:
    nothing = {"billing": 0, "certificates": 0}
    async with connected(resources.settings.database_url) as connection:
        await _whole_accounting(resources, connection)
        await _erase_owner(connection)
        found, broken = await _counts(connection), set(await ledger.broken(connection))
        strangers = await connection.fetchval("select count(*) from public.credit_ledger where user_id <> $1", OWNER)
        newest_entry = await connection.fetchval("select max(id) from public.credit_ledger")
        await _move_clock(connection, "10 years")
        await _move_clock(connection, "-1 day")
        assert await _run(resources, connection) == nothing
        assert (await _counts(connection), await _requests(connection)) == (found, 2)
        await _move_clock(connection, "2 days")
        # Asked about for ever, as an order is whose end Stripe never told.
        await connection.execute("update public.credit_orders set checked_at = now()")
        assert await _run(resources, connection) == {"billing": sum(found.values()), "certificates": 2}
        assert (await _counts(connection), await _requests(connection)) == (dict.fromkeys(found, 0), 0)
        assert await _run(resources, connection) == nothing
        # Nothing of somebody else went, and nothing disagrees.
        assert strangers == await connection.fetchval("select count(*) from public.credit_ledger")
        assert await connection.fetch("select private.drifted_wallets()") == []
        assert set(await ledger.broken(connection)) <= broken
        await connection.execute(
            "select private.measure_credits(), private.measure_payments(), private.measure_analytics()"
        )
        # The seat stays taken and says no more by whom; entries are not numbered again.
        seat = await connection.fetchrow("select * from private.early_bird_seats where seat = 1")
        assert seat is not None
        assert (seat["user_id"], seat["mailbox"], seat["taken_at"] is None) == (None, None, False)
        newcomer = await accounts.create(connection, email="bruno@posta.it")
        taken = await connection.fetch("select seat, user_id from private.early_bird_seats where taken_at is not null")
        assert [tuple(row) for row in taken] == [(1, None), (2, newcomer)]
        assert await connection.fetchval("select public.early_bird_seats()") == 2
        assert await connection.fetchval("select min(id) from public.credit_ledger where user_id = $1", newcomer) > (
            newest_entry
        )


async def test_accounts_go_one_batch_after_the_other_and_the_others_stay(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 1)
    async with connected(resources.settings.database_url) as connection:
        people = [await accounts.create(connection) for _ in range(3)]
        await _move_clock(connection, "11 years")
        # Deleted by an admin, so without a certificate.
        await connection.execute("delete from auth.users where id = any ($1)", people[:2])
        # Wallet, lot and entry of the welcome credits.
        assert await _run(resources, connection) == {"billing": 2 * 3, "certificates": 0}
        left = await connection.fetch("select user_id from public.credit_wallets")
    assert [row["user_id"] for row in left] == people[2:]


async def test_an_account_that_exists_keeps_all(resources: Resources) -> None:
    async with connected(resources.settings.database_url) as connection:
        await _whole_accounting(resources, connection)
        # A request that was taken back, and an account that did not go.
        await connection.execute("update public.deletion_requests set cancelled_at = now()")
        found = await _counts(connection)
        await _move_clock(connection, "30 years")
        assert await _run(resources, connection) == {"billing": 0, "certificates": 0}
        assert (await _counts(connection), await _requests(connection)) == (found, 1)


async def test_each_entry_of_the_last_ten_years_keeps_the_whole(resources: Resources) -> None:
    async with connected(resources.settings.database_url) as connection:
        await _whole_accounting(resources, connection)
        await _erase_owner(connection)
        found = await _counts(connection)
        await _move_clock(connection, "10 years 1 day")
        # A hold ends within a day, which a constraint says.
        apart = {("public.credit_holds", "expires_at")}
        moments = [moment for moment in await _moments(connection) if moment[0] != CERTIFICATES and moment not in apart]
        assert {f"{table}.{column}" for table, column in moments} >= NO_ENTRIES
        gone = {}
        for table, column in moments:
            async with accounts.rolled_back(connection):
                await connection.execute("set local session_replication_role = replica")
                mine = f"where user_id = '{OWNER}'" if table in OF_ACCOUNTS else ""
                await connection.execute(
                    f"update {table} set {column} = now() - interval '9 years'"
                    f" where ctid = (select max(ctid) from {table} {mine})"
                )
                await connection.execute("set local session_replication_role = origin")
                gone[f"{table}.{column}"] = await connection.fetchval("select private.forget_accounting(100)")
                certificates = await connection.fetchval("select private.forget_certificates(100)")
                assert (certificates > 0) == (gone[f"{table}.{column}"] > 0)
        assert {moment: rows for moment, rows in gone.items() if rows} == dict.fromkeys(NO_ENTRIES, sum(found.values()))


async def test_a_certificate_stays_until_ten_years_after_the_erasure(resources: Resources) -> None:
    async with connected(resources.settings.database_url) as connection:
        await _whole_accounting(resources, connection)
        await _erase_owner(connection)
        await _move_clock(connection, "10 years 1 day")
        await connection.execute(
            "update public.deletion_requests set erased_at = now() - interval '10 years' + interval '1 day'"
            " where erased_at is not null"
        )
        # With it stays what was taken back before.
        assert (await _run(resources, connection))["certificates"] == 0
        assert (await _counts(connection))["public.credit_wallets"] == 0
        await _move_clock(connection, "2 days")
        assert (await _run(resources, connection))["certificates"] == 2


async def test_a_run_that_fails_leaves_no_half_accounting(resources: Resources) -> None:
    async with connected(resources.settings.database_url) as connection:
        await _whole_accounting(resources, connection)
        await _erase_owner(connection)
        found = await _counts(connection)
        await _move_clock(connection, "11 years")
        await connection.execute(
            """
            create function public.fail() returns trigger language plpgsql as
              $$ begin raise exception 'on purpose'; end $$;
            create trigger fail before delete on public.credit_wallets for each row execute function public.fail();
            """
        )
        context = Context("retention", {"role": "service_role"}, "", resources)
        with pytest.raises(ExceptionGroup, match="not every retention rule"):
            await retention.handler({"rules": ["billing", "certificates"]}, context)
        assert (await _counts(connection), await _requests(connection)) == (found, 2)
        await connection.execute("drop trigger fail on public.credit_wallets")
        assert await _run(resources, connection) == {"billing": sum(found.values()), "certificates": 2}


@pytest.mark.parametrize(
    ("is_gone", "age", "change"),
    [
        (False, "10 years 1 day", "delete from public.credit_ledger where user_id = '{}'"),
        (True, "9 years 364 days", "delete from public.credit_ledger where user_id = '{}'"),
        (True, "10 years 1 day", "delete from public.credit_ledger"),
        (True, "10 years 1 day", "truncate public.credit_ledger"),
        (True, "10 years 1 day", "update public.credit_ledger set amount = amount where user_id = '{}'"),
    ],
)
async def test_the_owner_of_the_database_deletes_no_entry_that_must_be_kept(
    resources: Resources, is_gone: bool, age: str, change: str
) -> None:
    async with connected(resources.settings.database_url) as connection:
        anna, bruno = [await accounts.create(connection) for _ in range(2)]
        await _move_clock(connection, age)
        if is_gone:
            await connection.execute("delete from auth.users where id = $1", anna)
        with pytest.raises(asyncpg.RestrictViolationError, match="append-only"):
            await connection.execute(change.format(anna))
        left = await connection.fetch("select user_id from public.credit_ledger order by id")
        assert [row["user_id"] for row in left] == [anna, bruno]


async def test_what_hangs_on_an_accounting_is_known(resources: Resources) -> None:
    """Fail when a new table references the accounting and its end does not delete it."""
    async with connected(resources.settings.database_url) as connection:
        rows = await connection.fetch(
            """
            with recursive hanging as (
              select unnest(array['public.credit_wallets', 'public.credit_orders']::regclass[]) as name
              union
              select conrelid::regclass from pg_constraint join hanging on confrelid = name where contype = 'f'
            )
            select nspname || '.' || relname as name from hanging
            join pg_class on pg_class.oid = hanging.name join pg_namespace on pg_namespace.oid = relnamespace
            """
        )
    assert {row["name"] for row in rows} == {*OF_ACCOUNTS, *OF_ORDERS}
