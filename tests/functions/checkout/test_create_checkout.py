"""Beginning to buy: the right price, only for oneself, and once however often the button is pressed."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from backend.core import config
from functions._shared import stripe_client
from functions.jobs import order_receipts
from tests.fakes.stripe import payments
from tests.functions.checkout.conftest import GONE, Shop

pytestmark = pytest.mark.anyio

VECTORS = json.loads((config.ROOT / "tests" / "vectors" / "tax_ids.json").read_text())["billing"]
COMPANY = VECTORS["valid"][1]


@pytest.mark.parametrize(
    ("pack", "cents", "credits_"), [("starter", 999, 100), ("pro", 3999, 550), ("enterprise", 6999, 1150)]
)
async def test_each_pack_costs_what_the_catalogue_says(shop: Shop, pack: str, cents: int, credits_: int) -> None:
    session = await shop.checkout(pack)
    assert (session["amount_total"], session["currency"], session["locale"]) == (cents, "eur", "it")
    order = await shop.order()
    assert (order["state"], order["amount_cents"], order["credits"] + order["bonus"]) == ("pending", cents, credits_)
    assert (order["provider_session"], session["client_reference_id"]) == (session["id"], str(order["id"]))
    site = shop.resources.settings.auth.site_url
    assert session["success_url"] == f"{site}/store/success?session_id={{CHECKOUT_SESSION_ID}}"
    assert session["cancel_url"] == f"{site}/store?annullato=1"


async def test_a_visitor_must_sign_in(client: httpx.AsyncClient) -> None:
    answer = await client.post("/functions/v1/create_checkout", json={"packType": "pro", "userId": "x"})
    assert (answer.status_code, answer.json()["code"]) == (401, "no_authorization")
    assert answer.json()["message"] == "Accedi al tuo account per continuare"


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "somebody else's account": ({"userId": "00000000-0000-4000-8000-000000000001"}, 403, "forbidden"),
    "no account": ({"userId": None}, 403, "forbidden"),
    "a pack nobody sells": ({"packType": "gratis"}, 400, "unknown_pack"),
    "a pack that is a number": ({"packType": 1}, 400, "unknown_pack"),
    "no pack": ({"packType": None}, 400, "unknown_pack"),
    "billing that is a text": ({"billing": "x"}, 400, "invalid_billing"),
    "billing of nobody": ({"billing": {}}, 400, "invalid_kind"),
    "a name that is a number": ({"billing": {**COMPANY, "name": 7}}, 400, "invalid_name"),
    "an endless name": ({"billing": {**COMPANY, "name": "x" * 500}}, 400, "invalid_name"),
    "a name with a bell": ({"billing": {**COMPANY, "name": "x\ay"}}, 400, "invalid_name"),
    "the tax code of an organisation for a person": (
        {"billing": {**VECTORS["valid"][0], "tax_code": "80078750587"}},
        400,
        "invalid_tax_code",
    ),
    **{
        f"billing with a wrong {field}": ({"billing": data}, 400, f"invalid_{field}")
        for field, data in VECTORS["invalid"].items()
    },
}


@pytest.mark.parametrize(("change", "status", "code"), REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_bought_leaves_no_order(shop: Shop, change: Any, status: int, code: str) -> None:
    answer = await shop.call("create_checkout", {"packType": "pro", "userId": str(shop.buyer), **change})
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert await shop.query("select from public.credit_orders") == []
    assert shop.stripe.account.objects == {}


async def test_the_client_cannot_name_a_price(shop: Shop) -> None:
    session = await shop.checkout("starter", amount=1, credits=1_000_000, price_cents=1, currency="usd")
    assert (session["amount_total"], (await shop.order())["credits"]) == (999, 100)


async def test_clicks_at_once_and_the_way_back_find_the_same_page(shop: Shop) -> None:
    clicks = await asyncio.gather(*(shop.checkout() for _ in range(8)))
    again = await shop.checkout()
    assert {session["id"] for session in [*clicks, again]} == {again["id"]}
    assert len(await shop.query("select from public.credit_orders")) == 1


async def test_after_a_payment_the_same_pack_can_be_bought_again(shop: Shop) -> None:
    first = await shop.bought("starter")
    second = await shop.checkout("starter")
    assert second["id"] != first["id"]


async def test_somebody_who_pays_in_another_tab_meanwhile_is_not_sent_to_pay_twice(shop: Shop) -> None:
    """Stripe has the money, we have not been told yet: the click leads to the page that says it is paid."""
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session)
    again = await shop.checkout()
    assert again["id"] == session["id"]
    async with httpx.AsyncClient(base_url=shop.stripe.url) as browser:
        page = await browser.get(f"/c/pay/{session['id']}")
    assert "Hai già pagato" in page.text


@pytest.mark.parametrize("number", range(len(VECTORS["valid"])))
async def test_billing_data_are_kept_as_they_were(shop: Shop, number: int) -> None:
    given = VECTORS["valid"][number]
    await shop.checkout(billing=given)
    order = await shop.order()
    assert order["billing"] == {**given, "province": "MI"}
    assert order["consumer"] is (given["kind"] == "persona")


async def test_what_was_paid_keeps_its_invoice_data_whatever_is_clicked_before_we_are_told(shop: Shop) -> None:
    session = await shop.checkout(billing=COMPANY)
    payments.pay(shop.stripe.account, session)
    # Said nothing of an invoice, the click finds the page that says it is paid; for another invoice it buys anew, once
    # it is said that the first has come.
    assert (await shop.checkout())["id"] == session["id"]
    anew = {
        "packType": "pro",
        "userId": str(shop.buyer),
        "withdrawalWaiver": True,
        "billing": {**COMPANY, "city": "Monza"},
    }
    assert (await shop.call("create_checkout", anew)).status_code == 409
    other = await shop.checkout(billing={**COMPANY, "city": "Monza"})
    assert other["id"] != session["id"]
    await shop.tell(shop.stripe.events("checkout.session.completed")[0])
    kept = {
        row["provider_session"]: (row["state"], row["billing"]["city"], row["consumer"])
        for row in await shop.query("select * from public.credit_orders")
    }
    assert kept == {session["id"]: ("fulfilled", "Milano", False), other["id"]: ("pending", "Monza", False)}


async def test_stripe_that_cannot_be_reached_is_told_and_the_next_click_goes_on(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.stripe.account.answers.clear()
    real = shop.resources.settings.edge_runtime.secrets
    with monkeypatch.context() as broken:
        broken.setitem(real, "STRIPE_SECRET_KEY", "sk_test_wrong")
        answer = await shop.call("create_checkout", {"packType": "pro", "userId": str(shop.buyer)})
    assert (answer.status_code, answer.json()["code"]) == (502, "payment_unavailable")
    assert answer.json()["message"].startswith("Si è verificato un problema con il pagamento")
    await shop.checkout()
    assert len(await shop.query("select from public.credit_orders")) == 1


async def test_the_wish_for_credits_at_once_is_kept_with_its_first_moment_and_repeated_in_the_receipt(
    shop: Shop,
) -> None:
    await shop.checkout("starter", withdrawalWaiver="yes")
    assert (await shop.order())["withdrawal_waiver_at"] is None
    await shop.checkout("starter")
    waived_at = (await shop.order())["withdrawal_waiver_at"]
    assert waived_at is not None
    await shop.checkout("starter", withdrawalWaiver=False)
    session = await shop.checkout("starter")
    assert (await shop.order())["withdrawal_waiver_at"] == waived_at
    payments.pay(shop.stripe.account, session)
    await shop.tell(shop.stripe.events("checkout.session.completed")[-1])
    [receipt] = await shop.receipts()
    assert order_receipts.WAIVER in receipt.replace("\n", " ")


async def test_the_receipt_of_many_credits_groups_their_thousands(shop: Shop) -> None:
    await shop.bought("enterprise")
    [receipt] = await shop.receipts()
    assert "abbiamo accreditato 1.150 crediti, di cui 150 in omaggio." in receipt.replace("\n", " ")


async def plain(shop: Shop, pack: str = "pro", **more: Any) -> httpx.Response:
    """Begin to buy with the least that a client sends, which says nothing of a waiver."""
    return await shop.call("create_checkout", {"packType": pack, "userId": str(shop.buyer), **more})


async def test_without_waiver_a_consumer_buys_once_and_with_it_goes_on(shop: Shop) -> None:
    first, again = await plain(shop), await plain(shop)
    assert (first.status_code, first.json()) == (200, again.json())
    refused = await plain(shop, "starter")
    assert (refused.status_code, refused.json()["code"]) == (400, "waiver_needed")
    assert refused.json()["message"].startswith("Per comprare ancora, conferma che vuoi usare i crediti subito")
    assert len(await shop.query("select from public.credit_orders")) == 1
    await shop.checkout("starter")
    assert (await plain(shop, "enterprise", billing=COMPANY)).status_code == 200


async def test_of_several_packs_at_once_without_waiver_one_is_sold(shop: Shop) -> None:
    answers = await asyncio.gather(*(plain(shop, pack) for pack in ("starter", "pro", "enterprise")))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400]


AFTER: dict[str, tuple[str, int]] = {
    "paid": ("paid_at = now(), fulfilled_at = now()", 400),
    "held back": ("paid_at = now()", 400),
    "given back": ("paid_at = now(), fulfilled_at = now(), withdrawn_at = now()", 400),
    "disputed": ("paid_at = now(), fulfilled_at = now(), disputed_at = now()", 400),
    "a direct debit on its way": ("expires_at = now() - interval '3 days'", 400),
    "expired": ("expired_at = now()", 200),
    "not paid by the bank": ("failed_at = now()", 200),
    "of a company": ("consumer = false", 200),
    "waived": ("withdrawal_waiver_at = now()", 200),
}


@pytest.mark.parametrize(("facts", "status"), AFTER.values(), ids=AFTER)
async def test_what_became_of_the_order_without_waiver_decides_on_another(shop: Shop, facts: str, status: int) -> None:
    await plain(shop)
    await shop.execute(f"update public.credit_orders set {facts}")
    assert (await plain(shop, "starter")).status_code == status


async def test_after_a_500_of_stripe_the_next_click_buys(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stripe answers it again to whoever asks under the same key, so the order of that key is over."""
    monkeypatch.setattr(stripe_client, "RETRIES", 0)
    shop.stripe.account.faults.fail = 1
    assert (await plain(shop)).json()["code"] == "payment_unavailable"
    answer = await plain(shop)
    assert answer.status_code == 200, answer.text
    states = await shop.query("select state from public.credit_orders order by created_at")
    assert [row["state"] for row in states] == ["expired", "pending"]


