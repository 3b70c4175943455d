"""What Stripe tells: believed only when signed, done once, and the same whatever comes first (FAULT-03 to FAULT-07)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from functions.jobs import retention
from tests.db import ledger
from tests.fakes.stripe import payments, webhooks
from tests.fakes.stripe.account import Object
from tests.functions.checkout.conftest import GONE, OLD_SECRET, WEBHOOK_SECRET, Shop, altered

pytestmark = pytest.mark.anyio


async def test_a_paid_session_brings_credits_a_notification_papers_and_a_receipt(shop: Shop) -> None:
    await shop.bought("pro")
    order = await shop.order()
    assert (order["state"], await shop.balance()) == ("fulfilled", 550)
    lots = await shop.query(
        "select kind, amount, paid_cents from public.credit_lots where order_id = $1 order by kind", order["id"]
    )
    assert [tuple(lot.values()) for lot in lots] == [("acquisto", 500, 3999), ("bonus", 50, 0)]
    [note] = await shop.query(
        "select message, action_url from public.notifications where title = 'Crediti accreditati'"
    )
    assert tuple(note.values()) == ("Accreditati 550 crediti: puoi usarli da subito.", "/settings/credits")
    [paper] = await shop.query("select kind, amount_cents, state from public.fiscal_documents")
    assert tuple(paper.values()) == ("invoice", 3999, "queued")
    [mail] = await shop.receipts()
    assert mail.startswith(f"{shop.buyer}@example.test\n")
    assert "550 crediti, di cui 50 in omaggio" in mail
    assert "39,99 €" in mail
    assert f"{shop.resources.settings.auth.site_url}/settings/credits" in mail
    assert "Recedere dal contratto qui" in mail
    assert await shop.receipts() == [mail]


async def test_duplicates_at_the_same_instant_grant_once_and_are_all_thanked(shop: Shop) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session)
    events = shop.stripe.events()
    outcomes = await asyncio.gather(*(shop.tell(event) for event in events * 5))
    assert sorted(outcomes).count("fulfilled") == 1
    assert await shop.balance() == 550
    assert len(await shop.receipts()) == 1


# --- who may tell us (FAULT-05) -------------------------------------------------------------------------------------


async def paid(shop: Shop) -> bytes:
    payments.pay(shop.stripe.account, await shop.checkout())
    return webhooks.body_of(shop.stripe.events("checkout.session.completed")[0])


def signed(body: bytes, *secrets: str, age_s: int = 0) -> str:
    return webhooks.signature(body, secrets, int(time.time()) - age_s)


FORGED: dict[str, Callable[[bytes], tuple[bytes, str]]] = {
    "by a stranger": lambda body: (body, signed(body, "whsec_of_nobody")),
    "with one byte changed": lambda body: (body.replace(b'"paid"', b'"paiD"'), signed(body, WEBHOOK_SECRET)),
    "with another amount": lambda body: (body.replace(b"3999", b"0001"), signed(body, WEBHOOK_SECRET)),
    "five minutes and a second old": lambda body: (body, signed(body, WEBHOOK_SECRET, age_s=301)),
    "with a time that was not signed": lambda body: (
        body, signed(body, WEBHOOK_SECRET, age_s=900).replace(f"t={int(time.time()) - 900}", f"t={int(time.time())}"),
    ),
    "with another scheme": lambda body: (body, signed(body, WEBHOOK_SECRET).replace("v1=", "v0=")),
    "without a time": lambda body: (body, signed(body, WEBHOOK_SECRET).split(",", 1)[1]),
    "without a signature": lambda body: (body, ""),
    "with bytes that are no text": lambda body: (b"\xff" + body, signed(body, WEBHOOK_SECRET)),
    "signed with nothing": lambda body: (body, signed(body, "")),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
async def test_an_event_is_refused_and_leaves_no_row(shop: Shop, name: str) -> None:
    answer = await shop.send(*FORGED[name](await paid(shop)))
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_signature")
    assert await shop.query("select from public.payment_events") == []
    assert await shop.balance() == 0


@pytest.mark.parametrize(
    "secrets",
    [(WEBHOOK_SECRET,), (OLD_SECRET,), (WEBHOOK_SECRET, OLD_SECRET), ("whsec_next", OLD_SECRET)],
    ids=["the new secret", "the old one", "both", "one we do not know yet and the old one"],
)
async def test_while_the_secret_is_changed_either_is_good(shop: Shop, secrets: tuple[str, ...]) -> None:
    body = await paid(shop)
    answer = await shop.send(body, signed(body, *secrets, age_s=290))
    assert (answer.status_code, answer.json()["outcome"]) == (200, "fulfilled")


async def test_a_replay_of_a_good_event_changes_nothing(shop: Shop) -> None:
    body = await paid(shop)
    header = signed(body, WEBHOOK_SECRET)
    first, second = await shop.send(body, header), await shop.send(body, header)
    assert (first.json()["outcome"], second.status_code, second.json()["outcome"]) == ("fulfilled", 200, "known")
    assert await shop.balance() == 550


async def test_a_foreign_authorization_header_does_not_matter(shop: Shop) -> None:
    body = await paid(shop)
    headers = {"Stripe-Signature": signed(body, WEBHOOK_SECRET), "Authorization": "Bearer of.somebody.else"}
    answer = await shop.client.post("/functions/v1/stripe_webhook", content=body, headers=headers)
    assert answer.status_code == 200


# --- what does not fit our order (FAULT-07) -------------------------------------------------------------------------

DIFFERENT: dict[str, dict[str, Any]] = {
    "amount": {"amount_total": 1},
    "currency": {"currency": "usd"},
    "session": {"id": "cs_test_other"},
    "reference": {"client_reference_id": "00000000-0000-4000-8000-000000000001"},
    "user": {"metadata": {"user_id": "00000000-0000-4000-8000-000000000001"}},
    "pack": {"metadata": {"pack_id": "enterprise"}},
}


@pytest.mark.parametrize("name", DIFFERENT)
async def test_a_payment_of_something_else_grants_nothing_and_calls_a_person(shop: Shop, name: str) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session)
    event = shop.stripe.events("checkout.session.completed")[0]
    change = dict(DIFFERENT[name])
    change["metadata"] = {**session["metadata"], **change.get("metadata", {})}
    assert await shop.tell(altered({**event, "id": "evt_different"}, **change)) == "held_back"
    assert (await shop.balance(), (await shop.order())["state"]) == (0, "review")
    assert await shop.alerts() == ["mismatch"]
    # The right one, when it comes, is still believed.
    assert await shop.tell(event) == "fulfilled"
    assert ((await shop.order())["state"], await shop.balance()) == ("fulfilled", 550)


@pytest.mark.parametrize("gone", GONE.values(), ids=GONE)
async def test_money_for_a_deleted_account_is_held_back_for_a_person_to_send_back(shop: Shop, gone: str) -> None:
    session = await shop.checkout()
    await shop.execute(gone, shop.buyer)
    payments.pay(shop.stripe.account, session)
    assert await shop.tell(shop.stripe.events("checkout.session.completed")[0]) == "held_back"
    assert (await shop.balance(), (await shop.order())["state"]) == (0, "review")
    [alert] = await shop.query("select kind, order_id, details from public.payment_alerts")
    assert tuple(alert.values()) == (
        "deleted_account",
        (await shop.order())["id"],
        {"account": [str(shop.buyer), None]},
    )
    assert await given_back(shop, session, 3999) == "noted"
    assert ((await shop.order())["state"], await shop.alerts()) == ("refunded", ["deleted_account"])


@pytest.mark.parametrize("gone", GONE.values(), ids=GONE)
async def test_an_account_that_goes_later_makes_nothing_strange_of_what_it_bought_or_left(
    shop: Shop, gone: str
) -> None:
    await shop.bought("pro")
    left = await shop.checkout("starter")
    await shop.execute(gone, shop.buyer)
    again = shop.stripe.events("checkout.session.completed")[0]
    assert await shop.tell({**again, "id": "evt_again"}) == "noted"
    payments.expire(shop.stripe.account, left)
    assert await shop.tell(shop.stripe.events("checkout.session.expired")[0]) == "noted"
    assert await shop.alerts() == []


async def test_a_payment_of_an_order_nobody_made_calls_a_person(shop: Shop) -> None:
    payments.pay(shop.stripe.account, await shop.checkout())
    event = shop.stripe.events("checkout.session.completed")[0]
    strange = altered(event, metadata={"order_id": "00000000-0000-4000-8000-000000000001"})
    assert await shop.tell(strange) == "held_back"
    assert await shop.alerts() == ["unknown_order"]


async def test_what_others_sell_on_the_same_account_is_none_of_ours(shop: Shop) -> None:
    payments.pay(shop.stripe.account, await shop.checkout())
    event = shop.stripe.events("checkout.session.completed")[0]
    assert await shop.tell(altered(event, metadata={})) == "ignored"
    assert await shop.alerts() == []


async def test_what_others_sell_is_forgotten_after_thirty_days(shop: Shop) -> None:
    payments.pay(shop.stripe.account, await shop.checkout())
    event = shop.stripe.events("checkout.session.completed")[0]
    assert await shop.tell(event) == "fulfilled"
    other = {"id": "cs_other", "payment_intent": "pi_other", "client_reference_id": None}
    for name, metadata in (("old", {}), ("recent", {}), ("odd", {}), ("unknown", {"order_id": str(uuid4())})):
        await shop.tell({**altered(event, **other, metadata=metadata), "id": f"evt_{name}"})
    # It had failed for a day before it turned out to be of others.
    await shop.execute("select private.raise_alert('stuck_event', null, 'evt_odd', '{}')")
    await shop.execute(
        "update public.payment_events set received_at = now() - interval '31 days' where id <> 'evt_recent'"
    )
    await shop.job(retention, rules=["payment_events"])
    kept = [row["id"] for row in await shop.query("select id from public.payment_events order by id")]
    assert kept == sorted([event["id"], "evt_recent", "evt_odd", "evt_unknown"])


async def test_a_session_that_was_made_before_we_noted_it_finds_its_order(shop: Shop) -> None:
    """The process died between Stripe's answer and our row."""
    payments.pay(shop.stripe.account, await shop.checkout())
    await shop.execute("update public.credit_orders set provider_session = null, checkout_url = null")
    assert await shop.tell(shop.stripe.events("checkout.session.completed")[0]) == "fulfilled"


