"""`/functions/v1/checkout_status`: whether a purchase has arrived, for the page a buyer comes back to.

    POST {sessionId}   200 {state, credits}

`state` is that of the order (public.order_state), or submitted: a direct debit was ordered and takes days.

It does not only look: while the order waits it asks Stripe and fulfils the order itself, as Stripe advises, because a
webhook may be late. The page's address proves nothing: only the order's owner is told anything.
"""

from collections.abc import Mapping
from typing import Any

import stripe

from backend.edge import api
from functions._shared import orders, requests


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the order's state and the credits it brings. Refuses with 400, 401, 404 and 405."""
    requests.only(request, "POST")
    user_id = requests.caller(context)
    session_id = (await api.json_object(request)).get("sessionId")
    if not isinstance(session_id, str):
        raise api.Refused(400, "validation_failed", "Manca il pagamento da controllare")
    order = await found(context, user_id, session_id)
    if order["state"] == "pending" and await is_worth_asking(context, order):
        try:
            await orders.apply_session(context, await orders.ask_session(context, session_id))
        except stripe.StripeError as error:
            # The webhook will tell; until then the order simply waits.
            context.log.warning("stripe could not be asked", extra={"cause": str(error)})
        order = await found(context, user_id, session_id)
    state = "submitted" if order["state"] == "pending" and order["submitted_at"] else order["state"]
    return api.JSONResponse({"state": state, "credits": order["credits"] + order["bonus"]})


async def found(context: api.Context, user_id: str, session_id: str) -> Mapping[str, Any]:
    """The caller's order. Raises Refused 404."""
    async with context.as_service() as connection:
        order = await connection.fetchrow(
            "select * from public.credit_orders where provider_session = $1 and user_id = $2", session_id, user_id
        )
    if order is None:
        raise api.Refused(404, "not_found", "Non troviamo questo acquisto nel tuo account")
    return dict(order)


async def is_worth_asking(context: api.Context, order: Mapping[str, Any]) -> bool:
    """At most every other second, however often the page asks."""
    worth: bool = await context.call("private.claim_check", order["id"])
    return worth
