"""Pays back what a withdrawal owes, once: Stripe is asked under the refund's own id.

It forgets such a key after a day, so a later attempt first looks whether the refund is there already.
"""

from typing import Any

import stripe

from backend.edge import api
from functions._shared import stripe_client

TIMEOUT_S = 60
PAGE = 100


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Asks Stripe for what was not sent yet. Raises Away while it cannot be reached, PermanentError when it says no."""
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
    if refund["state"] == "sent":
        return
    refunds = stripe_client.connect(context).v1.refunds
    try:
        made = await found(refunds, refund["payment_intent"], refund_id) or await refunds.create_async(
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
    # A bank may say no at once; one that says it later is told by an event.
    await context.call("private.note_refund", stripe_client.plain(made))


async def found(refunds: stripe.RefundService, payment_intent: str, refund_id: str) -> stripe.Refund | None:
    """What an earlier attempt was given. Raises stripe.StripeError."""
    listed = await refunds.list_async({"payment_intent": payment_intent, "limit": PAGE})
    async for made in listed.auto_paging_iter():
        if (stripe_client.plain(made)["metadata"] or {}).get("refund_id") == refund_id:
            return made
    return None


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """Nobody paid: an alert calls a person, who sees it among the payments."""
    await context.call("private.settle_order_refund", payload["refund_id"], None)
