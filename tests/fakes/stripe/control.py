"""What tests do to the fake, below `/_fake`: pay without the page, break webhooks, dispute."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from tests.fakes.stripe import answers, payments
from tests.fakes.stripe.account import Faults, Object


def routes() -> list[Route]:
    """The table; who asks needs the secret key, as for the API."""
    table: list[tuple[str, str, answers.Handler]] = [
        ("PUT", "/faults", set_faults),
        ("GET", "/deliveries", list_deliveries),
        ("POST", "/sessions/{id}/pay", pay_session),
        ("POST", "/sessions/{id}/settle", settle_session),
        ("POST", "/sessions/{id}/bounce", bounce_session),
        ("POST", "/disputes", create_dispute),
        ("POST", "/disputes/{id}/close", close_dispute),
        ("POST", "/events/{id}/send", send_event),
    ]
    return [Route(f"/_fake{path}", answers.endpoint(handler), methods=[method]) for method, path, handler in table]


def set_faults(request: Request, given: dict[str, Any]) -> Object:
    """Says how badly webhooks are delivered from now on; what is left out is as it should be."""
    wanted = {name: json.loads(value) for name, value in given.items()}
    answers.account(request).faults = Faults(**wanted)
    return wanted


def list_deliveries(request: Request, _given: dict[str, Any]) -> Object:
    """Each copy of an event: how often it was sent, and what the answer was."""
    rows = answers.account(request).deliveries.values()
    return {"data": [{"event": each.event_id, "attempts": each.attempts, "status": each.status} for each in rows]}


def pay_session(request: Request, given: dict[str, Any]) -> Object:
    """What the page's form does, without the page; `later` is a direct debit whose money is not there yet."""
    session = answers.named(request, "checkout.session")
    if session["status"] != "open":
        raise answers.Wrong(f"The checkout is {session['status']}")
    payments.pay(answers.account(request), session, settled=given.get("later") != "true")
    return session


def settle_session(request: Request, _given: dict[str, Any]) -> Object:
    """The money of a direct debit comes."""
    session = answers.named(request, "checkout.session")
    payments.settle(answers.account(request), session)
    return session


def bounce_session(request: Request, _given: dict[str, Any]) -> Object:
    """The money of a direct debit does not come."""
    session = answers.named(request, "checkout.session")
    payments.bounce(answers.account(request), session)
    return session


def create_dispute(request: Request, given: dict[str, Any]) -> Object:
    """A card's holder disputes a payment."""
    intent = answers.named(request, "payment_intent", given.get("payment_intent", ""))
    return payments.dispute(answers.account(request), answers.named(request, "charge", intent["latest_charge"] or ""))


def close_dispute(request: Request, given: dict[str, Any]) -> Object:
    """The bank decides it, `status` is won or lost."""
    made = answers.named(request, "dispute")
    payments.close_dispute(answers.account(request), made, given["status"])
    return made


def send_event(request: Request, given: dict[str, Any]) -> Object:
    """Sends an event once more, as the dashboard's button does; or a forged one."""
    payments.send(answers.account(request), answers.named(request, "event"), forged=given.get("forged") == "true")
    return {"sent": True}
