"""The fake Stripe itself: its page, its webhooks with every fault, and that it forgets nothing."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import stripe
from aiohttp import web

from tests.fakes.stripe import page, payments, webhooks
from tests.fakes.stripe.account import Account, Faults, Object
from tests.fakes.stripe.app import create_app

pytestmark = pytest.mark.anyio

PATIENCE_S = 20
SECRET = "whsec_x"
ORDER = {
    "mode": "payment", "success_url": "http://shop.test/ok?id={CHECKOUT_SESSION_ID}", "cancel_url": "http://shop.test/",
    "line_items[0][price_data][currency]": "eur", "line_items[0][price_data][unit_amount]": "123450",
    "line_items[0][price_data][product_data][name]": "<b>Crediti</b>", "payment_intent_data[metadata][order_id]": "o1",
}  # fmt: skip


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Account.load(tmp_path / "fake-stripe.json")


@pytest.fixture
async def client(account: Account) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(
        account, url="http://localhost:1", secret_key="sk_test_x", webhook_url="http://127.0.0.1:9/", webhook_secrets=()
    )
    transport = httpx.ASGITransport(app)
    headers = {"Authorization": "Bearer sk_test_x"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as opened:
        yield opened


async def opened(client: httpx.AsyncClient) -> Any:
    answer = await client.post("/v1/checkout/sessions", data=ORDER)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def pay(client: httpx.AsyncClient, session: Any, number: str) -> httpx.Response:
    form = {"method": "card", "number": number, "expiry": "12 / 30", "cvc": "123"}
    return await client.post(f"/c/pay/{session['id']}", data=form)


async def test_the_page_shows_what_is_sold_and_takes_the_good_card(client: httpx.AsyncClient, account: Account) -> None:
    session = await opened(client)
    shown = await client.get(f"/c/pay/{session['id']}")
    assert "&lt;b&gt;Crediti&lt;/b&gt;" in shown.text
    assert "Paga 1.234,50 €" in shown.text
    paid = await pay(client, session, "4242 4242 4242 4242")
    assert (paid.status_code, paid.headers["location"]) == (303, f"http://shop.test/ok?id={session['id']}")
    assert "Hai già pagato" in (await pay(client, session, "4242424242424242")).text
    assert len(account.all("charge")) == 1
    assert account.all("charge")[0]["metadata"] == {"order_id": "o1"}


@pytest.mark.parametrize(
    ("number", "complaint"),
    [
        ("4000 0000 0000 0002", page.DECLINED),
        ("4242 4242 4242 4241", page.NOT_A_NUMBER),
        ("5555 5555 5555 4444", page.NOT_A_TEST_CARD),
    ],
    ids=["declined", "mistyped", "a real one"],
)
async def test_other_cards_pay_nothing(
    client: httpx.AsyncClient, account: Account, number: str, complaint: str
) -> None:
    answer = await pay(client, await opened(client), number)
    assert answer.status_code == 402
    assert complaint in answer.text
    assert account.all("event") == []


async def test_the_third_card_asks_the_bank_first(client: httpx.AsyncClient, account: Account) -> None:
    session = await opened(client)
    assert "Verifica 3-D Secure" in (await pay(client, session, payments.CHALLENGES)).text
    refused = await client.post(f"/c/pay/{session['id']}/3ds", data={"outcome": "fail"})
    assert page.NOT_CONFIRMED in refused.text
    assert account.all("event") == []
    paid = await client.post(f"/c/pay/{session['id']}/3ds", data={"outcome": "success"})
    assert paid.status_code == 303


@pytest.mark.parametrize(
    ("iban", "last"),
    [
        (payments.IBAN_SUCCEEDS, "checkout.session.async_payment_succeeded"),
        (payments.IBAN_FAILS, "checkout.session.async_payment_failed"),
    ],
    ids=["comes", "does not come"],
)
async def test_a_direct_debit_is_known_later(client: httpx.AsyncClient, account: Account, iban: str, last: str) -> None:
    session = await opened(client)
    await client.post(f"/c/pay/{session['id']}", data={"method": "sepa", "iban": iban})
    first, *_, end = [each for each in account.all("event")[::-1] if each["type"].startswith("checkout.")]
    assert (first["data"]["object"]["payment_status"], end["type"]) == ("unpaid", last)


async def test_a_page_past_its_time_says_so(client: httpx.AsyncClient, account: Account) -> None:
    session = await opened(client)
    payments.expire(account, account.objects[session["id"]])
    assert "Pagina scaduta" in (await pay(client, session, payments.SUCCEEDS)).text


async def test_strangers_get_nothing(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/events", headers={"Authorization": "Bearer sk_test_y"})).status_code == 401
    assert (await client.get("/c/pay/cs_test_none")).status_code == 404
    assert (await client.get("/livez", headers={"Host": "evil.example"})).status_code == 400


# --- webhooks -------------------------------------------------------------------------------------------------------


class Receiver:
    """Counts what it is told, believes only what is signed, and answers as the test wants."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.forged = 0
        self.statuses: list[int] = []
        self._news = asyncio.Condition()

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        async with self._news:
            try:
                stripe.WebhookSignature.verify_header(body, request.headers["Stripe-Signature"], SECRET, 300)
                self.heard.append(json.loads(body)["type"])
            except stripe.SignatureVerificationError:
                self.forged += 1
            self._news.notify_all()
        return web.Response(status=self.statuses.pop(0) if self.statuses else 200)

    async def until(self, enough: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(enough)


@asynccontextmanager
async def delivering(account: Account, receiver: Receiver) -> AsyncIterator[None]:
    """The fake's sender, until the block ends as abruptly as a kill."""
    app = web.Application()
    app.router.add_post("/", receiver.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    task = asyncio.create_task(webhooks.Sender(account, f"http://127.0.0.1:{port}/", ("whsec_old", SECRET)).run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await runner.cleanup()


def happen(account: Account) -> Object:
    return payments.emit(account, "charge.refunded", account.add("ch", "charge", amount_refunded=1))


async def test_an_event_is_sent_until_somebody_says_2xx(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "FIRST_DELAY_S", 0.001)
    receiver = Receiver()
    receiver.statuses = [500, 404, 200]
    happen(account)
    async with delivering(account, receiver):
        await receiver.until(lambda: len(receiver.heard) == 3)
    assert receiver.heard == ["charge.refunded"] * 3


async def test_a_key_keeps_a_500_until_it_is_pruned_and_no_refusal(client: httpx.AsyncClient, account: Account) -> None:
    async def status(**changed: str) -> int:
        answer = await client.post("/v1/checkout/sessions", data=ORDER | changed, headers={"Idempotency-Key": "k"})
        return answer.status_code

    assert await status(mode="setup") == 400
    account.faults.fail = 1
    assert [await status(), await status()] == [500, 500]
    account.answers.clear()
    assert await status() == 200
    assert len(account.all("checkout.session")) == 1


async def test_faults_duplicate_forge_delay_and_drop(account: Account) -> None:
    receiver = Receiver()
    account.faults = Faults(duplicates=2, forge=True, drop=1, reorder_within_s=0.01)
    assert account.deliveries == {}
    happen(account)
    assert account.deliveries == {}
    happen(account)
    async with delivering(account, receiver):
        await receiver.until(lambda: len(receiver.heard) == 3 and receiver.forged == 1)


async def test_what_was_on_its_way_when_the_process_was_killed_is_sent_by_the_next(account: Account) -> None:
    receiver = Receiver()
    happen(account)
    account.save()
    assert account.path is not None
    again = Account.load(account.path)
    assert again.objects == account.objects
    async with delivering(again, receiver):
        await receiver.until(lambda: receiver.heard == ["charge.refunded"])


def test_a_signature_is_the_one_the_official_package_expects() -> None:
    header = webhooks.signature(b"{}", ("a", SECRET), int(time.time()))
    assert stripe.WebhookSignature.verify_header(b"{}", header, SECRET, 300)
