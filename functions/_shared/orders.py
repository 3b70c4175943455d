"""Orders as functions and jobs see them: the transitions of the database, and the letters that follow."""

import json
from typing import Any, TypeAlias

import stripe

from backend.edge import api
from functions._shared import letters, stripe_client

# A row as it came from the database.
Row: TypeAlias = dict[str, Any]
WITHDRAWAL = (
    "Se cambi idea entro 30 giorni ti restituiamo il prezzo dei crediti non usati: trovi «Recedere dal contratto qui» "
    "accanto all’ordine, in Impostazioni → Crediti."
)
CANNOT_PAY = "Si è verificato un problema con il pagamento. Riprova o contatta il supporto."


def caller(context: api.Context) -> str:
    """Who asks. Raises Refused 401 for a visitor."""
    if context.user_id is None or context.claims.get("role") != "authenticated":
        raise api.Refused(401, "no_authorization", "Accedi al tuo account per continuare")
    return context.user_id


def only_post(request: api.Request) -> None:
    """Raises Refused 405."""
    if request.method != "POST":
        raise api.Refused(405, "method_not_allowed", "Serve una richiesta POST", headers={"Allow": "POST"})


async def ask_session(context: api.Context, session_id: str) -> dict[str, Any]:
    """A checkout session as Stripe knows it. Raises stripe.StripeError."""
    found = await stripe_client.connect(context).v1.checkout.sessions.retrieve_async(session_id)
    session: dict[str, Any] = json.loads(str(found))
    return session


async def apply_session(context: api.Context, session: dict[str, Any]) -> None:
    """What we learned ourselves about a session: its order is fulfilled when it is paid."""
    async with context.as_service() as connection:
        outcome = await connection.fetchval("select private.apply_session($1)", session)
        if outcome == "fulfilled":
            await send_receipt(connection, context, session["metadata"]["order_id"])


async def record_event(context: api.Context, event: dict[str, Any], text: str) -> str:
    """Stores and handles an event, `text` being the JSON that came, with its mails in the same transaction."""
    async with context.as_service() as connection:
        outcome: str = await connection.fetchval(
            "select private.record_payment_event($1, $2, $3::text::jsonb)", event["id"], event["type"], text
        )
        if outcome == "fulfilled":
            await send_receipt(connection, context, event["data"]["object"]["metadata"]["order_id"])
    return outcome


async def send_receipt(connection: api.Connection, context: api.Context, order_id: str) -> None:
    """The contract on a durable medium: what was bought, for how much, and how to withdraw."""
    order = await connection.fetchrow("select * from public.credit_orders where id = $1", order_id)
    assert order is not None
    if order["email"] is None:
        return
    bonus = f", di cui {order['bonus']} in omaggio" if order["bonus"] else ""
    letter = letters.Letter(
        title="I tuoi crediti sono arrivati",
        paragraphs=(
            f"Abbiamo accreditato {order['credits'] + order['bonus']} crediti{bonus}.",
            f"Hai pagato {euro(order['amount_cents'])}, IVA inclusa. Ordine {order_id}.",
            WITHDRAWAL,
        ),
        small="Conserva questa e-mail: è la conferma del tuo acquisto.",
        button="Vedi i tuoi crediti",
        link=f"{context.site_url}/settings/credits",
    )
    await api.send_mail(connection, letters.message(order["email"], letter, "order_receipt"))


def euro(cents: int) -> str:
    """`1.234,50 €`."""
    whole, rest = divmod(cents, 100)
    return f"{whole:,}".replace(",", ".") + f",{rest:02} €"


def refused(error: stripe.StripeError, context: api.Context) -> api.Refused:
    """What a buyer is told when Stripe does not do its part; the cause goes to the log only."""
    context.log.warning("stripe refused", extra={"cause": str(error), "request": error.request_id})
    return api.Refused(502, "payment_unavailable", CANNOT_PAY, cause=error)
