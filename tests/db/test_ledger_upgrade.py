"""An installation that had users and credits before the ledger learned to hold, refund and count seats."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from backend.core import migrate
from scripts import postgres
from scripts.paths import ROOT
from tests.db import accounts, ledger
from tests.db.accounts import Connection
from tests.db.test_early_bird import TAKEN, person

pytestmark = pytest.mark.anyio

MIGRATIONS = ROOT / "db" / "migrations"
FIRST_OF_THE_LEDGER = "20261121115900"


@pytest.fixture
async def before(cluster: postgres.Cluster, tmp_path: Path) -> AsyncIterator[Connection]:
    """A database with the migrations up to the ledger."""
    for path in MIGRATIONS.glob("*.sql"):
        if path.name < FIRST_OF_THE_LEDGER:
            shutil.copy(path, tmp_path)
    name = f"upgrade_{secrets.token_hex(4)}"
    owner = await asyncpg.connect(cluster.url)
    await owner.execute(f"create database {name}")
    connection = await asyncpg.connect(cluster.database_url(name))
    await migrate.platform(connection, None)
    await migrate.product(connection, tmp_path)
    yield connection
    await connection.close()
    await owner.execute(f"drop database {name} with (force)")
    await owner.close()


async def test_wallets_go_on_and_the_first_hundred_confirmed_get_their_seats(before: Connection) -> None:
    early = [await person(before) for _ in range(100)]
    late, unconfirmed = await person(before), await person(before, confirmed=False)
    demo = await accounts.create(before)
    for number, user_id in enumerate((*early, demo, late)):
        moment = "update auth.users set email_confirmed_at = now() - interval '1 day' + $2 * interval '1 minute'"
        await before.execute(f"{moment} where id = $1", user_id, number)
    await migrate.product(before, MIGRATIONS)
    assert await before.fetchval(TAKEN) == 100
    assert {await ledger.wallet(before, user_id) for user_id in early} == {(600, 0)}
    assert [await ledger.wallet(before, user_id) for user_id in (late, demo, unconfirmed)] == [
        (100, 0),
        (100, 0),
        (0, 0),
    ]
    assert await before.fetchval("select count(*) from public.credit_settings") == 103
    held = await ledger.hold(before, late, 10)
    await ledger.settle(before, held["id"], 4)
    assert await ledger.entries(before, late) == [("grant", 100, 100), ("settle", -4, 96)]
    assert await ledger.broken(before) == {}
