"""`/functions/v1/withdraw_order`: the withdrawal button (art. 54-bis Codice del consumo; our guarantee of 30 days).

    POST {orderId}   200 {amount_cents, credits, state}

What is unused of the order goes back: its credits at once, its price by a job that asks Stripe. The receipt goes out by
mail, as the law wants it on a durable medium, from the same transaction. Pressed again, it answers the same.
"""

from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import italian_dates, letters, orders, requests
from functions._shared.assistant.local import italian

# What the database refuses, by its own codes (db/README.md).
REFUSALS = {
    "SC006": (409, "credits_in_use", "Alcuni crediti di questo ordine sono in uso: riprova tra qualche minuto"),
    "SC011": (409, "not_withdrawable", "Da questo ordine non si può recedere"),
    "SC015": (
        409,
        "order_disputed",
        "Il pagamento di questo ordine è contestato alla banca: non si può anche recedere",
    ),
    "SC012": (409, "too_late", "Sono passati più di 30 giorni dall’acquisto"),
    "SC013": (409, "nothing_left", "Hai usato tutti i crediti di questo ordine: non resta nulla da restituire"),
}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers what is given back. Refuses with 400, 401, 404, 405 and 409."""
    requests.only(request, "POST")
    user_id = requests.caller(context)
    order_id = read((await api.json_object(request)).get("orderId"))
    try:
        async with context.as_service() as connection:
            refund = await withdrawn(connection, context, user_id, order_id)
    except asyncpg.PostgresError as error:
        if error.sqlstate not in REFUSALS:
            raise
        raise api.Refused(*REFUSALS[error.sqlstate], cause=error) from error
    return api.JSONResponse({name: refund[name] for name in ("amount_cents", "credits", "state")})


def read(order_id: object) -> str:
    """Raises Refused 400."""
    try:
        return str(UUID(order_id if isinstance(order_id, str) else ""))
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Manca l’ordine da cui recedere", cause=error) from error


async def withdrawn(connection: api.Connection, context: api.Context, user_id: str, order_id: str) -> orders.Row:
    """The refund, new or of the first time. Raises Refused 404, asyncpg.PostgresError."""
    refund = await connection.fetchrow("select * from private.withdraw_order($1, $2)", user_id, order_id)
    if refund is None:
        raise api.Refused(404, "not_found", "Non troviamo questo ordine nel tuo account")
    if refund["is_new"]:
        await api.enqueue(connection, "order_refund", {"refund_id": str(refund["id"])})
        await send_receipt(connection, context, dict(refund))
    return dict(refund)


async def send_receipt(connection: api.Connection, context: api.Context, refund: orders.Row) -> None:
    """What was withdrawn from, when, and what comes back."""
    email = await connection.fetchval("select email from public.credit_orders where id = $1", refund["order_id"])
    if email is None:
        return
    taken = italian.count(refund["credits"], "credito", "crediti")
    letter = letters.Letter(
        title="Conferma del tuo recesso",
        paragraphs=(
            f"il {italian_dates.moment(refund['created_at'])} hai receduto dal contratto.",
            f"Ordine {refund['order_id']}.",
            f"Ti restituiamo {orders.euro(refund['amount_cents'])}.",
            "I soldi tornano sul mezzo con cui hai pagato, di norma entro 5–10 giorni lavorativi.",
            *((f"Abbiamo tolto {taken} dal tuo saldo.",) if refund["credits"] else ()),
        ),
        small="Conserva questa email: è la ricevuta del tuo recesso.",
        button="Vedi i tuoi crediti",
        link=f"{context.site_url}/settings/credits",
    )
    await api.send_mail(connection, letters.message(email, letter, "withdrawal_receipt"))
