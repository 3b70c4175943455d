"""Ask Stripe for events and payments that never arrived (FAULT-06).

Events that had to wait are handled, the sessions of orders that still wait are asked for, and events that were made
since the last fetch that came to its end are fetched: the same code handles them as if they had been delivered, and one
that does arrive later is known by then. A delivery moves that mark by nothing: after an outage new events come first.
"""

import json
from datetime import datetime, timedelta
from typing import Any

import stripe

from backend.edge import api
from functions._shared import orders, stripe_client

EVERY = timedelta(minutes=5)
TIMEOUT_S = 240
# Clocks differ, and an event may be listed some moments after it was made.
OVERLAP = timedelta(hours=1)
# Stripe keeps them for thirty days.
LONGEST = timedelta(days=29)
TYPES = (
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "charge.refunded",
    "charge.refund.updated",
    "refund.failed",
    "refund.updated",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
    "charge.dispute.closed",
)
PAGE = 100


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Handle waiting events, then fetch sessions and events. Raises Away while Stripe cannot be reached."""
    if not context.has_secret("STRIPE_SECRET_KEY"):
        return
    await retry_waiting(context)
    try:
        await ask_for_orders(context)
        await fetch_events(context)
    except stripe.StripeError as error:
        stripe_client.refuse_job(error)


async def retry_waiting(context: api.Context) -> None:
    """Events that waited for held credits or for their order, or failed."""
    async with context.as_service() as connection:
        for row in await connection.fetch("select * from private.retry_payment_events()"):
            context.log.info("a payment event was tried again", extra={"outcome": row["outcome"], "type": row["type"]})


async def ask_for_orders(context: api.Context) -> None:
    """Ask for the sessions of orders without a recent event. Raises stripe.StripeError."""
    async with context.as_service() as connection:
        waiting = await connection.fetch(
            "select id, provider_session, expires_at < now() as is_late from private.orders_to_check()"
        )
    for order in waiting:
        if order["provider_session"] is not None:
            await ask_for(context, dict(order))
        elif order["is_late"]:
            await context.call("private.give_up_order", order["id"])


async def ask_for(context: api.Context, order: orders.Row) -> None:
    """One order's session. Raises stripe.StripeError, but not for what is wrong with this one alone."""
    try:
        session = await orders.ask_session(context, order["provider_session"])
    except stripe.InvalidRequestError as error:
        # Keys of another account, perhaps, where it was paid: a person looks, and it goes on waiting.
        context.log.warning("stripe does not know a session", extra={"cause": str(error), "order": str(order["id"])})
        await context.call("private.miss_session", order["id"])
    else:
        await orders.apply_session(context, session)


async def fetch_events(context: api.Context) -> None:
    """Events since the last fetch that came to its end, the oldest first. Raises stripe.StripeError."""
    began_at = context.now()
    async with context.as_service() as connection:
        fetched_at: datetime | None = await connection.fetchval("select max(fetched_at) from private.payment_fetches")
    oldest = began_at - LONGEST
    since = max(fetched_at - OVERLAP, oldest) if fetched_at else oldest
    listed = await stripe_client.connect(context).v1.events.list_async(
        {"types": list(TYPES), "created": {"gte": int(since.timestamp())}, "limit": PAGE}
    )
    missed = [str(event) async for event in listed.auto_paging_iter() if not await is_known(context, event.id)]
    for text in reversed(missed):
        outcome = await orders.record_event(context, json.loads(text), text)
        context.log.warning("a payment event had never arrived", extra={"outcome": outcome})
    async with context.as_service() as connection:
        await connection.execute(
            """
            insert into private.payment_fetches (provider, fetched_at) values ('stripe', $1)
            on conflict (provider) do update set fetched_at = excluded.fetched_at
            """,
            began_at,
        )


async def is_known(context: api.Context, event_id: str) -> bool:
    """Whether an event was stored, handled or not."""
    async with context.as_service() as connection:
        known: bool = await connection.fetchval(
            "select exists (select from public.payment_events where id = $1)", event_id
        )
    return known
