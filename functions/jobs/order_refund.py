"""Pays back what a withdrawal owes: once, because Stripe is asked under the refund's own id."""

from typing import Any

import stripe

from backend.edge import api
from functions._shared import stripe_client

TIMEOUT_S = 60


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Asks Stripe. Raises Away while it cannot be reached, PermanentError when it says no."""
    refund_id = payload["refund_id"]
    async with context.as_service() as connection:
        refund = await connection.fetchrow(
            """
            select order_refunds.*, payment_intent from public.order_refunds
            join public.credit_orders on credit_orders.id = order_id where order_refunds.id = $1
            """,
            refund_id,
        )
    assert refund is not None
    try:
        made = await stripe_client.connect(context).v1.refunds.create_async(
            {
                "payment_intent": refund["payment_intent"],
                "amount": refund["amount_cents"],
                "reason": "requested_by_customer",
                "metadata": {"order_id": str(refund["order_id"]), "refund_id": refund_id},
            },
            {"idempotency_key": refund_id},
        )
    except stripe.StripeError as error:
        stripe_client.refuse_job(error)
    async with context.as_service() as connection:
        # A bank may say no at once; one that says it later is told by an event.
        await connection.execute("select private.note_refund($1)", stripe_client.plain(made))


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Nobody paid: an alert calls a person, who sees it among the payments."""
    async with context.as_service() as connection:
        await connection.execute("select private.settle_order_refund($1, null)", payload["refund_id"])
