"""A harness that kills Postgres in the middle of fulfilments and says what a design did to the money.

Stripe is played as it behaves: each event is sent, some more than once and at the same time, until somebody says 2xx,
and never again after that. A design takes one delivery; returning means 2xx. Kills come at moments that a seed chooses,
counted in answers instead of seconds.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from backend.core import endless
from scripts import postgres
from tests.db import ledger
from tests.scripts.processes import descendants, ends

PATIENCE_S = 90
PAYMENTS, SENDERS = 48, 8
# A commit that does not wait for its log is written seconds later, if nobody kills it before.
OPTIONS = {"fsync": "off", "wal_writer_delay": "10s"}

Deliver = Callable[[dict[str, Any]], Awaitable[None]]


class Server:
    """A Postgres that can be killed; without fsync, for what a process wrote outlives the process."""

    def __init__(self, folder: Path) -> None:
        self.cluster = postgres.Cluster(folder / "data", postgres.free_port(), "secret")
        self.is_up = asyncio.Event()
        self._log = folder / "postgres.log"
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        await asyncio.to_thread(postgres.initialise, self.cluster.data, self.cluster.password)
        postgres.clear_remains(self.cluster.data)
        with self._log.open("ab") as log:
            command = postgres.serve_command(self.cluster, OPTIONS)
            self._process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: ASYNC220 - takes no time
        async with asyncio.timeout(PATIENCE_S):
            while not await asyncio.to_thread(postgres.accepts_connections, self.cluster.port):  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # Postgres tells nobody when it is ready
        self.is_up.set()

    async def kill(self) -> None:
        """SIGKILL to the whole tree: what stood in memory only is gone."""
        assert self._process is not None
        self.is_up.clear()
        tree = [self._process.pid, *descendants(self._process.pid)]
        for pid in tree:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(self._process.wait, PATIENCE_S)
        assert all([await asyncio.to_thread(ends, pid) for pid in tree[1:]])

    async def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            await asyncio.to_thread(self._process.wait, PATIENCE_S)


@dataclass(frozen=True)
class Verdict:
    """How many sessions were paid out twice, how many were acknowledged for nothing, and which invariants broke."""

    paid_twice: int
    acked_not_granted: int
    broken: list[str]

    @property
    def is_good(self) -> bool:
        return self == Verdict(0, 0, [])


def event(number: int, order_id: str, user_id: str) -> dict[str, Any]:
    """A paid session as Stripe tells it."""
    ours = {"order_id": order_id, "user_id": user_id, "pack_id": "pro"}
    session = {
        "id": f"cs_{number}", "object": "checkout.session", "amount_total": 3999, "currency": "eur", "metadata": ours,
        "client_reference_id": order_id, "payment_intent": f"pi_{number}", "payment_status": "paid",
        "status": "complete",
    }  # fmt: skip
    return {
        "id": f"evt_{number}", "object": "event", "type": "checkout.session.completed", "data": {"object": session},
    }  # fmt: skip


async def payments(connection: asyncpg.Connection[asyncpg.Record]) -> list[dict[str, Any]]:
    """Orders that wait, each of a buyer of its own, and the events that their payments made."""
    # Whatever the design under test does, the orders are there before.
    await connection.execute("set synchronous_commit = on")
    rows = await connection.fetch(
        """
        with buyers as (
          insert into public.credit_wallets (user_id) select gen_random_uuid() from generate_series(1, $1)
          returning user_id
        )
        insert into public.credit_orders
          (user_id, email, pack_id, catalog_version, amount_cents, currency, credits, bonus, expires_at,
           provider_session)
          select user_id, 'buyer@example.test', 'pro', 1, 3999, 'EUR', 500, 50, now(), 'cs_' || row_number() over ()
          from buyers
        returning id::text, user_id::text, provider_session
        """,
        PAYMENTS,
    )
    return [event(int(row["provider_session"].removeprefix("cs_")), row["id"], row["user_id"]) for row in rows]


async def run(server: Server, events: list[dict[str, Any]], deliver: Deliver, *, seed: int, kills: int) -> set[str]:
    """Sends every event until it is acknowledged, while the server is killed so often; answers whose were."""
    chance = random.Random(seed)
    sends = [each for each in events for _ in range(chance.randint(1, 3))]
    chance.shuffle(sends)
    waiting, acked, answers = iter(sends), set[str](), asyncio.Condition()
    count = 0

    async def send() -> None:
        nonlocal count
        for each in waiting:
            while True:
                await server.is_up.wait()
                try:
                    await deliver(each)
                except endless.LOST:
                    await asyncio.sleep(0)
                    continue
                async with answers:
                    acked.add(each["id"])
                    count += 1
                    answers.notify_all()
                break

    async def answered(wanted: int) -> None:
        async with answers:
            await answers.wait_for(lambda: count >= min(wanted, len(sends)))

    async def killer() -> None:
        for _ in range(kills):
            await answered(count + chance.randint(2, max(3, len(sends) // (kills + 1))))
            await server.kill()
            await server.start()

    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        tasks.create_task(killer())
        for _ in range(SENDERS):
            tasks.create_task(send())
    return acked


async def judged(connection: asyncpg.Connection[asyncpg.Record], acked: set[str], granted: str) -> Verdict:
    """`granted` is the query that tells for each event id how often its credits were given."""
    times = {row["event_id"]: row["times"] for row in await connection.fetch(granted)}
    return Verdict(
        paid_twice=sum(each > 1 for each in times.values()),
        acked_not_granted=sum(times.get(each, 0) < 1 for each in acked),
        broken=sorted(await ledger.broken(connection)),
    )


async def tell(connection: Any, each: dict[str, Any]) -> str:
    """Record an event on this connection and return what became of it."""
    outcome: str = await connection.fetchval(
        "select private.record_payment_event($1, $2, $3)", each["id"], each["type"], text_of(each)
    )
    return outcome


def text_of(each: dict[str, Any]) -> str:
    """The bytes that came, as text."""
    return json.dumps(each)
