"""The part of Stripe's API that the official package asks for here (https://docs.stripe.com/api)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.routing import Route

from tests.fakes.stripe import answers, payments
from tests.fakes.stripe.account import Object

SHORTEST_LIFE_S, LONGEST_LIFE_S = 30 * 60, 24 * 3600
LEAST_AMOUNT_CENTS = 50
# A clock that is a little behind or ahead is forgiven.
LEEWAY_S = 60


def routes() -> list[Route]:
    """The table of the API."""
    table: list[tuple[str, str, answers.Handler]] = [
        ("POST", "/checkout/sessions", create_session),
        ("GET", "/checkout/sessions", list_sessions),
        ("GET", "/checkout/sessions/{id}", show_session),
        ("POST", "/checkout/sessions/{id}/expire", expire_session),
        ("GET", "/payment_intents/{id}", show_intent),
        ("GET", "/charges/{id}", show_charge),
        ("POST", "/refunds", create_refund),
        ("GET", "/refunds", list_refunds),
        ("GET", "/refunds/{id}", show_refund),
        ("GET", "/events", list_events),
        ("GET", "/events/{id}", show_event),
    ]
    return [Route(f"/v1{path}", answers.endpoint(handler), methods=[method]) for method, path, handler in table]


def create_session(request: Request, given: dict[str, Any]) -> Object:
    """A checkout of one or more items with prices of their own."""
    account = answers.account(request)
    if given.get("mode") != "payment":
        raise answers.Wrong("This fake sells in mode `payment` only")
    total, currency, name = _priced(given)
    lifetime_s = int(given.get("expires_at", account.now() + LONGEST_LIFE_S)) - account.now()
    if not SHORTEST_LIFE_S - LEEWAY_S <= lifetime_s <= LONGEST_LIFE_S + LEEWAY_S:
        raise answers.Wrong("The `expires_at` timestamp must be between 30 minutes and 24 hours from now")
    if not urlsplit(given.get("success_url", "")).scheme:
        raise answers.Wrong("Not a valid URL: success_url")
    session = account.add(
        "cs_test",
        "checkout.session",
        amount_subtotal=total,
        amount_total=total,
        cancel_url=given.get("cancel_url"),
        client_reference_id=given.get("client_reference_id"),
        currency=currency,
        customer_email=given.get("customer_email"),
        expires_at=int(account.now() + lifetime_s),
        locale=given.get("locale"),
        metadata=given.get("metadata", {}),
        mode="payment",
        payment_intent=None,
        payment_status="unpaid",
        status="open",
        success_url=given["success_url"],
        _intent_metadata=given.get("payment_intent_data", {}).get("metadata", {}),
        _name=name,
    )
    session["url"] = f"{request.app.state.url}/c/pay/{session['id']}"
    return session


def _priced(given: dict[str, Any]) -> tuple[int, str, str]:
    try:
        items = list(given["line_items"].values())
        prices = [(item["price_data"], int(item.get("quantity", 1))) for item in items]
        total = sum(int(price["unit_amount"]) * quantity for price, quantity in prices)
        currency, name = prices[0][0]["currency"], prices[0][0]["product_data"]["name"]
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        raise answers.Wrong(f"Missing required param: line_items ({error!r})") from error
    if total < LEAST_AMOUNT_CENTS:
        raise answers.Wrong("The total amount must convert to at least 50 cents", code="amount_too_small")
    return total, currency, name


def list_sessions(request: Request, given: dict[str, Any]) -> Object:
    """All checkouts, or those of one payment."""
    wanted = {"payment_intent": given["payment_intent"]} if "payment_intent" in given else {}
    return answers.listed("/v1/checkout/sessions", answers.account(request).all("checkout.session", **wanted), given)


def show_session(request: Request, _given: dict[str, Any]) -> Object:
    """One checkout."""
    return answers.named(request, "checkout.session")


def expire_session(request: Request, _given: dict[str, Any]) -> Object:
    """Ends a checkout nobody has completed."""
    session = answers.named(request, "checkout.session")
    if session["status"] != "open":
        raise answers.Wrong(
            f'Only Checkout Sessions with a status in ["open"] can be expired; it is {session["status"]}'
        )
    payments.expire(answers.account(request), session)
    return session


def show_intent(request: Request, _given: dict[str, Any]) -> Object:
    """One payment."""
    return answers.named(request, "payment_intent")


def show_charge(request: Request, _given: dict[str, Any]) -> Object:
    """One charge."""
    return answers.named(request, "charge")


def create_refund(request: Request, given: dict[str, Any]) -> Object:
    """Gives money back, all that is left without an amount."""
    intent = answers.named(request, "payment_intent", given.get("payment_intent", ""))
    charge = answers.named(request, "charge", intent["latest_charge"] or "")
    left = charge["amount"] - charge["amount_refunded"]
    amount = int(given.get("amount", left))
    if left == 0:
        raise answers.Wrong(f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded")
    if not 0 < amount <= left:
        raise answers.Wrong(f"Refund amount ({amount}) is greater than unrefunded amount on charge ({left})")
    return payments.refund(answers.account(request), charge, amount, given.get("metadata", {}))


def list_refunds(request: Request, given: dict[str, Any]) -> Object:
    """All refunds, or those of one payment."""
    wanted = {"payment_intent": given["payment_intent"]} if "payment_intent" in given else {}
    return answers.listed("/v1/refunds", answers.account(request).all("refund", **wanted), given)


def show_refund(request: Request, _given: dict[str, Any]) -> Object:
    """One refund."""
    return answers.named(request, "refund")


def list_events(request: Request, given: dict[str, Any]) -> Object:
    """What happened, those never delivered too."""
    wanted = set(given.get("types", {}).values())
    found = [each for each in answers.account(request).all("event") if not wanted or each["type"] in wanted]
    return answers.listed("/v1/events", found, given)


def show_event(request: Request, _given: dict[str, Any]) -> Object:
    """One event."""
    return answers.named(request, "event")