async def test_a_corrected_invoice_leaves_one_page_on_which_to_pay(shop: Shop) -> None:
    other_pack = await shop.checkout("starter", billing=COMPANY)
    first = await shop.checkout(billing=COMPANY)
    corrected = await shop.checkout(billing={**COMPANY, "city": "Monza"})
    assert (first["status"], corrected["status"], other_pack["status"]) == ("expired", "open", "open")
    # Corrected back, there is a new page, not the closed one.
    back = await shop.checkout(billing=COMPANY)
    assert (back["status"], corrected["status"]) == ("open", "expired")
    assert back["id"] != first["id"]


async def test_an_older_page_that_cannot_be_closed_does_not_stop_the_purchase(shop: Shop) -> None:
    first = await shop.checkout(billing=COMPANY)
    del shop.stripe.account.objects[first["id"]]
    corrected = await shop.checkout(billing={**COMPANY, "city": "Monza"})
    assert corrected["status"] == "open"
    states = await shop.query("select state from public.credit_orders")
    assert [row["state"] for row in states] == ["pending", "pending"]


async def test_while_a_direct_debit_is_on_its_way_its_pack_is_not_paid_again(shop: Shop) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session, method="sepa_debit", settled=False)
    assert await shop.tell(shop.stripe.events("checkout.session.completed")[0]) == "noted"
    # Days go by; the page of the first click has ended long since, and the invoice is another.
    await shop.execute("update public.credit_orders set expires_at = now() - interval '3 days'")
    wanted = {"packType": "pro", "userId": str(shop.buyer), "withdrawalWaiver": True, "billing": COMPANY}
    answer = await shop.call("create_checkout", wanted)
    assert (answer.status_code, answer.json()["code"]) == (409, "payment_under_way")
    assert "già in corso" in answer.json()["message"]
    assert len(shop.stripe.account.all("checkout.session")) == 1
    await shop.checkout("starter")
    payments.bounce(shop.stripe.account, session)
    await shop.tell(shop.stripe.events("checkout.session.async_payment_failed")[0])
    assert (await shop.checkout())["id"] != session["id"]


