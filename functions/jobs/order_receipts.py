"""Mail the confirmation of the contract to buyers on a durable medium (art. 51 Codice del consumo).

This is a job of its own so that a payment waits only for its credits, whichever way the payment became known.
"""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import letters, orders
from functions._shared.assistant.local import italian

EVERY = timedelta(minutes=1)
WITHDRAWAL = (
    "Se cambi idea entro 30 giorni ti restituiamo il prezzo dei crediti non usati: trovi «Recedere dal contratto qui» "
    "accanto all’ordine, in Impostazioni → Crediti."
)
# What the buyer confirmed before paying, on the same medium (art. 51 c. 7, art. 59 c. 1 lett. o).
WAIVER = "Hai chiesto che i crediti fossero disponibili subito: per quelli usati il diritto di recesso non vale più."


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Confirm orders until none is left; mark each in the transaction that puts its mail into the outbox."""
    while await confirm(context):
        pass


async def confirm(context: api.Context) -> int:
    """Confirm some orders and return how many."""
    async with context.as_service() as connection:
        claimed = await connection.fetch("select * from private.claim_receipts()")
        for order in claimed:
            if order["email"] is not None:
                await api.send_mail(connection, receipt(dict(order), context.site_url))
    return len(claimed)


def receipt(order: orders.Row, site_url: str) -> api.Message:
    """Compose the mail: what was bought, for how much, and how to withdraw."""
    brought = italian.count(order["credits"] + order["bonus"], "credito", "crediti")
    bonus = f", di cui {order['bonus']} in omaggio" if order["bonus"] else ""
    letter = letters.Letter(
        title="I tuoi crediti sono arrivati",
        paragraphs=(
            f"abbiamo accreditato {brought}{bonus}.",
            f"Hai pagato {orders.euro(order['amount_cents'])}, IVA inclusa. Ordine {order['id']}.",
            WITHDRAWAL,
            *((WAIVER,) if order["withdrawal_waiver_at"] else ()),
        ),
        small="Conserva questa email: è la conferma del tuo acquisto.",
        button="Vedi i tuoi crediti",
        link=f"{site_url}/settings/credits",
    )
    return letters.message(order["email"], letter, "order_receipt")
