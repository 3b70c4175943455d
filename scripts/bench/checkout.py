"""Measure the time from webhook to credits (GOAL-P9): 50 events a second, every fifth a duplicate."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import random
import statistics
import time
from typing import Any

import asyncpg

from backend.core import config
from scripts import services
from scripts.bench import cpu
from scripts.bench.goals import Result
from scripts.bench.stage import Stage

RATE, SECONDS = 50, 20
EVENTS = RATE * SECONDS
# A fifth of what is sent has been sent before.
DUPLICATES = EVENTS // 5
# Connections are made and code is warm before it counts.
WARM_UP = 50
MOST_MS = 100
ROUNDS = 3
CREDITS = 550

# Buyers without an account; their receipts go into the outbox in the same transaction as their credits.
ORDERS = """
with buyers as (
  insert into public.credit_wallets (user_id) select gen_random_uuid() from generate_series(1, $1) returning user_id
)
insert into public.credit_orders
  (user_id, email, pack_id, catalog_version, amount_cents, currency, credits, bonus, expires_at, provider_session)
  select user_id, 'bench@socio.example', 'pro', 1, 3999, 'EUR', 500, 50, now() + interval '1 hour', 'cs_' || user_id
  from buyers
returning id::text, user_id::text, provider_session
"""


async def webhooks(stage: Stage, database_url: str) -> list[Result]:
    """Measure GOAL-P9. Raise when a wallet has other credits than it bought."""
    secret = services.fake_payments(config.load())["STRIPE_WEBHOOK_SECRETS"]
    connection = await asyncpg.connect(database_url)
    slowest, spent_us = [], []
    for _ in range(ROUNDS):
        orders = await connection.fetch(ORDERS, EVENTS - DUPLICATES)
        before_s = _spent_s()
        taken_ms = await _send(stage, _requests(orders, secret))
        spent_us.append((_spent_s() - before_s) / EVENTS * 1e6)
        slowest.append(statistics.quantiles(taken_ms, n=100)[98])
        await _check(connection, [order["user_id"] for order in orders])
    await connection.close()
    p99_ms = statistics.median(slowest)
    details = f"{p99_ms:.1f} ms at {RATE}/s, {statistics.median(spent_us):.0f} us CPU each"
    return [Result("P9", f"webhook to credits, p99, to {MOST_MS} ms", p99_ms / MOST_MS, 1, details)]


def _spent_s() -> float:
    """CPU of the gateway and of Postgres; the pool opens connections while it is asked, so they are looked for anew."""
    return cpu.spent_s(cpu.matching("backend serve", "postgres"))


def _requests(orders: list[asyncpg.Record], secret: str) -> list[tuple[str, str]]:
    """Body and signature of each event, the duplicates a little after the first."""
    bodies = [json.dumps(_event(dict(order))) for order in orders]
    again = random.sample(range(len(bodies)), DUPLICATES)
    places = [*enumerate(bodies), *((number + random.randint(0, 20), bodies[number]) for number in again)]
    timestamp = int(time.time())
    return [(body, _signature(body, secret, timestamp)) for _, body in sorted(places, key=lambda place: place[0])]


def _event(order: dict[str, Any]) -> dict[str, Any]:
    session = {
        "id": order["provider_session"],
        "object": "checkout.session",
        "amount_total": 3999,
        "client_reference_id": order["id"],
        "currency": "eur",
        "metadata": {"order_id": order["id"], "user_id": order["user_id"], "pack_id": "pro"},
        "payment_intent": f"pi_{order['id']}",
        "payment_status": "paid",
        "status": "complete",
    }
    return {"id": f"evt_{order['id']}", "type": "checkout.session.completed", "data": {"object": session}}


def _signature(body: str, secret: str, timestamp: int) -> str:
    digest = hmac.new(secret.encode(), f"{timestamp}.{body}".encode(), hashlib.sha256)
    return f"t={timestamp},v1={digest.hexdigest()}"


async def _send(stage: Stage, requests: list[tuple[str, str]]) -> list[float]:
    """Send at a steady pace, however long the answers take; return the milliseconds of each, from when it was due."""

    async def send(body: str, signature: str, due_s: float) -> float:
        headers = {"Stripe-Signature": signature, "Content-Type": "application/json"}
        url = f"{stage.url}/functions/v1/stripe_webhook"
        async with stage.client.post(url, data=body, headers=headers) as answer:
            await answer.read()
            answer.raise_for_status()
        # A late sender does not make the server look fast.
        return (time.perf_counter() - due_s) * 1000

    for request in requests[:WARM_UP]:
        await send(*request, time.perf_counter())
    began_s, under_way = time.perf_counter(), []
    for number, request in enumerate(requests[WARM_UP:]):
        due_s = began_s + number / RATE
        await asyncio.sleep(max(0, due_s - time.perf_counter()))
        under_way.append(asyncio.create_task(send(*request, due_s)))
    return await asyncio.gather(*under_way)


async def _check(connection: asyncpg.Connection[asyncpg.Record], user_ids: list[str]) -> None:
    wrong = await connection.fetchval(
        "select count(*) from public.credit_wallets where user_id = any($1::uuid[]) and balance <> $2",
        user_ids,
        CREDITS,
    )
    if wrong:
        raise RuntimeError(f"{wrong} wallets have other credits than were bought")
