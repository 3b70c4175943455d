"""The ledger against its model, and the proof that the machine would notice a ledger that is wrong.

SOCIO_LEDGER_STEPS sets the number of steps (`make test` takes 400, `make test-long` takes 4,000 more),
SOCIO_LEDGER_SEED repeats a run.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass

import anyio.to_thread
import asyncpg
import hypothesis
import pytest
from hypothesis import HealthCheck, Phase
from hypothesis.stateful import run_state_machine_as_test

from tests.db.ledger_machine import LedgerMachine

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]

STEPS = int(os.environ.get("SOCIO_LEDGER_STEPS", "400"))
DEEP_STEPS = 4_000
SEED = int(os.environ.get("SOCIO_LEDGER_SEED", random.SystemRandom().randrange(2**32)))
STEPS_EACH = 40
# The same at each run, so that no mutant escapes by bad luck; the ledger itself meets a new seed each time.
MUTANT_SEEDS, MUTANT_STEPS = range(20), 1000


def run(database_url: str, steps: int, seed: int, *, shrink: bool) -> None:
    """Runs the machine; raises what it found."""
    machine = hypothesis.seed(seed)(type("Ledger", (LedgerMachine,), {"database_url": database_url}))
    settings = hypothesis.settings(
        max_examples=max(1, steps // STEPS_EACH),
        stateful_step_count=STEPS_EACH,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        phases=[Phase.generate, *[Phase.shrink] * shrink],
        suppress_health_check=list(HealthCheck),
    )
    print(f"SOCIO_LEDGER_SEED={seed} SOCIO_LEDGER_STEPS={steps}")
    run_state_machine_as_test(machine, settings=settings)


@pytest.mark.parametrize("steps", [STEPS, pytest.param(DEEP_STEPS, marks=pytest.mark.long)])
async def test_ledger_agrees_with_its_model(database: str, steps: int) -> None:
    await anyio.to_thread.run_sync(lambda: run(database, steps, SEED, shrink=True))


@dataclass(frozen=True)
class Mutant:
    """A ledger that is wrong: `old` in the source of a function becomes `new`; `schema` first clears its way.

    `seed` is tried first: one that is known to find it soon.
    """

    function: str
    old: str
    new: str
    schema: str = ""
    seed: int = 0


MUTANTS = {
    "a retry holds again": Mutant(
        "hold_credits",
        "if found then",
        "if false then",
        "alter table public.credit_holds drop constraint credit_holds_user_id_idempotency_key_key",
    ),
    "a retry grants again": Mutant(
        "grant_credits",
        "if found then",
        "if false then",
        "alter table public.credit_ledger drop constraint credit_ledger_user_id_idempotency_key_part_key;"
        "alter table public.credit_lots drop constraint an_order_gives_each_kind_once",
    ),
    "a retry refunds again": Mutant(
        "refund_order",
        "if _taken is not null then",
        "if false then",
        "alter table public.credit_ledger drop constraint credit_ledger_user_id_idempotency_key_part_key",
        seed=2,
    ),
    "a settled hold is settled again": Mutant("settle_hold", "_hold.state = 'settled' or exists", "exists", seed=1),
    "a swept hold is settled": Mutant("settle_hold", "in ('released', 'swept')", "in ('released')"),
    "a settled hold is released": Mutant("release_hold", "_hold.state <> 'open'", "_hold.state = 'released'"),
    "the rest of a hold is kept": Mutant("close_hold", "+ hold_lots.amount - hold_lots.captured", ""),
    "what was not used is charged": Mutant(
        "settle_hold", "_hold, 'settled', _used", "_hold, 'settled', _hold.amount", seed=1
    ),
    "more is used than was held": Mutant("settle_hold", "between 0 and _hold.amount", "between 0 and 100"),
    "paid credits go before free ones": Mutant("draw", "paid_cents > 0", "paid_cents = 0"),
    "late expiry goes first": Mutant("draw", "order by expires_at", "order by expires_at desc"),
    "what was bought is burnt": Mutant("expire_wallet", "_lot.order_id is null and _lot.kind <> 'acquisto'", "true"),
    "expired credits are spent": Mutant("hold_credits", "private.expire_wallet(_user_id) > 0", "false"),
    "a refund does not wait for holds": Mutant("refund_order", "and held > 0", "and held < 0", seed=1),
    "a refund takes all": Mutant("reclaim", "when _all or", "when true or", seed=1),
    "what was taken never comes back": Mutant(
        "reclaim", "least(owed, remaining)", "least(greatest(owed, 0), remaining)"
    ),
    "a hold forgets the wallet": Mutant(
        "hold_credits", "balance = balance - _max, held = held + _max", "held = held", seed=1
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", MUTANTS)
async def test_machine_finds_that(name: str, database: str) -> None:
    mutant = MUTANTS[name]
    connection = await asyncpg.connect(database)
    source = await connection.fetchval(
        "select pg_get_functiondef(oid) from pg_proc where pronamespace = 'private'::regnamespace and proname = $1",
        mutant.function,
    )
    assert mutant.old in source
    await connection.execute(f"{mutant.schema};{source.replace(mutant.old, mutant.new)}")
    await connection.close()
    with pytest.raises((AssertionError, asyncpg.PostgresError)):
        await anyio.to_thread.run_sync(run_until_found, database, mutant.seed)


def run_until_found(database_url: str, first_seed: int) -> None:
    """Without shrinking: a shorter proof of a mutant would interest nobody."""
    for seed in (first_seed, *MUTANT_SEEDS):
        run(database_url, MUTANT_STEPS, seed, shrink=False)
