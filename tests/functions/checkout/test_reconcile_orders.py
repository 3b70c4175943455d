"""What Stripe never told us is found out, and told later it changes nothing (FAULT-06)."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from backend.core import jobs
from backend.core.config_functions import EdgeRuntime
from backend.edge.api import Context
from functions._shared import orders, stripe_client
from functions.jobs import order_refund, reconcile_orders
from tests.fakes.stripe import payments
from tests.functions.checkout.conftest import Shop

pytestmark = pytest.mark.anyio


async def reconcile(shop: Shop) -> None:
    await shop.job(reconcile_orders)


async def days_go_by(shop: Shop, days: int) -> None:
    await shop.execute(
        """
        update public.credit_orders
        set created_at = created_at - make_interval(days => $1), expires_at = expires_at - make_interval(days => $1),
          checked_at = checked_at - make_interval(days => $1)
        """,
        days,
    )


async def test_a_payment_nobody_told_us_of_for_three_days_is_found_and_told_later_changes_nothing(shop: Shop) -> None:
    payments.pay(shop.stripe.account, await shop.checkout())
    await days_go_by(shop, 3)
    await reconcile(shop)
    assert ((await shop.order())["state"], await shop.balance()) == ("fulfilled", 550)
    assert len(await shop.receipts()) == 1
    assert {await shop.tell(event) for event in shop.stripe.events("checkout.")} == {"known"}
    await reconcile(shop)
    assert await shop.balance() == 550


async def test_what_happened_after_the_payment_is_found_too(shop: Shop) -> None:
    session = await shop.bought()
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], 3999, {})
    await reconcile(shop)
    assert ((await shop.order())["state"], await shop.balance()) == ("refunded", 0)


async def refunded_two_days_ago(shop: Shop, *amounts: int) -> None:
    """Stripe paid back, in as many parts, just after our last fetch and before an outage of two days."""
    session = await shop.bought()
    await reconcile(shop)
    intent = shop.stripe.account.objects[session["payment_intent"]]
    for amount in amounts:
        payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], amount, {})
    for event in shop.stripe.events():
        event["created"] -= 2 * 86400
    for table, column in (("public.payment_events", "received_at"), ("private.payment_fetches", "fetched_at")):
        await shop.execute(f"update {table} set {column} = {column} - interval '2 days'")


async def test_after_an_outage_a_new_event_does_not_hide_the_old_ones(shop: Shop) -> None:
    await refunded_two_days_ago(shop, 3999)
    [charge] = shop.stripe.account.all("charge")
    await shop.tell(payments.emit(shop.stripe.account, "charge.succeeded", charge))
    await reconcile(shop)
    assert ((await shop.order())["state"], await shop.balance()) == ("refunded", 0)


async def test_a_fetch_that_was_cut_is_done_again(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    await refunded_two_days_ago(shop, 1000, 2999)
    record, done = orders.record_event, 0

    async def cut_after_one(*given: Any) -> str:
        nonlocal done
        done += 1
        if done > 1:
            raise ConnectionResetError
        return await record(*given)

    with monkeypatch.context() as broken:
        broken.setattr(orders, "record_event", cut_after_one)
        with pytest.raises(ConnectionResetError):
            await reconcile(shop)
    assert (await shop.order())["refunded_cents"] == 1000
    await reconcile(shop)
    assert ((await shop.order())["state"], await shop.balance()) == ("refunded", 0)


async def test_a_refund_that_failed_untold_calls_a_person(shop: Shop) -> None:
    session = await shop.bought()
    intent = shop.stripe.account.objects[session["payment_intent"]]
    made = payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], 3999, {})
    payments.emit(shop.stripe.account, "refund.failed", made | {"status": "failed"})
    await reconcile(shop)
    assert await shop.alerts() == ["refund_failed"]


async def test_a_checkout_that_ran_out_of_time_is_over(shop: Shop) -> None:
    payments.expire(shop.stripe.account, await shop.checkout())
    await days_go_by(shop, 1)
    await reconcile(shop)
    assert (await shop.order())["state"] == "expired"


async def test_an_order_that_never_got_its_page_is_given_up_but_a_payment_still_counts(shop: Shop) -> None:
    session = await shop.checkout()
    await shop.execute("update public.credit_orders set provider_session = null, checkout_url = null")
    await days_go_by(shop, 1)
    await reconcile(shop)
    assert (await shop.order())["state"] == "expired"
    payments.pay(shop.stripe.account, session)
    await reconcile(shop)
    assert (await shop.order())["state"] == "fulfilled"


async def test_an_order_that_stripe_does_not_know_calls_a_person_and_stops_no_other(shop: Shop) -> None:
    """Its keys may have been another account's, where it was paid: it goes on waiting, and is told of once."""
    await shop.checkout("starter")
    await shop.execute("update public.credit_orders set provider_session = 'cs_of_other_keys'")
    payments.pay(shop.stripe.account, await shop.checkout("pro"))
    for _ in range(2):
        await days_go_by(shop, 1)
        await reconcile(shop)
    states = await shop.query("select pack_id, state from public.credit_orders order by pack_id")
    assert [tuple(row.values()) for row in states] == [("pro", "fulfilled"), ("starter", "pending")]
    [alert] = await shop.query("select kind, details from public.payment_alerts")
    assert tuple(alert.values()) == ("mismatch", {"session": ["cs_of_other_keys", None]})
    assert len(await shop.query("select from private.payment_fetches")) == 1


