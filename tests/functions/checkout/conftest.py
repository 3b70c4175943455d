"""A shop with a till: the product in front of the fake Stripe, which listens on a port of its own."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.edge.api import Context
from functions.jobs import order_receipts
from tests import door
from tests.db import accounts
from tests.fakes.stripe import payments, webhooks
from tests.fakes.stripe.account import Account, Object
from tests.fakes.stripe.app import create_app
from tests.functions import signed_in

# How an account is deleted: its row goes, or says so.
GONE = {
    "the row": "delete from auth.users where id = $1",
    "all in the row": "update auth.users set deleted_at = now() where id = $1",
}
SECRET_KEY, WEBHOOK_SECRET, OLD_SECRET = "sk_test_x", "whsec_new", "whsec_old"


@dataclass
class Stripe:
    """The fake: its memory, which a test may change by hand, and its address. Nothing is sent but by `Shop.tell`."""

    url: str
    account: Account = field(default_factory=Account)

    def session(self, session_id: str) -> Object:
        return self.account.objects[session_id]

    def events(self, kind: str = "") -> list[Object]:
        """What happened, oldest first."""
        return [each for each in reversed(self.account.all("event")) if each["type"].startswith(kind)]


@pytest.fixture
async def stripe() -> AsyncIterator[Stripe]:
    with door.opened() as listening:
        fake = Stripe(f"http://127.0.0.1:{listening.getsockname()[1]}")
        # Nobody listens where its webhooks go: tests tell events themselves, in the order they want.
        nowhere = {"webhook_url": "http://127.0.0.1:9/", "webhook_secrets": (WEBHOOK_SECRET,)}
        app = create_app(fake.account, url=fake.url, secret_key=SECRET_KEY, **nowhere)  # type: ignore[arg-type]
        async with door.serving(app, listening, lifespan="auto"):
            yield fake


@pytest.fixture
def settings(settings: Settings, stripe: Stripe) -> Settings:
    secrets = {
        "STRIPE_API_BASE": stripe.url,
        "STRIPE_SECRET_KEY": SECRET_KEY,
        "STRIPE_WEBHOOK_SECRETS": f"{WEBHOOK_SECRET},{OLD_SECRET}",
    }
    return replace(settings, edge_runtime=replace(settings.edge_runtime, secrets=secrets))


@dataclass(frozen=True)
class Shop:
    """A buyer at the product's doors."""

    client: httpx.AsyncClient
    resources: Resources
    stripe: Stripe
    buyer: UUID

    async def call(self, function: str, body: Any, *, as_user: UUID | None = None) -> httpx.Response:
        """A function, called as the buyer or somebody else."""
        user_id = as_user or self.buyer
        headers = signed_in.headers(self.resources, user_id, email=f"{user_id}@example.test")
        return await self.client.post(f"/functions/v1/{function}", json=body, headers=headers)

    async def checkout(self, pack: str = "pro", **more: Any) -> Object:
        """Begins to buy as the store does; answers the session as the fake has it."""
        wanted = {"packType": pack, "userId": str(self.buyer), "withdrawalWaiver": True, **more}
        answer = await self.call("create_checkout", wanted)
        assert answer.status_code == 200, answer.text
        return self.stripe.session(answer.json()["url"].rsplit("/", 1)[1])

    async def bought(self, pack: str = "pro", **more: Any) -> Object:
        """Buys a pack, and the product is told."""
        session = await self.checkout(pack, **more)
        payments.pay(self.stripe.account, session)
        assert await self.tell(self.stripe.events("checkout.session.completed")[-1]) == "fulfilled"
        return session

    async def receipts(self) -> list[str]:
        """What the job writes to buyers, now."""
        await self.job(order_receipts)
        found = await self.query("select recipient, plain from jobs.mails where purpose = 'order_receipt'")
        return [f"{row['recipient']}\n{row['plain']}" for row in found]

    async def send(self, body: bytes, header: str) -> httpx.Response:
        """A request at the webhook's door."""
        return await self.client.post(
            "/functions/v1/stripe_webhook", content=body, headers={"Stripe-Signature": header}
        )

    async def tell(self, event: Object) -> str:
        """Sends one event as Stripe does; answers what became of it."""
        body = webhooks.body_of(event)
        answer = await self.send(body, webhooks.signature(body, (WEBHOOK_SECRET,), int(time.time())))
        assert answer.status_code == 200, answer.text
        outcome: str = answer.json()["outcome"]
        return outcome

    async def query(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        async with db.connection(self.resources.pool) as connection:
            return [dict(row) for row in await connection.fetch(sql, *values)]

    async def execute(self, sql: str, *values: Any) -> None:
        async with db.connection(self.resources.pool) as connection:
            await connection.execute(sql, *values)

    async def job(self, module: ModuleType, **payload: Any) -> None:
        """A job, done now."""
        await module.handler(payload, Context(module.__name__, {"role": "service_role"}, "", self.resources))

    async def order(self) -> dict[str, Any]:
        """The only order there is."""
        [found] = await self.query("select * from public.credit_orders")
        return found

    async def balance(self) -> int:
        [wallet] = await self.query("select balance from public.credit_wallets where user_id = $1", self.buyer)
        balance: int = wallet["balance"]
        return balance

    async def alerts(self) -> list[str]:
        return [row["kind"] for row in await self.query("select kind from public.payment_alerts order by id")]


@pytest.fixture
async def shop(client: httpx.AsyncClient, resources: Resources, stripe: Stripe) -> Shop:
    async with db.connection(resources.pool) as connection:
        # Not confirmed yet, so without welcome credits: what is in the wallet was bought.
        buyer = await accounts.create(connection, uuid4(), confirmed=False)
    return Shop(client, resources, stripe, buyer)


def altered(event: Object, **changes: Any) -> Object:
    """The event with other facts about its object."""
    copied: Object = json.loads(json.dumps(event))
    copied["data"]["object"] |= changes
    return copied
