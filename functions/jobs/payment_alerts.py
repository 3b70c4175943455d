"""Mail payments that need a person to the admins, each alert once (STORE-19, FAULT-07).

This is a job of its own so that an alert is written in the transaction that found the fault.
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import letters, orders

EVERY = timedelta(minutes=5)
# By public.payment_alert_kind.
WHAT = {
    "mismatch": "Un pagamento non corrisponde al suo ordine: i crediti non sono stati accreditati.",
    "deleted_account": "È arrivato un pagamento per un account cancellato: rimborsalo da Stripe, a mano.",
    "unknown_order": "Un pagamento nomina un ordine che non abbiamo.",
    "refund_of_spent_credits": "È stato rimborsato un ordine i cui crediti erano in parte già usati.",
    "refund_failed": "Un rimborso non è riuscito: il cliente aspetta ancora i suoi soldi.",
    "dispute": "Un pagamento è contestato: guarda su Stripe se e fino a quando puoi rispondere.",
    "stuck_event": "Un avviso di Stripe aspetta da più di un giorno.",
}


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Tells until nothing is left; an alert is marked in the transaction that puts its mails into the outbox."""
    while await tell(context):
        pass


async def tell(context: api.Context) -> int:
    """Send some alerts in one mail to each admin and return how many."""
    async with context.as_service() as connection:
        alerts = [dict(row) for row in await connection.fetch("select * from private.claim_alerts()")]
        for email in alerts[0]["admins"] if alerts else ():
            await api.send_mail(connection, letters.message(email, letter(alerts), "payment_alerts"))
    return len(alerts)


def letter(alerts: Sequence[orders.Row]) -> letters.Letter:
    """Compose the sentences: what is wrong, and where to look."""
    return letters.Letter(
        title="Un pagamento aspetta te" if len(alerts) == 1 else f"{len(alerts)} pagamenti aspettano te",
        paragraphs=tuple(map(paragraph, alerts)),
        small="Cerca l’ordine nel pannello di Stripe: il suo numero è tra i metadati del pagamento. Il rapporto di "
        "salute conta i casi finché non sono risolti.",
        greeting="",
    )


def paragraph(alert: orders.Row) -> str:
    """One alert."""
    facts = {"Ordine": alert["order_id"], "Evento": alert["event_id"], "Dettagli": alert["details"] or None}
    told = (
        f"{name}: {json.dumps(fact, ensure_ascii=False) if isinstance(fact, dict) else fact}."
        for name, fact in facts.items()
        if fact is not None
    )
    return " ".join((WHAT[alert["kind"]], *told))