@pytest.mark.parametrize("body", [b"", b"[]", b'"x"', b"{}", b'{"id": 1, "type": 2}', b'{"id": "e", "type": "t"}'])
async def test_a_signed_body_that_is_no_event_is_a_bad_request(shop: Shop, body: bytes) -> None:
    answer = await shop.send(body, signed(body, WEBHOOK_SECRET))
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_json")
    assert await shop.query("select from public.payment_events") == []


# --- money that goes back -------------------------------------------------------------------------------------------

HOLD = "select id from private.hold_credits($1, $2, $3)"
RETRY = "select outcome from private.retry_payment_events()"


def charge_of(shop: Shop, session: Object) -> Object:
    account = shop.stripe.account
    return account.objects[account.objects[session["payment_intent"]]["latest_charge"]]


async def given_back(shop: Shop, session: Object, cents: int) -> str:
    """Somebody gives money back by hand; what became of its event."""
    payments.refund(shop.stripe.account, charge_of(shop, session), cents, {})
    return await shop.tell(shop.stripe.events("charge.refunded")[-1])


async def told_of_dispute(shop: Shop) -> str:
    return await shop.tell(shop.stripe.events("charge.dispute.")[-1])


async def withdrawn(shop: Shop) -> dict[str, Any]:
    answer = await shop.call("withdraw_order", {"orderId": str((await shop.order())["id"])})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def retried(shop: Shop) -> list[str]:
    return [row["outcome"] for row in await shop.query(RETRY)]


