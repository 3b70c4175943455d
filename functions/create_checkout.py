"""`/functions/v1/create_checkout`: opens an order and answers the page where it is paid (STORE-06).

    POST {packType, userId, billing?, withdrawalWaiver?}   200 {url}

Price and credits come from the catalogue by the pack's id. `userId` must be the caller: it decides nothing. A second
click finds the order of the first, and Stripe makes one page for each order, because the order's id is the key under
which it is asked. `withdrawalWaiver: true` says that the buyer wants the credits at once and knows that used ones
cannot be given back; without it a consumer who withdraws in fourteen days gets the whole price (STORE-13), so each
has one such order. While a direct debit is on its way its pack is not sold again. What is bought has one page: the
older one of the same pack is closed.
"""

from typing import Any

import asyncpg
import stripe
from stripe import checkout

from backend.edge import api
from functions._shared import billing, orders, requests, stripe_client

TIMEOUT_S = 60
# What the database refuses, by its own codes (db/README.md).
REFUSALS = {
    # From an order of the caller's the whole price comes back already, whatever was used.
    "SC014": (
        400,
        "waiver_needed",
        "Per comprare ancora, conferma che vuoi usare i crediti subito: per quelli usati il recesso non vale più",
    ),
    "SC016": (403, "user_not_found", "Questo account non esiste più"),
    "SC017": (
        409,
        "payment_under_way",
        "Il pagamento di questo pacchetto è già in corso: i crediti arrivano appena la banca lo conferma",
    ),
}
ALREADY_PAID = (
    409,
    "payment_under_way",
    "Hai già pagato questo pacchetto: i crediti sono arrivati adesso. Se ne vuoi un altro, premi di nuovo",
)


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers `{"url"}`. Refuses with 401, 403, 405, 409 payment_under_way, 502 payment_unavailable and 400
    unknown_pack, waiver_needed or invalid_…
    """
    requests.only(request, "POST")
    user_id = requests.caller(context)
    body = await api.json_object(request)
    if body.get("userId") != user_id:
        raise api.Refused(403, "forbidden", "Puoi comprare crediti solo per il tuo account")
    pack_id = body.get("packType")
    if not isinstance(pack_id, str):
        raise unknown_pack()
    buyer = billing.checked(body.get("billing"))
    order = await opened(context, user_id, pack_id, buyer, waives=body.get("withdrawalWaiver") is True)
    return api.JSONResponse({"url": order["checkout_url"] or await checkout_page(context, order)})


def unknown_pack() -> api.Refused:
    """400: the catalogue in force does not have it."""
    return api.Refused(400, "unknown_pack", "Questo pacchetto non esiste")


async def opened(
    context: api.Context, user_id: str, pack_id: str, buyer: dict[str, str] | None, *, waives: bool
) -> dict[str, Any]:
    """The order, new or of the click before. Raises Refused 400, 403, 409."""
    try:
        async with context.as_service() as connection:
            row = await connection.fetchrow(
                """
                select orders.*, packs.name as pack_name
                from private.open_order($1, $2, $3, $4, $5, $6) as orders
                left join public.packs on packs.version = orders.catalog_version and packs.id = orders.pack_id
                """,
                user_id,
                context.claims.get("email") or None,
                pack_id,
                billing.is_consumer(buyer),
                buyer,
                waives,
            )
    except asyncpg.PostgresError as error:
        if error.sqlstate not in REFUSALS:
            raise
        raise api.Refused(*REFUSALS[error.sqlstate], cause=error) from error
    if row is None or row["id"] is None:
        raise unknown_pack()
    return dict(row)


async def checkout_page(context: api.Context, order: dict[str, Any]) -> str:
    """The address of the order's page at Stripe. Raises Refused 502."""
    sessions = stripe_client.connect(context).v1.checkout.sessions
    try:
        session = await sessions.create_async(
            session_of(order, context.site_url), {"idempotency_key": str(order["id"])}
        )
    except stripe.StripeError as error:
        if (error.http_status or 0) >= 500:
            # Stripe gives the same answer to this order's key from now on: the next click needs another order.
            await context.call("private.give_up_order", order["id"])
        raise orders.refused(error, context) from error
    assert session.url is not None
    await context.call("private.note_session", order["id"], session.id, session.url)
    await close_older(context, sessions, order)
    return session.url


async def close_older(context: api.Context, sessions: checkout.SessionService, order: dict[str, Any]) -> None:
    """Ends the unpaid pages of the same pack, whose invoice was another; what Stripe does not answer stays open.

    Raises Refused 409 when one of them was used already and nobody has told us yet: the money would be taken twice.
    """
    async with context.as_service() as connection:
        older = await connection.fetch(
            """
            select provider_session from public.credit_orders
            where user_id = $1 and pack_id = $2 and created_at < $3 and state = 'pending'
              and provider_session is not null
            """,
            order["user_id"],
            order["pack_id"],
            order["created_at"],
        )
    for each in older:
        session = await closed(context, sessions, each["provider_session"])
        if session is None:
            continue
        await orders.apply_session(context, session)
        if session["status"] == "complete":
            raise api.Refused(*(ALREADY_PAID if session["payment_status"] == "paid" else REFUSALS["SC017"]))


async def closed(context: api.Context, sessions: checkout.SessionService, session_id: str) -> dict[str, Any] | None:
    """A page after its end, or what it ended as before; None where Stripe does not say."""
    try:
        try:
            # Not tried again: a buyer waits.
            return stripe_client.plain(await sessions.expire_async(session_id, options={"max_network_retries": 0}))
        except stripe.InvalidRequestError:
            return await orders.ask_session(context, session_id)
    except stripe.StripeError as error:
        context.log.warning("an older checkout page stays", extra={"cause": str(error), "session": session_id})
        return None


def session_of(order: dict[str, Any], site_url: str) -> Any:
    """What Stripe is asked for; for one order always the same, as its key demands."""
    ours = {"order_id": str(order["id"]), "user_id": str(order["user_id"]), "pack_id": order["pack_id"]}
    gift = f" + {order['bonus']} in omaggio" if order["bonus"] else ""
    asked: dict[str, Any] = {
        "mode": "payment",
        "locale": "it",
        "client_reference_id": str(order["id"]),
        "metadata": ours,
        # Copied by Stripe to the charge, so that a refund finds its order even before the payment was told.
        "payment_intent_data": {"metadata": ours},
        "line_items": [
            {
                "quantity": 1,
                "price_data": {
                    "currency": order["currency"].lower(),
                    "unit_amount": order["amount_cents"],
                    "product_data": {"name": f"{order['credits']} crediti{gift}"},
                },
            }
        ],
        "expires_at": int(order["expires_at"].timestamp()),
        "success_url": f"{site_url}/store/success?session_id={{CHECKOUT_SESSION_ID}}",
        "cancel_url": f"{site_url}/store?annullato=1",
    }
    return asked | ({"customer_email": order["email"]} if order["email"] else {})
