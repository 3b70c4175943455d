"""An installation that had users and credits before the ledger could hold, refund, count seats and end disputes."""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from backend.core import migrate
from scripts import postgres
from scripts.paths import ROOT
from tests.db import accounts, ledger
from tests.db.accounts import Connection
from tests.db.test_early_bird import TAKEN, person
from tests.functions.checkout import crash

pytestmark = pytest.mark.anyio

MIGRATIONS = ROOT / "db" / "migrations"
FIRST_OF_THE_LEDGER, FACTS_OF_DISPUTES = "20261121115900", "20261127100000"


@pytest.fixture
async def before(
    request: pytest.FixtureRequest, cluster: postgres.Cluster, tmp_path: Path
) -> AsyncIterator[Connection]:
    """A database with the migrations up to the one that the test names."""
    for path in MIGRATIONS.glob("*.sql"):
        if path.name < request.param:
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


@pytest.mark.parametrize("before", [FIRST_OF_THE_LEDGER], indirect=True)
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


async def tell(connection: Connection, second: int, event: dict[str, Any]) -> None:
    """An event of Stripe, made in this second of the epoch."""
    outcome = await connection.fetchval(
        "select private.record_payment_event($1, $2, $3)",
        event["id"],
        event["type"],
        json.dumps(event | {"created": second}),
    )
    assert outcome in ("fulfilled", "noted"), outcome


def dispute(number: int, step: str, status: str, which: str = "") -> dict[str, Any]:
    """What is told of a dispute of a payment."""
    about = {"id": f"du_{number}{which}", "payment_intent": f"pi_{number}", "status": status}
    return {"id": f"evt_{step}_{status}_{number}{which}", "type": f"charge.dispute.{step}", "data": {"object": about}}


@pytest.mark.parametrize("before", [FACTS_OF_DISPUTES], indirect=True)
async def test_disputes_go_on_and_one_that_was_won_gives_its_credits_back_once(before: Connection) -> None:
    won, still_open = (await crash.payments(before))[:2]
    for number, paid in ((1, won), (2, still_open)):
        await tell(before, 1, paid)
        await tell(before, 2, dispute(number, "created", "needs_response"))
    await tell(before, 3, dispute(1, "closed", "won"))
    await migrate.product(before, MIGRATIONS)
    assert await ledger.broken(before) == {}
    soon = int(time.time()) + 60
    await tell(before, soon, dispute(1, "funds_reinstated", "won"))
    await tell(before, soon, dispute(2, "closed", "won"))
    balances = "select balance from public.credit_wallets where user_id = any ($1::uuid[])"
    buyers = [event["data"]["object"]["metadata"]["user_id"] for event in (won, still_open)]
    assert [row["balance"] for row in await before.fetch(balances, buyers)] == [550, 550]
    assert await ledger.broken(before) == {}


@pytest.mark.parametrize("before", [FACTS_OF_DISPUTES], indirect=True)
async def test_what_the_last_dispute_had_hidden_counts_again_and_old_news_move_nothing(before: Connection) -> None:
    disputed_again, partly_refunded, lost_after_all = (await crash.payments(before))[:3]
    for number, paid in ((1, disputed_again), (2, partly_refunded), (3, lost_after_all)):
        await tell(before, 1, paid)
        if number == 2:
            charge = {"payment_intent": "pi_2", "amount_refunded": 1000}
            await tell(before, 2, {"id": "evt_refund", "type": "charge.refunded", "data": {"object": charge}})
        await tell(before, 3, dispute(number, "created", "needs_response"))
        await tell(before, 4, dispute(number, "closed", "won"))
    await tell(before, 5, dispute(1, "created", "needs_response", "_second"))
    await tell(before, 5, dispute(3, "closed", "lost"))
    await migrate.product(before, MIGRATIONS)
    assert await ledger.broken(before) == {}
    # What Stripe gives on request of the last weeks.
    await tell(before, 3, dispute(2, "funds_withdrawn", "needs_response"))
    await tell(before, 4, dispute(2, "funds_reinstated", "won"))
    orders = """
    select state::text, balance from public.credit_orders join public.credit_wallets using (user_id)
    where payment_intent = any ('{pi_1,pi_2,pi_3}') order by payment_intent
    """
    # 1000 of 3999 cents are 125 of 500 credits and 12 of 50.
    assert [tuple(row.values()) for row in await before.fetch(orders)] == [
        ("disputed", 0),
        ("fulfilled", 550 - 125 - 12),
        ("disputed", 0),
    ]
    assert await before.fetchval("select count(*) from public.payment_alerts where told_at is null") == 6
    assert await ledger.broken(before) == {}