async def test_a_refund_is_never_forgotten_while_work_follows_work(shop: Shop) -> None:
    session = await shop.bought()
    [hold] = await shop.query(HOLD, shop.buyer, 60, "work")
    assert await given_back(shop, session, 3999) == "waiting"
    order = await shop.order()
    assert (order["state"], order["refunded_cents"], await shop.balance()) == ("refunded", 3999, 0)
    with pytest.raises(asyncpg.PostgresError) as caught:
        await shop.query(HOLD, shop.buyer, 1, "more work")
    assert caught.value.sqlstate == "SC003"
    assert await retried(shop) == ["waiting"]
    await shop.execute("select private.settle_hold($1, 5, 'done')", hold["id"])
    assert await retried(shop) == ["noted"]
    assert (await shop.balance(), await ledger.broken(shop.resources.pool)) == (0, {})
    # What was used meanwhile is for a person to decide; the bonus was used first, and nobody paid for it.
    assert await shop.alerts() == []


async def test_credits_that_were_used_after_their_money_went_back_are_told_to_a_person(shop: Shop) -> None:
    session = await shop.bought()
    [hold] = await shop.query(HOLD, shop.buyer, 60, "work")
    await given_back(shop, session, 3999)
    await shop.execute("select private.settle_hold($1, 60, 'done')", hold["id"])
    assert await retried(shop) == ["noted"]
    [alert] = await shop.query("select kind, details from public.payment_alerts")
    assert alert == {
        "kind": "refund_of_spent_credits", "details": {"refunded_cents": 3999, "credits_missing": 10}
    }  # fmt: skip


async def test_a_disputed_order_keeps_nothing_while_work_holds_some(shop: Shop) -> None:
    session = await shop.bought()
    [hold] = await shop.query(HOLD, shop.buyer, 60, "work")
    made = payments.dispute(shop.stripe.account, charge_of(shop, session))
    assert await told_of_dispute(shop) == "waiting"
    assert ((await shop.order())["state"], await shop.balance()) == ("disputed", 0)
    await shop.execute("select private.release_hold($1)", hold["id"])
    assert await retried(shop) == ["noted"]
    assert await shop.balance() == 0
    payments.close_dispute(shop.stripe.account, made, "won")
    assert await told_of_dispute(shop) == "noted"
    assert ((await shop.order())["state"], await shop.balance()) == ("fulfilled", 550)


