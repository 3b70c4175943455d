"""Withdrawing: what is unused goes back, once, with a receipt; and refunds by others are counted once (FAULT-12)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from backend.edge import tasks
from functions.jobs import order_refund
from tests.backend.core.test_jobs import until_empty, working
from tests.db import accounts
from tests.fakes.stripe import payments
from tests.functions.checkout.conftest import Shop

pytestmark = pytest.mark.anyio


async def withdraw(shop: Shop, **more: Any) -> httpx.Response:
    return await shop.call("withdraw_order", {"orderId": str((await shop.order())["id"])}, **more)


async def spend(shop: Shop, credits_: int) -> None:
    """Uses credits up."""
    await shop.execute(
        """
        select private.settle_hold(id, amount, 'spent') from private.hold_credits($1, $2, 'spend')
        """,
        shop.buyer,
        credits_,
    )


async def refund_by_job(shop: Shop) -> None:
    task = tasks.of_product(shop.resources.settings)["order_refund"]
    async with working(shop.resources, order_refund=task):
        await until_empty(shop.resources, "jobs.pgqueuer where entrypoint = 'order_refund'")


async def tell_refunds(shop: Shop) -> None:
    for event in shop.stripe.events("charge.refunded"):
        await shop.tell(event)


async def test_an_untouched_order_goes_back_whole_with_a_receipt(shop: Shop) -> None:
    await shop.bought("pro")
    answer = await withdraw(shop)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"amount_cents": 3999, "credits": 550, "state": "requested"}
    assert ((await shop.order())["state"], await shop.balance()) == ("refunded", 0)
    [receipt] = await shop.query("select plain from jobs.mails where purpose = 'withdrawal_receipt'")
    assert "39,99 €" in receipt["plain"]
    assert str((await shop.order())["id"]) in receipt["plain"]
    await refund_by_job(shop)
    [refund] = shop.stripe.account.all("refund")
    assert (refund["amount"], refund["metadata"]["order_id"]) == (3999, str((await shop.order())["id"]))
    await tell_refunds(shop)
    order = await shop.order()
    assert (order["refunded_cents"], order["taken_cents"], order["state"]) == (3999, 3999, "refunded")
    assert (await shop.balance(), await shop.alerts()) == (0, [])
    papers = await shop.query("select kind, amount_cents from public.fiscal_documents order by created_at")
    assert [tuple(paper.values()) for paper in papers] == [("invoice", 3999), ("credit_note", 3999)]


async def test_who_disputes_the_payment_is_told_that_it_is_disputed(shop: Shop) -> None:
    session = await shop.bought("pro")
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.dispute(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]])
    await shop.tell(shop.stripe.events("charge.dispute.created")[0])
    answer = await withdraw(shop)
    assert (answer.status_code, answer.json()["code"]) == (409, "order_disputed")
    assert "contestato" in answer.json()["message"]


async def test_what_was_used_stays_paid(shop: Shop) -> None:
    await shop.bought("starter")
    await spend(shop, 40)
    answer = await withdraw(shop)
    assert answer.json()["amount_cents"] == 999 * 60 // 100
    assert (await shop.balance(), answer.json()["credits"]) == (0, 60)
    await refund_by_job(shop)
    await tell_refunds(shop)
    assert (await shop.alerts(), (await shop.order())["taken_cents"]) == ([], 599)


@pytest.mark.parametrize(
    ("change", "cents"),
    [
        ("paid_at = now() - interval '13 days'", 999),
        ("paid_at = now() - interval '15 days'", 999 * 60 // 100),
        ("consumer = false", 999 * 60 // 100),
        ("withdrawal_waiver_at = now()", 999 * 60 // 100),
    ],
    ids=["legal days", "our guarantee", "a company", "waived"],
)
async def test_who_never_asked_for_the_credits_at_once_owes_nothing_in_the_legal_days(
    shop: Shop, change: str, cents: int
) -> None:
    await shop.bought("starter", withdrawalWaiver=False)
    await spend(shop, 40)
    await shop.execute(f"update public.credit_orders set {change}")
    answer = await withdraw(shop)
    assert (answer.json(), await shop.balance()) == ({"amount_cents": cents, "credits": 60, "state": "requested"}, 0)


async def test_nothing_left_of_what_nobody_asked_for_at_once_is_still_paid_back(shop: Shop) -> None:
    await shop.bought("starter", withdrawalWaiver=False)
    await spend(shop, 100)
    answer = await withdraw(shop)
    assert answer.json() == {"amount_cents": 999, "credits": 0, "state": "requested"}
    [receipt] = await shop.query("select plain from jobs.mails where purpose = 'withdrawal_receipt'")
    assert "Abbiamo tolto" not in receipt["plain"]
    await refund_by_job(shop)
    await tell_refunds(shop)
    assert ((await shop.order())["state"], await shop.alerts()) == ("refunded", [])


async def test_pressed_twice_it_is_done_once(shop: Shop) -> None:
    await shop.bought()
    first, second = await withdraw(shop), await withdraw(shop)
    assert (first.json(), second.status_code) == (second.json(), 200)
    assert len(await shop.query("select from jobs.mails where purpose = 'withdrawal_receipt'")) == 1
    assert len(await shop.query("select from jobs.pgqueuer where entrypoint = 'order_refund'")) == 1


async def test_pressed_several_times_at_once_it_is_done_and_told_once(shop: Shop) -> None:
    await shop.bought()
    answers = await asyncio.gather(*(withdraw(shop) for _ in range(4)))
    assert [answer.json() for answer in answers] == [answers[0].json()] * 4
    assert len(await shop.query("select from jobs.mails where purpose = 'withdrawal_receipt'")) == 1
    assert len(await shop.query("select from jobs.pgqueuer where entrypoint = 'order_refund'")) == 1


async def test_the_job_that_ran_twice_paid_once(shop: Shop) -> None:
    await shop.bought()
    await withdraw(shop)
    await refund_by_job(shop)
    await shop.execute("update public.order_refunds set state = 'requested', settled_at = null, provider_refund = null")
    async with shop.resources.pool.acquire() as connection, connection.transaction():
        from backend.core import jobs

        [refund] = await shop.query("select id from public.order_refunds")
        await jobs.enqueue(connection, "order_refund", {"refund_id": str(refund["id"])})
    await refund_by_job(shop)
    assert len(shop.stripe.account.all("refund")) == 1
    [refund] = await shop.query("select state from public.order_refunds")
    assert refund["state"] == "sent"


async def test_an_attempt_after_stripe_has_forgotten_its_key_finds_the_refund_of_the_one_before(shop: Shop) -> None:
    await shop.bought("starter")
    await spend(shop, 70)
    await withdraw(shop)
    [owed] = await shop.query("select id from public.order_refunds")
    await shop.job(order_refund, refund_id=str(owed["id"]))
    [ours] = shop.stripe.account.all("refund")
    # What a person gave back by hand is none of it.
    payments.refund(shop.stripe.account, shop.stripe.session(ours["charge"]), 100, {})
    # The attempt was cut before it wrote down what Stripe had said.
    await shop.execute("update public.order_refunds set state = 'requested', settled_at = null, provider_refund = null")
    shop.stripe.account.answers.clear()
    await shop.job(order_refund, refund_id=str(owed["id"]))
    assert [made["amount"] for made in shop.stripe.account.all("refund")] == [100, 299]
    [refund] = await shop.query("select state, provider_refund from public.order_refunds")
    assert tuple(refund.values()) == ("sent", ours["id"])


async def test_a_refund_that_was_sent_is_not_asked_for_again(shop: Shop) -> None:
    await shop.bought()
    await withdraw(shop)
    [owed] = await shop.query("update public.order_refunds set state = 'sent', settled_at = now() returning id")
    await shop.job(order_refund, refund_id=str(owed["id"]))
    assert shop.stripe.account.all("refund") == []


@pytest.mark.parametrize(("used", "told"), [(1149, "Abbiamo tolto 1 credito"), (0, "Abbiamo tolto 1.150 crediti")])
async def test_the_receipt_counts_the_credits_in_italian(shop: Shop, used: int, told: str) -> None:
    await shop.bought("enterprise")
    if used:
        await spend(shop, used)
    await withdraw(shop)
    [receipt] = await shop.query("select plain from jobs.mails where purpose = 'withdrawal_receipt'")
    assert f"{told} dal tuo saldo." in receipt["plain"].replace("\n", " ")


@pytest.mark.parametrize(("days", "status"), [(29, 200), (32, 409)], ids=["within thirty days", "later"])
async def test_there_are_thirty_days(shop: Shop, days: int, status: int) -> None:
    await shop.bought()
    await shop.execute("update public.credit_orders set paid_at = paid_at - make_interval(days => $1)", days)
    answer = await withdraw(shop)
    assert answer.status_code == status
    if status == 409:
        assert answer.json()["code"] == "too_late"


async def test_what_cannot_be_withdrawn_from(shop: Shop) -> None:
    await shop.checkout("starter")
    assert (await withdraw(shop)).json()["code"] == "not_withdrawable"
    payments.pay(shop.stripe.account, shop.stripe.account.all("checkout.session")[0])
    await shop.tell(shop.stripe.events("checkout.session.completed")[0])
    await shop.execute("select private.hold_credits($1, 50, 'work')", shop.buyer)
    assert (await withdraw(shop)).json()["code"] == "credits_in_use"
    assert await shop.balance() == 50
    await shop.execute("select private.release_hold(id) from public.credit_holds")
    await spend(shop, 100)
    assert (await withdraw(shop)).json()["code"] == "nothing_left"
    assert await shop.query("select from public.order_refunds") == []


async def test_while_all_credits_are_in_use_nobody_says_that_they_are_used_up(shop: Shop) -> None:
    await shop.bought("starter")
    [hold] = await shop.query("select id from private.hold_credits($1, 100, 'work')", shop.buyer)
    assert (await withdraw(shop)).json()["code"] == "credits_in_use"
    await shop.execute("select private.release_hold($1)", hold["id"])
    assert (await withdraw(shop)).json()["amount_cents"] == 999


@pytest.mark.parametrize(
    ("given_back_cents", "used", "owed_cents"), [(500, 0, 499), (500, 30, 199), (500, 60, None), (995, 0, 4)]
)
async def test_what_stripe_gave_back_is_not_owed_again_while_its_credits_were_not_taken_yet(
    shop: Shop, given_back_cents: int, used: int, owed_cents: int | None
) -> None:
    session = await shop.bought("starter")
    [hold] = await shop.query("select id from private.hold_credits($1, 100, 'work')", shop.buyer)
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], given_back_cents, {})
    assert await shop.tell(shop.stripe.events("charge.refunded")[0]) == "waiting"
    await shop.execute("select private.settle_hold($1, $2, 'work done')", hold["id"], used)
    answer = (await withdraw(shop)).json()
    assert (answer.get("amount_cents"), answer.get("code")) == (owed_cents, None if owed_cents else "nothing_left")


async def test_nobody_withdraws_for_somebody_else(shop: Shop) -> None:
    await shop.bought()
    stranger = uuid4()
    async with shop.resources.pool.acquire() as connection:
        await accounts.create(connection, stranger)
    assert (await withdraw(shop, as_user=stranger)).status_code == 404
    assert (await shop.call("withdraw_order", {"orderId": "x"})).status_code == 400
    assert (await shop.client.post("/functions/v1/withdraw_order", json={})).status_code == 401
    assert await shop.balance() == 550


async def test_a_refund_stripe_refuses_calls_a_person(shop: Shop) -> None:
    session = await shop.bought()
    await withdraw(shop)
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], 3999, {})
    await refund_by_job(shop)
    assert await shop.alerts() == ["refund_failed"]
    [refund] = await shop.query("select state from public.order_refunds")
    assert refund["state"] == "failed"


async def failed_at_the_bank(shop: Shop) -> list[str]:
    """The refund that Stripe made comes back, as Stripe tells it; answers what became of the events."""
    [refund] = shop.stripe.account.all("refund")
    refund |= {"status": "failed", "failure_reason": "expired_or_canceled_card"}
    kinds = ("charge.refund.updated", "refund.updated", "refund.failed")
    return [await shop.tell(payments.emit(shop.stripe.account, kind, refund)) for kind in kinds]


async def test_a_refund_that_fails_at_the_bank_calls_a_person_once(shop: Shop) -> None:
    await shop.bought()
    await withdraw(shop)
    await refund_by_job(shop)
    await tell_refunds(shop)
    assert await failed_at_the_bank(shop) == ["noted"] * 3
    assert await shop.alerts() == ["refund_failed"]
    [alert] = await shop.query("select order_id, details from public.payment_alerts")
    [made] = shop.stripe.account.all("refund")
    assert (alert["order_id"], alert["details"]["refund"]) == ((await shop.order())["id"], made["id"])
    [refund] = await shop.query("select state, provider_refund from public.order_refunds")
    assert tuple(refund.values()) == ("failed", made["id"])
    # What Stripe answered the job, or an older event, comes last.
    await shop.execute("select private.note_refund($1)", {**made, "status": "pending"})
    [refund] = await shop.query("select state from public.order_refunds")
    assert refund["state"] == "failed"


async def test_a_refund_by_hand_that_fails_calls_a_person_too(shop: Shop) -> None:
    session = await shop.bought()
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], 3999, {})
    await tell_refunds(shop)
    await failed_at_the_bank(shop)
    assert await shop.alerts() == ["refund_failed"]


async def test_a_refund_that_the_bank_refuses_at_once_is_not_called_sent(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = payments.refund
    monkeypatch.setattr(payments, "refund", lambda *given: real(*given) | {"status": "failed"})
    await shop.bought()
    await withdraw(shop)
    await refund_by_job(shop)
    [refund] = await shop.query("select state from public.order_refunds")
    assert (refund["state"], await shop.alerts()) == ("failed", ["refund_failed"])


async def test_a_refund_by_hand_takes_what_is_unused_and_tells_of_the_rest(shop: Shop) -> None:
    """Prove FAULT-12: the balance never falls below zero; for what was spent a person decides."""
    session = await shop.bought("starter")
    await spend(shop, 70)
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], 999, {})
    await tell_refunds(shop)
    assert (await shop.balance(), (await shop.order())["state"]) == (0, "refunded")
    assert await shop.alerts() == ["refund_of_spent_credits"]


async def test_a_refund_while_credits_are_held_waits_for_them(shop: Shop) -> None:
    session = await shop.bought("starter")
    [hold] = await shop.query("select id from private.hold_credits($1, 50, 'work')", shop.buyer)
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], 999, {})
    assert await shop.tell(shop.stripe.events("charge.refunded")[0]) == "waiting"
    # What nobody holds is gone at once.
    assert await shop.balance() == 0
    await shop.execute("select private.settle_hold($1, 10, 'work done')", hold["id"])
    assert [row["outcome"] for row in await shop.query("select * from private.retry_payment_events()")] == ["noted"]
    assert await shop.balance() == 0
    assert await shop.tell(shop.stripe.events("charge.refunded")[0]) == "known"


async def test_a_refund_by_hand_in_part_leaves_the_rest_to_be_withdrawn(shop: Shop) -> None:
    session = await shop.bought("starter")
    intent = shop.stripe.account.objects[session["payment_intent"]]
    payments.refund(shop.stripe.account, shop.stripe.account.objects[intent["latest_charge"]], 500, {})
    await tell_refunds(shop)
    left = await shop.balance() - 0
    answer = await withdraw(shop)
    assert (answer.json()["credits"], answer.json()["amount_cents"]) == (left, 999 * left // 100)
    assert answer.json()["amount_cents"] <= 499
    await refund_by_job(shop)
    await tell_refunds(shop)
    order = await shop.order()
    assert (order["taken_cents"], order["refunded_cents"]) == (500 + answer.json()["amount_cents"],) * 2
    assert await shop.alerts() == []
