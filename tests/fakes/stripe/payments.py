"""What happens to money in the fake: somebody pays, is refused, is refunded, disputes; each of it tells its events."""

from __future__ import annotations

import copy
import random
import secrets
from typing import Any

from tests.fakes.stripe.account import Account, Delivery, Object

API_VERSION = "2026-10-28.endive"
SUCCEEDS, DECLINES, CHALLENGES = "4242424242424242", "4000000000000002", "4000002500003155"
# https://docs.stripe.com/testing#sepa-direct-debit: these pay, or bounce, some time after the checkout is complete.
IBAN_SUCCEEDS, IBAN_FAILS = "IT40S0542811101000000123456", "IT96K0542811101000000123458"


def emit(account: Account, kind: str, about: Object) -> Object:
    """An event about an object as it is now, and its deliveries, as good or bad as the faults want them."""
    # What begins with an underscore is the fake's own.
    snapshot = copy.deepcopy({name: value for name, value in about.items() if not name.startswith("_")})
    event = account.add(
        "evt", "event", type=kind, api_version=API_VERSION, data={"object": snapshot}, pending_webhooks=1
    )
    faults = account.faults
    if faults.drop > 0:
        faults.drop -= 1
        return event
    for number in range(1 + faults.duplicates + faults.forge):
        send(account, event, forged=number > faults.duplicates)
    return event


def send(account: Account, event: Object, *, forged: bool = False) -> Delivery:
    """Puts one copy of an event on its way."""
    faults = account.faults
    due_at = account.now() + faults.delay_s + random.uniform(0, faults.reorder_within_s)
    delivery = Delivery(secrets.token_hex(8), event["id"], due_at, forged=forged)
    account.deliveries[delivery.id] = delivery
    return delivery


def pay(account: Account, session: Object, *, method: str = "card", settled: bool = True) -> None:
    """Completes a checkout; with `settled` off the money comes later (`settle`) or never (`bounce`)."""
    intent = account.add(
        "pi",
        "payment_intent",
        amount=session["amount_total"],
        currency=session["currency"],
        status="processing",
        metadata=session.pop("_intent_metadata", {}),
        latest_charge=None,
        payment_method_types=[method],
    )
    session |= {"status": "complete", "payment_intent": intent["id"], "url": None}
    if settled:
        _charge(account, session, intent)
    emit(account, "checkout.session.completed", session)


def _charge(account: Account, session: Object, intent: Object) -> None:
    charge = account.add(
        "ch",
        "charge",
        amount=intent["amount"],
        amount_refunded=0,
        currency=intent["currency"],
        # Stripe copies the intent's metadata to the charge when it makes one.
        metadata=dict(intent["metadata"]),
        paid=True,
        payment_intent=intent["id"],
        receipt_url=None,
        refunded=False,
        status="succeeded",
    )
    intent |= {"status": "succeeded", "latest_charge": charge["id"]}
    session["payment_status"] = "paid"
    emit(account, "charge.succeeded", charge)
    emit(account, "payment_intent.succeeded", intent)


def settle(account: Account, session: Object) -> None:
    """The money of a direct debit has come."""
    _charge(account, session, account.objects[session["payment_intent"]])
    emit(account, "checkout.session.async_payment_succeeded", session)


def bounce(account: Account, session: Object) -> None:
    """The money of a direct debit will not come."""
    account.objects[session["payment_intent"]]["status"] = "requires_payment_method"
    emit(account, "checkout.session.async_payment_failed", session)


def expire(account: Account, session: Object) -> None:
    """A checkout nobody completed ends."""
    session |= {"status": "expired", "url": None}
    emit(account, "checkout.session.expired", session)


def refund(account: Account, charge: Object, amount: int, metadata: dict[str, Any]) -> Object:
    """Gives a part of a charge back."""
    made = account.add(
        "re",
        "refund",
        amount=amount,
        charge=charge["id"],
        currency=charge["currency"],
        metadata=metadata,
        payment_intent=charge["payment_intent"],
        status="succeeded",
    )
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount"]
    emit(account, "refund.created", made)
    emit(account, "charge.refunded", charge)
    return made


def dispute(account: Account, charge: Object, status: str = "needs_response") -> Object:
    """The card's holder says that it was not them; with `warning_needs_response` their bank only inquires."""
    made = account.add(
        "du",
        "dispute",
        amount=charge["amount"],
        charge=charge["id"],
        currency=charge["currency"],
        metadata={},
        payment_intent=charge["payment_intent"],
        reason="fraudulent",
        status=status,
    )
    emit(account, "charge.dispute.created", made)
    return made


def escalate(account: Account, made: Object) -> None:
    """An inquiry, also one that was closed, becomes a chargeback."""
    made["status"] = "needs_response"
    emit(account, "charge.dispute.updated", made)


def close_dispute(account: Account, made: Object, status: str) -> None:
    """The bank has decided: `won`, `lost`, `warning_closed` for an inquiry, or `prevented`."""
    made["status"] = status
    emit(account, "charge.dispute.closed", made)