@pytest.mark.parametrize(
    ("is_settled", "told", "state"), [(True, "Hai già pagato", "fulfilled"), (False, "già in corso", "pending")]
)
async def test_what_was_paid_and_nobody_has_told_us_is_not_paid_again(
    shop: Shop, is_settled: bool, told: str, state: str
) -> None:
    session = await shop.checkout()
    payments.pay(shop.stripe.account, session, method="sepa_debit", settled=is_settled)
    await shop.execute("update public.credit_orders set expires_at = now() - interval '1 minute'")
    wanted = {"packType": "pro", "userId": str(shop.buyer), "withdrawalWaiver": True, "billing": COMPANY}
    answer = await shop.call("create_checkout", wanted)
    assert (answer.status_code, answer.json()["code"]) == (409, "payment_under_way")
    assert told in answer.json()["message"]
    assert (await shop.query("select state from public.credit_orders order by created_at"))[0]["state"] == state
    # Whoever wants another one after it says so again; what is still on its way is not sold twice.
    assert (await shop.call("create_checkout", wanted)).status_code == (200 if is_settled else 409)


@pytest.mark.parametrize("gone", GONE.values(), ids=GONE)
async def test_the_token_of_a_deleted_account_buys_nothing(shop: Shop, gone: str) -> None:
    await shop.execute(gone, shop.buyer)
    answer = await shop.call("create_checkout", {"packType": "pro", "userId": str(shop.buyer)})
    assert (answer.status_code, answer.json()["code"]) == (403, "user_not_found")
    assert await shop.query("select from public.credit_orders") == []
    assert shop.stripe.account.objects == {}
