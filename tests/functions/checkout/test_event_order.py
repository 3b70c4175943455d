"""The order of an order's events does not matter: each way they can come ends the same (FAULT-04)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import permutations

import pytest

from backend.core import db
from tests.databases import connected
from tests.db import accounts
from tests.db.ledger import broken
from tests.fakes.stripe import payments
from tests.fakes.stripe.account import Object
from tests.functions.checkout import crash
from tests.functions.checkout.conftest import Shop

pytestmark = pytest.mark.anyio

ALL, NOTHING = {"acquisto": 500, "bonus": 50}, {"acquisto": 0, "bonus": 0}
WITHDRAW = "select (private.withdraw_order(user_id, id)).amount_cents from public.credit_orders"


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


def refunded_in_part(shop: Shop, session: Object) -> None:
    """Ten euros, in three parts none of which is worth whole credits."""
    payments.pay(shop.stripe.account, session)
    for cents in (333, 333, 334):
        payments.refund(shop.stripe.account, charge_of(shop, session), cents, {})


def disputed(shop: Shop, session: Object, end: str) -> None:
    paid_twice_told(shop, session)
    made = payments.dispute(shop.stripe.account, charge_of(shop, session))
    payments.close_dispute(shop.stripe.account, made, end)


def refunded_while_disputed(shop: Shop, session: Object, cents: int, status: str, end: str) -> None:
    account = shop.stripe.account
    payments.pay(account, session)
    made = payments.dispute(account, charge_of(shop, session), status)
    payments.refund(account, charge_of(shop, session), cents, {})
    payments.close_dispute(account, made, end)


def disputed_again(shop: Shop, session: Object) -> None:
    """A bank that inquired is content, and then another dispute is lost."""
    account = shop.stripe.account
    payments.pay(account, session)
    payments.close_dispute(
        account, payments.dispute(account, charge_of(shop, session), "warning_needs_response"), "warning_closed"
    )
    payments.close_dispute(account, payments.dispute(account, charge_of(shop, session)), "lost")


def escalated(shop: Shop, session: Object, end: str) -> None:
    """An inquiry that was closed becomes a chargeback."""
    account = shop.stripe.account
    payments.pay(account, session)
    made = payments.dispute(account, charge_of(shop, session), "warning_needs_response")
    payments.close_dispute(account, made, "warning_closed")
    payments.escalate(account, made)
    payments.close_dispute(account, made, end)


def failed(shop: Shop, session: Object) -> None:
    account = shop.stripe.account
    payments.pay(account, session, method="sepa_debit", settled=False)
    payments.bounce(account, session)


# What happens, in how many events, the state of the order then, what is left of each of its lots, and what a withdrawal
# would give back. With ten euros go 125 of 500 credits and 12 of the bonus.
STORIES: dict[str, tuple[Callable[[Shop, Object], None], int, str, dict[str, int], int]] = {
    "given back": (refunded, 5, "refunded", NOTHING, 0),
    "given back in part": (refunded_in_part, 4, "fulfilled", {"acquisto": 375, "bonus": 38}, 2999),
    "disputed and won": (lambda shop, session: disputed(shop, session, "won"), 5, "fulfilled", ALL, 3999),
    "disputed and lost": (lambda shop, session: disputed(shop, session, "lost"), 5, "disputed", NOTHING, 0),
    "disputed and prevented": (lambda shop, session: disputed(shop, session, "prevented"), 5, "disputed", NOTHING, 0),
    "inquired about and given back": (
        lambda shop, session: refunded_while_disputed(shop, session, 3999, "warning_needs_response", "warning_closed"),
        4, "refunded", NOTHING, 0,
    ),
    "given back in part, and the dispute won": (
        lambda shop, session: refunded_while_disputed(shop, session, 1000, "needs_response", "won"),
        4, "fulfilled", {"acquisto": 375, "bonus": 38}, 2999,
    ),
    "disputed twice": (disputed_again, 5, "disputed", NOTHING, 0),
    "an inquiry that began again and was lost": (
        lambda shop, session: escalated(shop, session, "lost"), 5, "disputed", NOTHING, 0,
    ),
    "an inquiry that began again and was won": (
        lambda shop, session: escalated(shop, session, "won"), 5, "fulfilled", ALL, 3999,
    ),
    "paid late": (paid_twice_told, 3, "fulfilled", ALL, 3999),
    "bounced": (failed, 2, "failed", {}, 0),
}  # fmt: skip
# Five events come in 120 orders.
LONG = (pytest.mark.long,)
OURS = ("checkout.session.", "charge.refunded", "charge.dispute.")


async def left(connection: accounts.Connection) -> dict[str, int]:
    """What can be spent of each lot."""
    return {row["kind"]: row["remaining"] for row in await connection.fetch("select * from public.credit_lots")}


@pytest.mark.parametrize("name", [pytest.param(name, marks=LONG * (row[1] > 4)) for name, row in STORIES.items()])
async def test_every_order_of_the_events_ends_the_same(shop: Shop, name: str) -> None:
    story, count, state, lots, worth_cents = STORIES[name]
    story(shop, await shop.checkout())
    events = [event for event in shop.stripe.events() if event["type"].startswith(OURS)]
    assert len(events) == count
    connection = await db.connect(shop.resources.settings)
    try:
        for order in permutations(events):
            kinds = [event["type"] for event in order]
            async with accounts.rolled_back(connection):
                for event in order:
                    await crash.tell(connection, event)
                found = await connection.fetchval("select state from public.credit_orders")
                assert (found, await left(connection)) == (state, lots), kinds
                waiting = await connection.fetch("select type from public.payment_events where handled_at is null")
                assert waiting == [], kinds
                assert await broken(connection) == {}, kinds
                if state == "fulfilled":
                    assert await connection.fetchval(WITHDRAW) == worth_cents, kinds
                    assert await left(connection) == NOTHING, kinds
                    assert await broken(connection) == {}, kinds
    finally:
        await connection.close()


@pytest.mark.parametrize("name", STORIES)
async def test_events_told_at_once_end_the_same(shop: Shop, name: str) -> None:
    """Each in a transaction of its own, twice; the job handles what came before its payment."""
    story, _, state, lots, _ = STORIES[name]
    story(shop, await shop.checkout())
    events = [event for event in shop.stripe.events() if event["type"].startswith(OURS)]
    await asyncio.gather(*map(shop.tell, events * 2))
    await shop.query("select private.retry_payment_events()")
    async with connected(shop.resources.settings.database_url) as connection:
        found = await connection.fetchval("select state from public.credit_orders")
        assert (found, await left(connection)) == (state, lots)
        assert await connection.fetch("select type from public.payment_events where handled_at is null") == []
        assert await broken(connection) == {}
