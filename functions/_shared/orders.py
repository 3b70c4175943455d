"""Orders as functions and jobs see them: the transitions of the database."""

import json
import math
from typing import Any, TypeAlias

import asyncpg
import stripe

from backend.edge import api
from functions._shared import stripe_client

# A row as it came from the database.
Row: TypeAlias = dict[str, Any]
CANNOT_PAY = "Si è verificato un problema con il pagamento. Riprova o contatta il supporto."


async def ask_session(context: api.Context, session_id: str) -> dict[str, Any]:
    """A checkout session as Stripe knows it. Raises stripe.StripeError."""
    return stripe_client.plain(await stripe_client.connect(context).v1.checkout.sessions.retrieve_async(session_id))


async def apply_session(context: api.Context, session: dict[str, Any]) -> None:
    """What we learned ourselves about a session: its order is fulfilled when it is paid."""
    outcome = await context.call("private.apply_session", storable(session))
    if outcome == "held_back":
        order_id = (session.get("metadata") or {}).get("order_id")
        context.log.warning("a payment is held back", extra={"order": order_id, "session": session["id"]})


async def record_event(context: api.Context, event: dict[str, Any], text: str) -> str:
    """Store and handle an event in one transaction; return what became of it, once committed.

    `text` is the JSON that came. Where the database cannot hold a value of it, store the rest.
    """
    try:
        outcome: str = await context.call("private.record_payment_event", event["id"], event["type"], api.Json(text))
    except asyncpg.DataError as error:
        context.log.warning("a payment event was cleaned", extra={"cause": str(error), "event": event["id"]})
        cleaned = storable(event)
        outcome = await context.call(
            "private.record_payment_event", cleaned["id"], cleaned["type"], api.Json(json.dumps(cleaned))
        )
    return outcome


def storable(value: Any) -> Any:
    """JSON as jsonb can hold it: without NUL, halves of a character, and numbers that are none."""
    match value:
        case str():
            return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {storable(name): storable(each) for name, each in value.items()}
        case list():
            return [storable(each) for each in value]
    return value


def euro(cents: int) -> str:
    """`1.234,50 €`."""
    whole, rest = divmod(cents, 100)
    return f"{whole:,}".replace(",", ".") + f",{rest:02} €"


def refused(error: stripe.StripeError, context: api.Context) -> api.Refused:
    """What a buyer is told when Stripe does not do its part; the cause goes to the log only."""
    context.log.warning("stripe refused", extra={"cause": str(error), "request": error.request_id})
    return api.Refused(502, "payment_unavailable", CANNOT_PAY, cause=error)
