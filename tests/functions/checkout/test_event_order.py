"""The order of an order's events does not matter: every way five of them can come ends the same (quality.md F4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations

import pytest

from backend.core import db
from tests.db import accounts
from tests.db.ledger import INVARIANTS
from tests.fakes.stripe import payments
from tests.fakes.stripe.account import Object
from tests.functions.checkout.conftest import Shop

pytestmark = pytest.mark.anyio


def paid_twice_told(shop: Shop, session: Object) -> None:
    """A direct debit that comes, and an expiry that overtook it."""
    account = shop.stripe.account
    payments.pay(account, session, method="sepa_debit", settled=False)
    payments.settle(account, session)
    payments.emit(account, "checkout.session.expired", {**session, "status": "expired", "payment_status": "unpaid"})


def charge_of(shop: Shop, session: Object) -> Object:
    account = shop.stripe.account
    return account.objects[account.objects[session["payment_intent"]]["latest_charge"]]


def refunded(shop: Shop, session: Object) -> None:
    """Paid, then given back in two parts."""
    paid_twice_told(shop, session)
    payments.refund(shop.stripe.account, charge_of(shop, session), 1999, {})
    payments.refund(shop.stripe.account, charge_of(shop, session), 2000, {})


def disputed(shop: Shop, session: Object, end: str) -> None:
    paid_twice_told(shop, session)
    made = payments.dispute(shop.stripe.account, charge_of(shop, session))
    payments.close_dispute(shop.stripe.account, made, end)


def failed(shop: Shop, session: Object) -> None:
    account = shop.stripe.account
    payments.pay(account, session, method="sepa_debit", settled=False)
    payments.bounce(account, session)


STORIES: dict[str, tuple[Callable[[Shop, Object], None], int, str, int]] = {
    "given back": (refunded, 5, "refunded", 0),
    "disputed and won": (lambda shop, session: disputed(shop, session, "won"), 5, "fulfilled", 550),
    "disputed and lost": (lambda shop, session: disputed(shop, session, "lost"), 5, "disputed", 0),
    "paid late": (paid_twice_told, 3, "fulfilled", 550),
    "bounced": (failed, 2, "failed", 0),
}
OURS = ("checkout.session.", "charge.refunded", "charge.dispute.")


@pytest.mark.parametrize("name", STORIES)
async def test_every_order_of_the_events_ends_the_same(shop: Shop, name: str) -> None:
    story, count, state, balance = STORIES[name]
    story(shop, await shop.checkout())
    events = [event for event in shop.stripe.events() if event["type"].startswith(OURS)]
    assert len(events) == count
    connection = await db.connect(shop.resources.settings)
    try:
        for order in permutations(events):
            kinds = [event["type"] for event in order]
            async with accounts.rolled_back(connection):
                for event in order:
                    await connection.execute(
                        "select private.record_payment_event($1, $2, $3)", event["id"], event["type"], json.dumps(event)
                    )
                found = await connection.fetchval("select state from public.credit_orders")
                left = await connection.fetchval("select sum(balance) from public.credit_wallets")
                assert (found, left) == (state, balance), kinds
                waiting = await connection.fetch("select type from public.payment_events where handled_at is null")
                assert waiting == [], kinds
                for invariant in INVARIANTS.values():
                    assert await connection.fetch(invariant) == [], kinds
    finally:
        await connection.close()
