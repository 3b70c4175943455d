"""The page a buyer comes back to: it fulfils by itself, and tells nobody else anything."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.db import accounts
from tests.fakes.stripe import payments
from tests.functions.checkout.conftest import Shop

pytestmark = pytest.mark.anyio


async def status(shop: Shop, session_id: str) -> tuple[str, int]:
    answer = await shop.call("checkout_status", {"sessionId": session_id})
    assert answer.status_code == 200, answer.text
    return answer.json()["state"], answer.json()["credits"]


async def test_a_buyer_who_comes_back_before_the_webhook_has_the_credits(shop: Shop) -> None:
    session = await shop.checkout()
    assert await status(shop, session["id"]) == ("pending", 550)
    payments.pay(shop.stripe.account, session)
    await shop.execute("update public.credit_orders set checked_at = null")
    assert await status(shop, session["id"]) == ("fulfilled", 550)
    assert await shop.balance() == 550
    # The webhook comes late, and the page's address is opened again and again.
    assert await shop.tell(shop.stripe.events("checkout.session.completed")[0]) == "noted"
    assert await status(shop, session["id"]) == ("fulfilled", 550)
    assert await shop.balance() == 550
    assert len(await shop.receipts()) == 1


async def test_stripe_is_not_asked_each_time_the_page_asks(shop: Shop) -> None:
    session = await shop.checkout()
    assert await status(shop, session["id"]) == ("pending", 550)
    payments.pay(shop.stripe.account, session)
    assert await status(shop, session["id"]) == ("pending", 550)


async def test_money_that_did_not_come_is_told(shop: Shop) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session, method="sepa_debit", settled=False)
    assert await status(shop, session["id"]) == ("submitted", 550)
    payments.bounce(shop.stripe.account, session)
    await shop.tell(shop.stripe.events("checkout.session.async_payment_failed")[0])
    assert await status(shop, session["id"]) == ("failed", 550)


async def test_a_page_that_ran_out_of_time_is_told(shop: Shop) -> None:
    session = await shop.checkout()
    payments.expire(shop.stripe.account, session)
    assert await status(shop, session["id"]) == ("expired", 550)


async def test_a_payment_that_does_not_fit_its_order_is_held_back_and_stands_in_the_log(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session)
    session["amount_total"] = 1
    assert await status(shop, session["id"]) == ("review", 550)
    [line] = [record for record in caplog.records if record.getMessage() == "a payment is held back"]
    assert (line.levelname, vars(line)["order"]) == ("WARNING", str((await shop.order())["id"]))
    assert (await shop.balance(), await shop.alerts()) == (0, ["mismatch"])


async def test_somebody_elses_purchase_and_no_purchase_look_the_same(shop: Shop) -> None:
    session = await shop.bought()
    stranger = uuid4()
    async with shop.resources.pool.acquire() as connection:
        await accounts.create(connection, stranger)
    theirs = await shop.call("checkout_status", {"sessionId": session["id"]}, as_user=stranger)
    none = await shop.call("checkout_status", {"sessionId": "cs_test_none"})
    assert (theirs.status_code, theirs.json()["code"]) == (404, "not_found")
    assert theirs.json()["message"] == none.json()["message"]


async def test_a_visitor_and_a_question_without_a_purchase_are_refused(shop: Shop) -> None:
    assert (await shop.client.post("/functions/v1/checkout_status", json={"sessionId": "x"})).status_code == 401
    assert (await shop.call("checkout_status", {"sessionId": 7})).status_code == 400


async def test_stripe_that_is_away_leaves_the_order_waiting(shop: Shop) -> None:
    session = await shop.checkout()
    del shop.stripe.account.objects[session["id"]]
    assert await status(shop, session["id"]) == ("pending", 550)


async def test_a_direct_debit_is_told_to_be_on_its_way(shop: Shop) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session, method="sepa_debit", settled=False)
    assert await status(shop, session["id"]) == ("submitted", 550)
    payments.settle(shop.stripe.account, session)
    await shop.execute("update public.credit_orders set checked_at = null")
    assert await status(shop, session["id"]) == ("fulfilled", 550)


async def test_a_disputed_purchase_is_not_told_as_refunded(shop: Shop) -> None:
    session = await shop.bought()
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.dispute(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]])
    await shop.tell(shop.stripe.events("charge.dispute.created")[0])
    assert await status(shop, session["id"]) == ("disputed", 550)