async def test_an_order_without_a_page_still_has_its_time(shop: Shop) -> None:
    await shop.checkout()
    await shop.execute(
        """
        update public.credit_orders
        set provider_session = null, checkout_url = null, created_at = created_at - interval '10 minutes'
        """
    )
    await reconcile(shop)
    assert (await shop.order())["state"] == "pending"


async def test_an_order_that_still_has_time_goes_on_waiting(shop: Shop) -> None:
    await shop.checkout()
    await shop.execute("update public.credit_orders set created_at = created_at - interval '10 minutes'")
    await reconcile(shop)
    assert (await shop.order())["state"] == "pending"
    # Not asked again at once.
    assert await shop.query("select from private.orders_to_check()") == []


async def test_an_event_that_waits_for_a_day_calls_a_person(shop: Shop) -> None:
    session = await shop.bought()
    made = payments.dispute(
        shop.stripe.account,
        shop.stripe.account.objects[shop.stripe.account.objects[session["payment_intent"]]["latest_charge"]],
    )
    made["payment_intent"] = "pi_of_nobody"
    payments.close_dispute(shop.stripe.account, made, "lost")
    assert await shop.tell(shop.stripe.events("charge.dispute.closed")[0]) == "waiting"
    await reconcile(shop)
    assert "stuck_event" not in await shop.alerts()
    await shop.execute("update public.payment_events set received_at = received_at - interval '2 days'")
    await reconcile(shop)
    assert "stuck_event" in await shop.alerts()


@pytest.mark.parametrize("job", [reconcile_orders, order_refund], ids=["reconcile_orders", "order_refund"])
async def test_while_stripe_is_away_a_job_waits_without_blame(
    shop: Shop, job: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stripe_client, "RETRIES", 0)
    await shop.bought()
    await shop.call("withdraw_order", {"orderId": str((await shop.order())["id"])})
    [refund] = await shop.query("select id from public.order_refunds")
    runtime = EdgeRuntime(secrets={"STRIPE_SECRET_KEY": "sk_test_x", "STRIPE_API_BASE": "http://127.0.0.1:9"})
    away = replace(shop.resources, settings=replace(shop.resources.settings, edge_runtime=runtime))
    with pytest.raises(jobs.Away):
        await job.handler({"refund_id": str(refund["id"])}, Context("job", {"role": "service_role"}, "", away))


async def test_without_an_account_at_stripe_there_is_nothing_to_ask(shop: Shop) -> None:
    nowhere = replace(shop.resources, settings=replace(shop.resources.settings, edge_runtime=EdgeRuntime()))
    await reconcile_orders.handler({}, Context("job", {"role": "service_role"}, "", nowhere))


async def test_an_event_that_jsonb_cannot_hold_stops_neither_the_others_nor_the_mark(shop: Shop) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session)
    session["customer_details"] = {"name": "Anna\0"}
    for event in shop.stripe.events("checkout."):
        event["request"] = "\0"
    await reconcile(shop)
    assert ((await shop.order())["state"], await shop.balance()) == ("fulfilled", 550)
    assert len(await shop.query("select from private.payment_fetches")) == 1
