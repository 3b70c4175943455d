"""`/functions/v1/stripe_webhook`: what Stripe tells us (https://docs.stripe.com/webhooks).

The signature is that of the bytes as they came, at most five minutes old, by one of the secrets: two while they are
changed. The event is stored and handled in one transaction; 2xx is said after its commit and not before. An event that
must wait is ours from then on (jobs/reconcile_orders.py); one that failed is kept too, and Stripe is told to try again.
"""

import json
from typing import Any

import stripe

from backend.edge import api
from functions._shared import orders, requests

TIMEOUT_S = 20
BODY_LIMIT_BYTES = 512 * 1024
TOLERANCE_S = 300


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers 200 `{"outcome"}` when the event is kept. Refuses with 400 bad_signature, 405, 500."""
    requests.only(request, "POST")
    body = await request.body()
    refuse_forged(body, request.headers.get("stripe-signature"), context)
    outcome = await orders.record_event(context, read(body), body.decode())
    if outcome in ("held_back", "failed"):
        context.log.error("a payment event needs a look", extra={"outcome": outcome})
    if outcome == "failed":
        raise api.Refused(500, "unexpected_failure", "The event is kept and will be tried again")
    return api.JSONResponse({"outcome": outcome})


def read(body: bytes) -> dict[str, Any]:
    """The event. Raises Refused 400 for what no Stripe would sign."""
    try:
        event: dict[str, Any] = json.loads(body)
        if all(isinstance(event[name], str) for name in ("id", "type")) and isinstance(event["data"]["object"], dict):
            return event
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise api.Refused(400, "bad_json", "The body is no event", cause=error) from error
    raise api.Refused(400, "bad_json", "The body is no event")


def refuse_forged(body: bytes, header: str | None, context: api.Context) -> None:
    """Raises Refused 400 unless one of our secrets signed these bytes within the last five minutes."""
    for secret in context.secret("STRIPE_WEBHOOK_SECRETS").split(","):
        try:
            stripe.WebhookSignature.verify_header(body, header, secret.strip(), TOLERANCE_S)
        except (stripe.SignatureVerificationError, UnicodeDecodeError) as error:
            cause = error
        else:
            return
    raise api.Refused(400, "bad_signature", "The signature does not fit", cause=str(cause))