@pytest.mark.parametrize(("used", "owed_cents"), [(0, 1999), (150, 3999 * 400 // 500 - 2000)])
async def test_a_part_that_was_given_back_during_work_is_not_paid_twice(shop: Shop, used: int, owed_cents: int) -> None:
    session = await shop.bought()
    [hold] = await shop.query(HOLD, shop.buyer, 540, "work")
    assert await given_back(shop, session, 2000) == "waiting"
    assert (await shop.order())["refunded_cents"] == 2000
    await shop.execute("select private.settle_hold($1, $2, 'done')", hold["id"], used)
    assert (await withdrawn(shop))["amount_cents"] == owed_cents
    assert await shop.balance() == 0


async def test_after_a_dispute_was_won_everything_is_as_before(shop: Shop) -> None:
    session = await shop.bought()
    made = payments.dispute(shop.stripe.account, charge_of(shop, session))
    await told_of_dispute(shop)
    assert await shop.balance() == 0
    payments.close_dispute(shop.stripe.account, made, "won")
    await told_of_dispute(shop)
    # A euro for the trouble costs a euro's credits.
    assert await given_back(shop, session, 100) == "noted"
    assert await shop.balance() == 550 - 12 - 1
    assert await withdrawn(shop) == {"amount_cents": 3899, "credits": 537, "state": "requested"}
    assert await shop.alerts() == ["dispute"]


@pytest.mark.parametrize("cents", [[1], [7], [1000], [3998], [333] * 3, [1] * 10], ids=str)
async def test_what_is_given_back_and_what_is_withdrawn_are_the_price(shop: Shop, cents: list[int]) -> None:
    session = await shop.bought()
    for part in cents:
        await given_back(shop, session, part)
    assert (await withdrawn(shop))["amount_cents"] == 3999 - sum(cents)
    assert (await shop.balance(), await shop.alerts()) == (0, [])


# --- events that wait -----------------------------------------------------------------------------------------------

# As another shop on the same account would have them.
FOREIGN = """
insert into public.payment_events (id, type, payload, received_at)
select 'evt_foreign_' || number, 'charge.dispute.created',
  jsonb_build_object('data', jsonb_build_object('object', jsonb_build_object('payment_intent', 'pi_' || number))),
  now() - interval '1 hour'
from generate_series(1, 101) as number
"""


async def test_events_that_wait_for_ever_keep_none_from_its_turn(shop: Shop) -> None:
    session = await shop.bought()
    [hold] = await shop.query(HOLD, shop.buyer, 60, "work")
    await given_back(shop, session, 3999)
    await shop.execute(FOREIGN)
    await shop.execute("select private.release_hold($1)", hold["id"])
    assert "noted" not in await retried(shop)
    assert "noted" in await retried(shop)
    assert await shop.balance() == 0


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "asked for"])
async def test_an_event_that_was_given_up_comes_back_with_its_payment(shop: Shop, is_told: bool) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session)
    payments.dispute(shop.stripe.account, charge_of(shop, session))
    assert await told_of_dispute(shop) == "waiting"
    await shop.execute("update public.payment_events set received_at = received_at - interval '2 days'")
    assert await retried(shop) == ["waiting"]
    assert (await retried(shop), await shop.alerts()) == ([], ["stuck_event"])
    if is_told:
        assert await shop.tell(shop.stripe.events("checkout.session.completed")[0]) == "fulfilled"
    else:
        await shop.execute("select private.apply_session($1)", session)
    assert ((await shop.order())["state"], await shop.balance()) == ("disputed", 0)


async def test_an_event_that_waits_for_held_credits_is_never_given_up(shop: Shop) -> None:
    session = await shop.bought()
    [hold] = await shop.query(HOLD, shop.buyer, 60, "work")
    await given_back(shop, session, 3999)
    await shop.execute("update public.payment_events set received_at = received_at - interval '2 days'")
    assert (await retried(shop), await retried(shop)) == (["waiting"], ["waiting"])
    assert await shop.alerts() == ["stuck_event"]
    await shop.execute("select private.release_hold($1)", hold["id"])
    assert await retried(shop) == ["noted"]


async def test_the_job_waits_for_nobody_who_works_on_an_order(shop: Shop) -> None:
    """A withdrawal holds its order while it waits for the wallet: who holds that must not wait for the order."""
    session = await shop.bought()
    [hold] = await shop.query(HOLD, shop.buyer, 60, "work")
    await given_back(shop, session, 3999)
    await shop.execute("select private.release_hold($1)", hold["id"])
    async with shop.resources.pool.acquire() as connection, connection.transaction():
        await connection.execute("select from public.credit_orders for update")
        async with asyncio.timeout(10):
            assert await retried(shop) == ["waiting"]
    assert await retried(shop) == ["noted"]
