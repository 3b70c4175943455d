"""The seeds: demo accounts that work, and a second run that changes nothing."""

from __future__ import annotations

import pytest

from scripts.paths import ROOT
from tests.db import access, accounts, ledger
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

SEEDS = sorted((ROOT / "db" / "seed").glob("*.sql"))
LOGINS = {"demo@socio.example": "Socio-demo-1", "admin@socio.example": "Socio-admin-1"}


async def _seed(connection: Connection) -> None:
    for path in SEEDS:
        async with connection.transaction():
            await connection.execute(path.read_text())


async def _contents(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    tables = [
        "auth.users",
        "auth.identities",
        *(f"public.{name}" for name in sorted({c.table for c in access.cells()})),
    ]
    rows = {table: await connection.fetch(f"select * from {table} as t order by t::text") for table in tables}
    return {table: [tuple(row) for row in found] for table, found in rows.items()}


async def test_demo_accounts_can_sign_in(connection: Connection) -> None:
    await _seed(connection)
    for email, password in LOGINS.items():
        user = await connection.fetchrow(
            """
            select users.*, encrypted_password = extensions.crypt($2, encrypted_password) as password_matches,
              identities.provider, identities.provider_id
            from auth.users join auth.identities on identities.user_id = users.id where users.email = $1
            """,
            email,
            password,
        )
        assert user is not None
        assert user["password_matches"]
        assert user["email_confirmed_at"] is not None
        assert (user["provider"], user["provider_id"]) == ("email", str(user["id"]))


async def test_only_the_demo_admin_is_admin(connection: Connection) -> None:
    await _seed(connection)
    admins = (
        "select email from public.user_roles join auth.users on users.id = user_id where email like '%@socio.example'"
    )
    assert [row["email"] for row in await connection.fetch(admins)] == ["admin@socio.example"]


async def test_seeding_again_changes_nothing_and_keeps_what_users_did(connection: Connection) -> None:
    await _seed(connection)
    await connection.execute("update public.profiles set full_name = 'Giulia F.' where full_name = 'Giulia Ferri'")
    await connection.execute("delete from public.notifications where type = 'error'")
    before = await _contents(connection)
    await _seed(connection)
    assert await _contents(connection) == before


async def test_seeded_wallets_keep_every_invariant(connection: Connection) -> None:
    await _seed(connection)
    assert await ledger.broken(connection) == {}


async def test_demo_accounts_leave_every_early_bird_seat_free(connection: Connection) -> None:
    await _seed(connection)
    assert await connection.fetchval("select public.early_bird_seats()") == 0


async def test_accounts_older_than_the_sign_up_trigger_are_opened(connection: Connection) -> None:
    await connection.execute("alter table auth.users disable trigger welcome_user")
    confirmed = await accounts.create(connection, metadata={"full_name": "Ada"})
    unconfirmed = await accounts.create(connection, confirmed=False)
    await connection.execute("alter table auth.users enable trigger welcome_user")
    await _seed(connection)
    balance = "select balance from public.credit_wallets where user_id = $1"
    assert await connection.fetchval(balance, confirmed) == 100
    assert await connection.fetchval(balance, unconfirmed) == 0
    assert await connection.fetchval("select full_name from public.profiles where user_id = $1", confirmed) == "Ada"
